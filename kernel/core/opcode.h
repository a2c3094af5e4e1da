/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Names of the commands, for the log. */
#ifndef TALLY_OPCODE_H
#define TALLY_OPCODE_H

#include "tally.h"

const char *tally_opcode_name(enum tally_admin_opcode opcode);

#endif
