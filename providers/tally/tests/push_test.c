// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Which requests are pushed to the device together with their doorbell, and their format. */
#include <string.h>
#include <sys/mman.h>

#include "rig.h"

#define LONGEST (TALLY_PUSH_LINES * TALLY_PUSH_PIECE)
#define BEHIND (sizeof(struct tally_wqe) + sizeof(struct tally_sge)) /* header and result */

static struct tally_push_buf buf;
static char data[TALLY_MAX_INLINE];

static int setup(void **state)
{
	struct rig *rig = rig_new(15, 4);

	memset(&buf, 0, sizeof(buf));
	for (unsigned int i = 0; i < sizeof(data); i++)
		data[i] = i * 7;
	rig->qp.push = &buf;
	*state = rig;
	return 0;
}

static int teardown(void **state)
{
	rig_free(*state);
	return 0;
}

static struct tallydv_send_wr allreduce(const struct ibv_sge *sge, unsigned int flags)
{
	static const struct ibv_sge result = { .addr = 0x5000, .length = 8, .lkey = 2 };

	return (struct tallydv_send_wr){
		.wr = {
			.opcode = IBV_WR_DRIVER1, .send_flags = flags, .num_sge = 1,
			.sg_list = (struct ibv_sge *)sge,
		},
		.coll = {
			.opcode = TALLY_OPCODE_ALLREDUCE, .op = TALLY_OP_SUM,
			.dtype = TALLY_TYPE_FP64, .count = 1, .result_list = &result,
			.num_result = 1,
		},
	};
}

static void post(struct rig *rig, struct ibv_send_wr *wr)
{
	struct ibv_send_wr *bad;

	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, wr, &bad), 0);
}

static void post_inline(struct rig *rig, uint32_t length)
{
	struct ibv_sge sge = { .addr = (uintptr_t)data, .length = length };
	struct tallydv_send_wr wr = allreduce(&sge, IBV_SEND_INLINE);

	post(rig, &wr.wr);
}

/* Expects the line to have the count of the request posted last, or none. */
static void assert_pushed(struct rig *rig, bool pushed)
{
	uint64_t posted = rig->qp.tracker.posted;

	assert_int_equal(rig_is_pushed(rig, posted), pushed);
	if (!pushed)
		for (unsigned int i = 0; i < 2 * TALLY_PUSH_LINES; i++)
			assert_int_not_equal(le64toh(buf.line[i].posted), posted);
	assert_int_equal(le64toh(*rig->qp.doorbell.counter), posted);
}

static void alone(void **state)
{
	struct rig *rig = *state;
	struct ibv_sge sge = { .addr = 0x4000, .length = 8, .lkey = 1 };
	struct tallydv_send_wr wr = allreduce(&sge, 0);

	post(rig, &wr.wr);
	assert_pushed(rig, true);
	/* The next request does not change the lines of this one. */
	post_inline(rig, 8);
	assert_pushed(rig, true);
	assert_true(rig_is_pushed(rig, 1));
	assert_int_equal(rig_post(rig, TALLY_OPCODE_BARRIER, 0), 0);
	assert_pushed(rig, true);
}

static void several(void **state)
{
	struct rig *rig = *state;
	struct ibv_sge sge = { .addr = 0x4000, .length = 8, .lkey = 1 };
	struct tallydv_send_wr wr[2] = { allreduce(&sge, 0), allreduce(&sge, 0) };
	struct ibv_send_wr *bad;

	wr[0].wr.next = &wr[1].wr;
	post(rig, &wr[0].wr);
	assert_pushed(rig, false);
	/* A request that is alone because the next one is refused. */
	wr[1].wr.num_sge = 99;
	assert_int_equal(tally_post_send(&rig->qp.vqp.qp, &wr[0].wr, &bad), EINVAL);
	assert_pushed(rig, true);
}

static void lengths(void **state)
{
	struct rig *rig = *state;
	const struct { uint32_t length; bool pushed; } cases[] = {
		{ 1, true }, { 7, true }, { 8, true }, { 9, true }, { 15, true }, { 16, true },
		{ 17, true }, { 0, true }, { LONGEST - BEHIND, true },
		{ LONGEST - BEHIND + 1, false }, { TALLY_MAX_INLINE, false },
	};

	for (unsigned int i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		const struct tally_wqe *wqe = rig_wqe(rig, rig->qp.tracker.posted);

		post_inline(rig, cases[i].length);
		assert_int_equal(le32toh(wqe->inline_len), cases[i].length);
		assert_true(le32toh(wqe->flags) & TALLY_WQE_F_INLINE);
		assert_memory_equal(wqe + 1, data, cases[i].length);
		assert_pushed(rig, cases[i].pushed);
	}
}

/* A request that takes all lines of its half of the buffer does not change the other half. */
static void all_lines(void **state)
{
	struct rig *rig = *state;
	struct tally_push_line other[TALLY_PUSH_LINES];

	for (unsigned int i = 0; i < 2; i++) {
		uint64_t posted = rig->qp.tracker.posted;

		memset(&buf, 0x55, sizeof(buf));
		memset(other, 0x55, sizeof(other));
		post_inline(rig, LONGEST - BEHIND);
		assert_ptr_equal(rig->qp.tail, (const char *)rig_wqe(rig, posted) + LONGEST);
		assert_pushed(rig, true);
		assert_memory_equal(tally_push_first(&buf, posted), other, sizeof(other));
	}
}

static void wr_calls(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;
	struct ibv_sge result = { .addr = 0x5000, .length = 8, .lkey = 2 };

	for (unsigned int count = 1; count <= 2; count++) {
		ibv_wr_start(qp);
		for (unsigned int i = 0; i < count; i++) {
			tallydv_wr_allreduce(&rig->qp.dv, TALLY_OP_SUM, TALLY_TYPE_FP64, 1, i);
			ibv_wr_set_inline_data(qp, data, 8);
			tallydv_wr_set_result(&rig->qp.dv, 1, &result);
		}
		assert_int_equal(ibv_wr_complete(qp), 0);
		assert_pushed(rig, count == 1);
	}
}

/* Whole lines are copied, also of the queue's last entry, which ends a page. */
static void last_entry(void **state)
{
	struct rig *rig = *state;
	struct ibv_qp_cap cap = { .max_send_wr = 15, .max_send_sge = 1, .max_inline_data = 112 };
	unsigned char resident;
	uint8_t *sq;

	tally_qp_free_queue(&rig->qp);
	assert_int_equal(tally_qp_alloc_queue(&rig->qp, &cap, &rig->ctx.info), 0);
	assert_int_equal(cap.max_inline_data, 112);
	assert_int_equal((rig->qp.tracker.mask + 1) << rig->qp.stride_shift, TALLY_PAGE_SIZE);
	for (unsigned int i = 0; i < 16; i++) {
		post_inline(rig, 112);
		rig_complete(rig, i, TALLY_OPCODE_ALLREDUCE);
		assert_int_equal(tally_poll_cq(&rig->cq.vcq.cq, 1, &(struct ibv_wc){}), 1);
		assert_pushed(rig, true);
	}
	/* The page after the queue belongs to it, and is freed with it. */
	sq = rig->qp.sq;
	tally_qp_free_queue(&rig->qp);
	assert_int_equal(mincore(sq + TALLY_PAGE_SIZE, TALLY_PAGE_SIZE, &resident), -1);
	assert_int_equal(tally_qp_alloc_queue(&rig->qp, &cap, &rig->ctx.info), 0);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(alone), TEST(several), TEST(lengths), TEST(all_lines), TEST(wr_calls), TEST(last_entry),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
