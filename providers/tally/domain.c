// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Protection domains, thread domains, and parent domains, which combine the two. A thread domain is
 * a promise of the program: only one thread at a time uses the objects created with it, so they
 * need no locks.
 */
#include <stdlib.h>

#include "uverbs.h"

/* ---- Thread domains ---- */
struct ibv_td *tally_alloc_td(struct ibv_context *context, struct ibv_td_init_attr *attr)
{
	struct tally_td *td;

	if (attr->comp_mask) {
		errno = EOPNOTSUPP;
		return NULL;
	}
	td = calloc(1, sizeof(*td));
	if (!td)
		return NULL;
	td->td.context = context;
	return &td->td;
}

int tally_dealloc_td(struct ibv_td *ibtd)
{
	struct tally_td *td = container_of(ibtd, struct tally_td, td);

	if (__atomic_load_n(&td->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	free(td);
	return 0;
}

/* ---- Protection domains ---- */
struct ibv_pd *tally_alloc_pd(struct ibv_context *context)
{
	struct tally_alloc_pd_resp resp = {};
	struct ibv_alloc_pd cmd = {};
	struct tally_pd *pd = calloc(1, sizeof(*pd));
	int err;

	if (!pd)
		return NULL;
	err = ibv_cmd_alloc_pd(context, &pd->pd, &cmd, sizeof(cmd), &resp.ibv_resp, sizeof(resp));
	if (err) {
		free(pd);
		errno = err;
		return NULL;
	}
	return &pd->pd;
}

/* Drops the references of a parent domain to the domains that it consists of. */
static void free_parent(struct tally_pd *parent)
{
	tally_unref(&parent->of->users);
	if (parent->td)
		tally_unref(&parent->td->users);
	free(parent);
}

int tally_dealloc_pd(struct ibv_pd *ibpd)
{
	struct tally_pd *pd = to_tpd(ibpd);
	int err;

	if (__atomic_load_n(&pd->users, __ATOMIC_ACQUIRE))
		return EBUSY;
	if (pd->of) {
		free_parent(pd);
		return 0;
	}
	err = tally_destroy_errno(to_tctx(ibpd->context), ibv_cmd_dealloc_pd(ibpd));
	if (!err)
		free(pd);
	return err;
}

/* ---- Parent domains ---- */
static int check_parent(const struct ibv_context *context,
			const struct ibv_parent_domain_init_attr *attr)
{
	/* Rings are pages that the device maps, so a program's allocators are not supported. */
	if (attr->comp_mask)
		return EOPNOTSUPP;
	if (!attr->pd || attr->pd->context != context || to_tpd(attr->pd)->of)
		return EINVAL;
	if (attr->td && attr->td->context != context)
		return EINVAL;
	return 0;
}

struct ibv_pd *tally_alloc_parent_domain(struct ibv_context *context,
					 struct ibv_parent_domain_init_attr *attr)
{
	struct tally_pd *parent;

	errno = check_parent(context, attr);
	if (errno)
		return NULL;
	parent = calloc(1, sizeof(*parent));
	if (!parent)
		return NULL;
	/* For the kernel, the parent domain is its protection domain. */
	parent->pd.context = context;
	parent->pd.handle = attr->pd->handle;
	parent->of = to_tpd(attr->pd);
	tally_ref(&parent->of->users);
	if (attr->td) {
		parent->td = container_of(attr->td, struct tally_td, td);
		tally_ref(&parent->td->users);
	}
	return &parent->pd;
}

bool tally_is_parent_domain(const struct ibv_pd *pd)
{
	return to_tpd((struct ibv_pd *)pd)->of;
}

bool tally_has_one_thread(const struct ibv_pd *pd)
{
	return to_tpd((struct ibv_pd *)pd)->td;
}
