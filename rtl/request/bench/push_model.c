// SPDX-License-Identifier: BSD-2-Clause
/* Includes the NIC's push buffers, whose functions on a request are static. */
#include "nic/push.c"

#include "push_model.h"

static struct nic *nic;
static struct qp *qps[TALLY_NUM_UARS];

static void begin(void)
{
	if (nic)
		return;
	nic = calloc(1, sizeof(*nic));
	if (!nic)
		abort();
	nic->bar = aligned_alloc(TALLY_PAGE_SIZE, TALLY_BAR_SIZE);
	if (!nic->bar)
		abort();
	memset(nic->bar, 0, TALLY_BAR_SIZE);
}

void model_store(uint32_t offset, const uint8_t *data, uint64_t strb)
{
	begin();
	for (unsigned int i = 0; i < 64; i++)
		if (strb >> i & 1)
			nic->bar[offset + i] = data[i];
}

void model_bind(unsigned int uar, unsigned int slot, unsigned int stride)
{
	struct qp *qp = qps[uar];

	begin();
	if (qp) {
		push_unbind(nic, qp);
		free(qp);
		qps[uar] = NULL;
	}
	if (!stride)
		return;
	qp = qps[uar] = calloc(1, sizeof(*qp));
	if (!qp)
		abort();
	qp->slot_id = (struct slot_id){ .uar = uar, .slot = slot };
	qp->slot = slot_at(nic, qp->slot_id);
	qp->stride = stride;
	if (!push_bind(nic, qp))
		abort();
}

size_t model_take(unsigned int uar, uint64_t posted, uint8_t *to)
{
	struct pushed *p = qps[uar] ? push_take(nic, qps[uar], posted) : NULL;
	struct tally_wqe w;
	size_t used;

	if (!p)
		return 0;
	memcpy(&w, p->wqe, sizeof(w));
	used = push_used(&w);
	memcpy(to, p->wqe, used);
	free(p);
	return used;
}
