// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Thread and parent domains. */
#include <string.h>

#include "objects.h"

struct domains {
	struct ibv_td *td;
	struct ibv_pd *pd, *parent;
};

static struct domains domains_new(struct objects *o)
{
	struct ibv_td_init_attr td_attr = {};
	struct domains d = { .td = ibv_alloc_td(o->context, &td_attr), .pd = o->pd };
	struct ibv_parent_domain_init_attr attr = { .pd = d.pd, .td = d.td };

	assert_non_null(d.td);
	d.parent = ibv_alloc_parent_domain(o->context, &attr);
	assert_non_null(d.parent);
	return d;
}

static void domains_free(struct domains *d)
{
	assert_int_equal(ibv_dealloc_pd(d->parent), 0);
	assert_int_equal(ibv_dealloc_td(d->td), 0);
}

/* The components of a parent domain outlive it. The kernel knows only the protection domain. */
static void lives(void **state)
{
	struct objects *o = *state;
	unsigned int before = kernel_objects();
	struct domains d = domains_new(o);

	assert_int_equal(kernel_objects(), before);
	assert_int_equal(d.parent->handle, o->pd->handle);
	assert_ptr_equal(d.parent->context, o->context);
	assert_int_equal(ibv_dealloc_td(d.td), EBUSY);
	assert_int_equal(ibv_dealloc_pd(d.pd), EBUSY);
	domains_free(&d);
}

/* Objects of a thread domain have no locks. */
static void locks(void **state)
{
	struct objects *o = *state;
	struct domains d = domains_new(o);
	struct ibv_qp_init_attr_ex attr = qp_attr(o);
	struct tallydv_qp_init_attr dv = qp_dv_attr(o);
	struct ibv_cq_init_attr_ex cq = cq_attr();
	struct ibv_cq_ex *one;
	struct ibv_qp *qp;

	kernel.qpn = 6;
	attr.pd = d.parent;
	qp = tallydv_create_qp(o->context, &attr, &dv, NULL, 0);
	assert_non_null(qp);
	assert_true(to_tqp(qp)->lock.single_threaded);
	assert_int_equal(ibv_dealloc_pd(d.parent), EBUSY);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	attr.pd = o->pd;
	qp = tallydv_create_qp(o->context, &attr, &dv, NULL, 0);
	assert_non_null(qp);
	assert_false(to_tqp(qp)->lock.single_threaded);
	assert_int_equal(ibv_destroy_qp(qp), 0);
	cq.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	cq.parent_domain = d.parent;
	one = tally_create_cq_ex(o->context, &cq);
	assert_non_null(one);
	assert_true(to_tcq_ex(one)->lock.single_threaded);
	assert_int_equal(ibv_dealloc_pd(d.parent), EBUSY);
	assert_int_equal(ibv_destroy_cq(ibv_cq_ex_to_cq(one)), 0);
	domains_free(&d);
}

/* A parent domain without a thread domain behaves like its protection domain. */
static void no_thread(void **state)
{
	struct objects *o = *state;
	struct ibv_parent_domain_init_attr attr = { .pd = o->pd };
	struct ibv_pd *parent = ibv_alloc_parent_domain(o->context, &attr);
	struct ibv_mr *mr;

	assert_non_null(parent);
	assert_false(tally_has_one_thread(parent));
	mr = ibv_reg_mr(parent, o->buf, sizeof(o->buf), IBV_ACCESS_LOCAL_WRITE);
	assert_non_null(mr);
	assert_int_equal(ibv_dereg_mr(mr), 0);
	assert_int_equal(ibv_dealloc_pd(parent), 0);
}

static void assert_no_parent(struct objects *o, struct ibv_parent_domain_init_attr attr, int err)
{
	errno = 0;
	assert_null(ibv_alloc_parent_domain(o->context, &attr));
	assert_int_equal(errno, err);
}

static void refused(void **state)
{
	struct objects *o = *state;
	struct domains d = domains_new(o);
	struct ibv_td_init_attr td_attr = { .comp_mask = 1 };
	struct ibv_parent_domain_init_attr attr = { .pd = o->pd };
	struct ibv_cq_init_attr_ex cq = cq_attr();
	struct ibv_context other = *o->context;
	struct tally_pd foreign_pd = *to_tpd(o->pd);
	struct tally_td foreign_td = { .td.context = &other };

	assert_null(ibv_alloc_td(o->context, &td_attr));
	assert_int_equal(errno, EOPNOTSUPP);
	attr.comp_mask = IBV_PARENT_DOMAIN_INIT_ATTR_ALLOCATORS;
	assert_no_parent(o, attr, EOPNOTSUPP);
	attr = (struct ibv_parent_domain_init_attr){};
	assert_no_parent(o, attr, EINVAL);
	attr.pd = d.parent;
	assert_no_parent(o, attr, EINVAL);
	foreign_pd.pd.context = &other;
	attr.pd = &foreign_pd.pd;
	assert_no_parent(o, attr, EINVAL);
	attr.pd = o->pd;
	attr.td = &foreign_td.td;
	assert_no_parent(o, attr, EINVAL);
	/* A completion queue takes only parent domains, and only of its own context. */
	cq.comp_mask = IBV_CQ_INIT_ATTR_MASK_PD;
	cq.parent_domain = o->pd;
	assert_null(tally_create_cq_ex(o->context, &cq));
	assert_int_equal(errno, EINVAL);
	foreign_pd.of = to_tpd(o->pd);
	cq.parent_domain = &foreign_pd.pd;
	assert_null(tally_create_cq_ex(o->context, &cq));
	assert_int_equal(errno, EINVAL);
	domains_free(&d);
}

/* A region cannot move to a protection domain of another context. */
static void regions(void **state)
{
	struct objects *o = *state;
	struct ibv_context other = *o->context;
	struct tally_pd foreign = *to_tpd(o->pd);

	foreign.pd.context = &other;
	errno = 0;
	assert_int_equal(ibv_rereg_mr(o->mr, IBV_REREG_MR_CHANGE_PD, &foreign.pd, NULL, 0, 0),
			 IBV_REREG_MR_ERR_CMD);
	assert_int_equal(errno, EINVAL);
	assert_int_equal(tally_rereg_mr(container_of(o->mr, struct verbs_mr, ibv_mr),
					IBV_REREG_MR_CHANGE_PD, &foreign.pd, NULL, 0, 0), EINVAL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(lives, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(locks, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(no_thread, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(refused, objects_setup, objects_teardown),
		cmocka_unit_test_setup_teardown(regions, objects_setup, objects_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
