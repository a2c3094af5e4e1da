/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Declares the functions of reset.c under the names that its test gives them. */
#ifndef TALLY_TEST_RESET_NAMES_H
#define TALLY_TEST_RESET_NAMES_H

#include "core/pf.h"

void reset_fail(struct tally_pf *pf, const char *why);
void reset_wait_quiet(struct tally_pf *pf);
bool reset_is_dead(struct tally_dev *tdev);

#endif
