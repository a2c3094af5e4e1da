// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Posting, polling, arming and resetting each wait for a thread that holds the lock, and release it
 * afterwards.
 */
#include <unistd.h>

#include "rig.h"

#define NO_TIME_US 20000 /* a thread that does not wait finishes in less */

static struct rig *rig;
static bool done;

static int setup(void **state)
{
	(void)state;
	rig = rig_new(15, 4);
	rig_post(rig, TALLY_OPCODE_BARRIER, 1);
	rig_complete(rig, 0, TALLY_OPCODE_BARRIER);
	return 0;
}

static int teardown(void **state)
{
	(void)state;
	rig_free(rig);
	return 0;
}

/* ---- Calls that take a lock ---- */
static void post(void)
{
	rig_post(rig, TALLY_OPCODE_BARRIER, 2);
}

static void post_chain(void)
{
	struct ibv_qp_ex *qp = &rig->qp.vqp.qp_ex;

	ibv_wr_start(qp);
	tallydv_wr_barrier(&rig->qp.dv, 1);
	ibv_wr_complete(qp);
}

static void post_nothing(void)
{
	ibv_wr_start(&rig->qp.vqp.qp_ex);
	ibv_wr_abort(&rig->qp.vqp.qp_ex);
}

static void poll_some(void)
{
	struct ibv_wc wc[2];

	tally_poll_cq(&rig->cq.vcq.cq, 2, wc);
}

static void poll_extended(void)
{
	struct ibv_poll_cq_attr attr = {};

	if (!ibv_start_poll(&rig->cq.vcq.cq_ex, &attr))
		ibv_end_poll(&rig->cq.vcq.cq_ex);
	/* There is no completion, so the lock is not held. */
	assert_int_equal(ibv_start_poll(&rig->cq.vcq.cq_ex, &attr), ENOENT);
}

static void arm(void)
{
	tally_req_notify_cq(&rig->cq.vcq.cq, 0);
}

static void attach(void)
{
	tally_cq_attach(&rig->cq, &rig->qp);
}

static void detach(void)
{
	tally_cq_detach(&rig->cq, &rig->qp);
}

/* ---- A thread that holds the lock ---- */
static void *run(void *act)
{
	(*(void (**)(void))act)();
	__atomic_store_n(&done, true, __ATOMIC_SEQ_CST);
	return NULL;
}

static void assert_waits(struct tally_lock *lock, void (*act)(void))
{
	pthread_t thread;

	done = false;
	tally_lock(lock);
	assert_int_equal(pthread_create(&thread, NULL, run, &act), 0);
	usleep(NO_TIME_US);
	assert_false(__atomic_load_n(&done, __ATOMIC_SEQ_CST));
	tally_unlock(lock);
	assert_int_equal(pthread_join(thread, NULL), 0);
	assert_int_equal(pthread_spin_trylock(&lock->spin), 0);
	tally_unlock(lock);
	/* A queue for a single thread does not wait. */
	tally_lock(lock);
	lock->single_threaded = true;
	act();
	lock->single_threaded = false;
	tally_unlock(lock);
}

static void posts(void **state)
{
	(void)state;
	assert_waits(&rig->qp.lock, post);
	assert_waits(&rig->qp.lock, post_chain);
	assert_waits(&rig->qp.lock, post_nothing);
}

static void polls(void **state)
{
	(void)state;
	assert_waits(&rig->cq.lock, arm);
	assert_waits(&rig->cq.lock, attach);
	assert_waits(&rig->cq.lock, poll_some);
	assert_waits(&rig->cq.lock, poll_extended);
	assert_waits(&rig->cq.lock, detach);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(posts, setup, teardown),
		cmocka_unit_test_setup_teardown(polls, setup, teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
