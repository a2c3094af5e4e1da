/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Verbs device of a fake device, which is not registered with the RDMA core. */
#ifndef TALLY_FAKE_IB_H
#define TALLY_FAKE_IB_H

#include "fake.h"
#include "ib/ib.h"

struct tally_ibdev *tally_fake_ib(struct kunit *test);
int tally_fake_ib_init(struct kunit *test);
void tally_fake_ib_exit(struct kunit *test);

#endif
