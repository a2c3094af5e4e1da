// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Makes every call that can fail fail once. The operation must return the errno of that call and
 * leave nothing behind. (LeakSanitizer reports memory that is left behind.)
 */
#include "objects.h"

/*
 * Run `op` with its n-th call failing, for n from 1 until no call fails. It must return the errno
 * of that call and leave objects and mappings unchanged.
 */
static void sweep(struct objects *o, const char *name, int (*op)(struct objects *o))
{
	for (unsigned int n = 1;; n++) {
		unsigned int objects = kernel_objects();
		int mappings = faults.mappings, err;

		faults = (struct faults){ .at = n, .mappings = mappings };
		err = op(o);
		faults.at = 0;
		if (err != faults.err)
			print_error("%s: errno %d with call %u failing, which said %d\n", name, err,
				    n, faults.err);
		assert_int_equal(err, faults.err);
		if (!err) {
			/* At least one call could fail. */
			assert_true(n > 1);
			break;
		}
		assert_int_equal(kernel_objects(), objects);
		assert_int_equal(faults.mappings, mappings);
	}
}

static void creation(void **state)
{
	for (unsigned int i = 0; i < NUM_OBJECT_KINDS; i++)
		sweep(*state, object_kinds[i].name, object_kinds[i].create);
	assert_int_equal(objects_destroy(*state), 0);
}

/* An object that could not be destroyed still exists, and can be used and destroyed. */
static void destruction(void **state)
{
	for (unsigned int i = NUM_OBJECT_KINDS; i-- > 0;)
		sweep(*state, object_kinds[i].name, object_kinds[i].destroy);
}

/* Only calls of the open itself can fail, not those before it. */
static int open_context(struct objects *o)
{
	unsigned int at = faults.at;
	struct ibv_device *device;
	struct ibv_context *context;
	int err;

	(void)o;
	kernel_reset();
	device = device_new();
	faults = (struct faults){ .at = at };
	context = context_open(device);
	err = context ? 0 : errno;
	if (context)
		assert_int_equal(ibv_close_device(context), 0);
	device_free(device);
	return err;
}

static void contexts(void **state)
{
	(void)state;
	kernel_reset();
	sweep(NULL, "context", open_context);
}

/* ---- Use ---- */
static int query_group(struct objects *o)
{
	struct tallydv_group_info info;

	return tallydv_query_group(o->group, &info);
}

static int query_edges(struct objects *o)
{
	struct tallydv_edge_info edges[2];
	uint32_t count = 2;
	int err = tallydv_query_edges(o->group, edges, &count);

	assert_int_equal(count, 2);
	return err;
}

static int query_segs(struct objects *o)
{
	struct tallydv_seg_info segs[2];
	uint32_t count = 2;

	return tallydv_query_segs(o->group, segs, &count);
}

static int query_arrivals(struct objects *o)
{
	struct tallydv_arrival arrivals[2];
	uint32_t count = 2;

	return tallydv_query_arrivals(o->group, arrivals, &count);
}

static int reset_group(struct objects *o)
{
	return tallydv_reset_group(o->group, 12);
}

static int modify_qp(struct objects *o)
{
	struct ibv_qp_attr attr = { .qp_state = IBV_QPS_RESET };

	return ibv_modify_qp(o->qp, &attr, IBV_QP_STATE);
}

static int query_qp(struct objects *o)
{
	struct ibv_qp_init_attr init;
	struct ibv_qp_attr attr;

	return ibv_query_qp(o->qp, &attr, IBV_QP_STATE, &init);
}

static int query_device(struct objects *o)
{
	struct ibv_device_attr_ex attr;

	return tally_query_device_ex(o->context, NULL, &attr, sizeof(attr));
}

static int query_port(struct objects *o)
{
	struct ibv_port_attr attr;

	return tally_query_port(o->context, 1, &attr);
}

static void use(void **state)
{
	static const struct {
		const char *name;
		int (*op)(struct objects *o);
	} ops[] = {
		{ "query of a group", query_group }, { "query of edges", query_edges },
		{ "query of segments", query_segs }, { "query of arrivals", query_arrivals },
		{ "reset of a group", reset_group }, { "modification", modify_qp },
		{ "query of a queue pair", query_qp }, { "query of the device", query_device },
		{ "query of the port", query_port },
	};

	for (unsigned int i = 0; i < sizeof(ops) / sizeof(ops[0]); i++)
		sweep(*state, ops[i].name, ops[i].op);
}

/* ---- Plans ---- */
static int plan(struct objects *o)
{
	union ibv_gid gids[4] = { { { 1 } }, { { 2 } }, { { 3 } }, { { 4 } } };
	uint8_t macs[4][6] = { { 2 }, { 2 }, { 2 }, { 2 } };
	const struct tallydv_plan_attr attr = {
		.num_nodes = 4, .opcode = TALLY_OPCODE_BARRIER, .gids = gids, .macs = macs
	};
	struct tallydv_plan *p;
	char why[100];

	(void)o;
	p = tallydv_plan_group(&attr, why, sizeof(why));
	if (!p)
		return errno;
	tallydv_free_plan(p);
	return 0;
}

static void plans(void **state)
{
	sweep(*state, "plan", plan);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(contexts),
		cmocka_unit_test_setup_teardown(creation, context_setup, context_teardown),
		cmocka_unit_test_setup_teardown(destruction, objects_setup, context_teardown),
		cmocka_unit_test_setup_teardown(use, objects_setup, objects_teardown),
		cmocka_unit_test(plans),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
