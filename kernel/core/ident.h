/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* The identification page. */
#ifndef TALLY_IDENT_H
#define TALLY_IDENT_H

struct tally_pf;

int tally_read_ident(struct tally_pf *pf);
int tally_check_ident(struct tally_pf *pf);

#endif
