/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* One object of each kind, created on the fake kernel by the calls of a program. */
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

/* The kinds in the order of creation. A context exists already. */
#define NUM_OBJECT_KINDS 7
extern const struct object_kind object_kinds[NUM_OBJECT_KINDS];

/* Valid attributes, for tests to change. */
struct ibv_cq_init_attr_ex cq_attr(void);
struct tallydv_group_attr group_attr(struct objects *o);
struct ibv_qp_init_attr_ex qp_attr(struct objects *o);
struct tallydv_qp_init_attr qp_dv_attr(struct objects *o);

/*
 * Fixture with a context but no objects, for cmocka. The teardown checks that nothing is left
 * behind.
 */
int context_setup(void **state);
int context_teardown(void **state);
/* Fixture with an object of each kind. */
int objects_setup(void **state);
int objects_teardown(void **state);
/* Destroys the objects of that fixture. Returns 0, or the first error. */
int objects_destroy(struct objects *o);

#endif
