/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One object of each kind, made on the fake kernel as a program makes them. */
#ifndef TALLY_TEST_OBJECTS_H
#define TALLY_TEST_OBJECTS_H

#include "fake_kernel.h"

struct objects {
	struct ibv_device *device;
	struct ibv_context *context;
	struct ibv_pd *pd;
	struct ibv_mr *mr;
	struct ibv_cq_ex *cq;
	struct tallydv_seg *seg;
	struct tallydv_group *group, *attached;
	struct ibv_qp *qp;
	char buf[64];
};

/* These return 0 or an errno value. */
struct object_kind {
	const char *name;
	int (*create)(struct objects *o);
	int (*destroy)(struct objects *o);
};

/* In the order of creation; a context is there already. */
#define NUM_OBJECT_KINDS 7
extern const struct object_kind object_kinds[NUM_OBJECT_KINDS];

/* Attributes that will do, for tests to change. */
struct ibv_cq_init_attr_ex cq_attr(void);
struct tallydv_group_attr group_attr(struct objects *o);
struct ibv_qp_init_attr_ex qp_attr(struct objects *o);
struct tallydv_qp_init_attr qp_dv_attr(struct objects *o);

/* A context, without objects: for cmocka. Teardown finds that nothing was left behind. */
int context_setup(void **state);
int context_teardown(void **state);
/* With an object of each kind. */
int objects_setup(void **state);
int objects_teardown(void **state);
/* What the last one does: 0, or what could not be destroyed said. */
int objects_destroy(struct objects *o);

#endif
