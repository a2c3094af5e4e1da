/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * libtallycoll with a process for each rank: tallycoll RANKS COUNT [CPUS]. The processes share the
 * NICs of the VM. The last rank is killed at the end, while the others wait for it in a sum of COUNT
 * elements. With CPUS, rank r runs on CPU r mod CPUS only.
 */
#include "tallycoll.h"

#include <sched.h>

#include "procs.h"

#define MOST_RANKS 64
#define MOST_BYTES 4096	/* that a rank gives to an allgather */
#define AT_ONCE 100	/* requests, which is more than a queue holds */

static uint32_t num_ranks;
static struct meeting *parents; /* of the parent and the last rank */

/* ---- The runtime's allgather ---- */
/* Of a team, whose ranks share the memory. */
struct room {
	struct meeting *meeting;
	uint8_t (*given)[MOST_BYTES];
	uint32_t rank, size;
};

static struct room world, half[2];

static struct room room_new(uint32_t size)
{
	return (struct room){ meeting_new(size), share(size * sizeof(uint8_t[MOST_BYTES])), 0, size };
}

static int allgather(void *arg, const void *mine, void *all, size_t bytes)
{
	struct room *room = arg;

	REQUIRE(bytes <= MOST_BYTES, "%zu bytes", bytes);
	memcpy(room->given[room->rank], mine, bytes);
	meet(room->meeting);
	for (uint32_t r = 0; r < room->size; r++)
		memcpy((uint8_t *)all + r * bytes, room->given[r], bytes);
	meet(room->meeting);
	return 0;
}

static struct tallycoll_oob oob_of(struct room *room, uint32_t rank)
{
	room->rank = rank;
	return (struct tallycoll_oob){ allgather, room, rank, room->size };
}

/* ---- Operations ---- */
struct tallycoll_request *prepare(struct member *m, const struct tallycoll_args *args)
{
	struct tallycoll_request *request = NULL;
	enum tallycoll_reason reason = TALLYCOLL_REASON_NONE;
	enum tallycoll_status status = tallycoll_collective_init(m->team, args, &request, &reason);

	REQUIRE(!status, "rank %u: opcode %u: %s: %s %s", m->rank, args->opcode,
		tallycoll_status_str(status), tallycoll_reason_str(reason),
		tallycoll_team_error(m->team));
	return request;
}

void perform(struct tallycoll_request *request, const char *what)
{
	enum tallycoll_status status = tallycoll_collective_post(request);

	REQUIRE(!status, "%s: %s", what, tallycoll_status_str(status));
	status = tallycoll_collective_wait(request);
	REQUIRE(!status, "%s: %s: %s", what, tallycoll_status_str(status),
		tallycoll_request_error(request));
}

static struct tallycoll_request *prepare_sum(struct member *m, const double *src, double *dst,
					     uint64_t count)
{
	const struct tallycoll_args args = {
		.opcode = TALLY_OPCODE_ALLREDUCE,
		.op = TALLY_OP_SUM,
		.dtype = TALLY_TYPE_FP64,
		.count = count,
		.src = src,
		.dst = dst,
	};

	return prepare(m, &args);
}

/* A request that is posted again and again, far beyond the queue's depth. */
static void test_persistent(struct member *m)
{
	double src, dst;
	struct tallycoll_request *request = prepare_sum(m, &src, &dst, 1);

	for (unsigned int i = 0; i < 3 * AT_ONCE; i++) {
		src = m->rank + i;
		perform(request, "a persistent request");
		REQUIRE(dst == m->size * (m->size - 1) / 2 + (double)m->size * i,
			"rank %u: sum %u is %g", m->rank, i, dst);
	}
	tallycoll_collective_finalize(request);
}

static void test_many_at_once(struct member *m)
{
	struct tallycoll_request *request[AT_ONCE];
	double src[AT_ONCE], dst[AT_ONCE];

	for (unsigned int i = 0; i < AT_ONCE; i++) {
		src[i] = m->rank * (i + 1);
		request[i] = prepare_sum(m, &src[i], &dst[i], 1);
		REQUIRE(!tallycoll_collective_post(request[i]), "request %u", i);
	}
	for (unsigned int i = AT_ONCE; i-- > 0;) {
		enum tallycoll_status status = tallycoll_collective_wait(request[i]);

		REQUIRE(!status, "request %u: %s", i, tallycoll_request_error(request[i]));
		REQUIRE(dst[i] == (double)(m->size * (m->size - 1) / 2) * (i + 1),
			"rank %u: request %u: %g", m->rank, i, dst[i]);
		tallycoll_collective_finalize(request[i]);
	}
}

/* ---- Teams ---- */
static void open_context(struct member *m, uint32_t rank)
{
	const struct tallycoll_context_params params = { .oob = oob_of(&world, rank) };
	char why[256] = "";

	REQUIRE(!tallycoll_context_create(&params, &m->context, why, sizeof(why)), "%s", why);
}

static void open_team(struct member *m, struct room *room, uint32_t rank, const uint32_t *ranks)
{
	const struct tallycoll_team_params params = { .oob = oob_of(room, rank), .ranks = ranks };
	enum tallycoll_reason reason;

	m->rank = rank;
	m->size = room->size;
	REQUIRE(!tallycoll_team_create(m->context, &params, &m->team), "rank %u", rank);
	reason = tallycoll_team_reason(m->team);
	REQUIRE(!reason, "rank %u: %s", rank, tallycoll_reason_str(reason));
}

/* Even and odd ranks, in descending order, so that the order of ranks is not that of nodes. */
static void test_halves(struct member *whole)
{
	struct member m = { .context = whole->context };
	struct room *room = &half[whole->rank % 2];
	uint32_t ranks[MOST_RANKS];

	if (room->size < 2)
		return;
	for (uint32_t i = 0; i < room->size; i++)
		ranks[i] = whole->rank % 2 + 2 * (room->size - 1 - i);
	open_team(&m, room, room->size - 1 - whole->rank / 2, ranks);
	test_lengths(&m);
	tallycoll_team_destroy(m.team);
	/* The second team finds the group in the cache. */
	open_team(&m, room, room->size - 1 - whole->rank / 2, ranks);
	test_persistent(&m);
	tallycoll_team_destroy(m.team);
}

/* ---- The end of a process ---- */
static void expect_gone(struct member *m, uint64_t count)
{
	double *src = calloc(count, sizeof(*src)), *dst = calloc(count, sizeof(*dst));
	struct tallycoll_request *request = prepare_sum(m, src, dst, count);
	enum tallycoll_status status = tallycoll_collective_post(request);
	enum tallycoll_reason reason;

	REQUIRE(!status, "rank %u: %s", m->rank, tallycoll_status_str(status));
	status = tallycoll_collective_wait(request);
	REQUIRE(status == TALLYCOLL_ERR_RANK_GONE, "rank %u: %s: %s", m->rank,
		tallycoll_status_str(status), tallycoll_request_error(request));
	REQUIRE(tallycoll_request_error(request)[0], "there is no sentence");
	tallycoll_collective_finalize(request);
	reason = tallycoll_team_reason(m->team);
	REQUIRE(reason == TALLYCOLL_REASON_TEAM_BROKEN, "%s", tallycoll_reason_name(reason));
	free(src);
	free(dst);
}

/* ---- Processes ---- */
static uint64_t last_count;	/* elements of the operation that ends with RANK_GONE */
static uint32_t num_cpus;	/* 0: processes are not bound */

static void bind_to(uint32_t cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	REQUIRE(!sched_setaffinity(0, sizeof(set), &set), "CPU %u: %s", cpu, strerror(errno));
}

static void member(void *arg)
{
	uint32_t rank = *(uint32_t *)arg;
	struct member m;

	if (num_cpus)
		bind_to(rank % num_cpus);
	open_context(&m, rank);
	open_team(&m, &world, rank, NULL);
	test_pairs(&m);
	test_lengths(&m);
	test_in_place(&m);
	test_persistent(&m);
	test_many_at_once(&m);
	test_halves(&m);
	if (rank == num_ranks - 1) {
		meet(parents);
		pause();
	}
	expect_gone(&m, last_count);
	tallycoll_team_destroy(m.team);
	if (rank == 0)
		tallycoll_context_summary(m.context, stdout);
	tallycoll_context_destroy(m.context);
	fflush(stdout);
}

int main(int argc, char **argv)
{
	pid_t pid[MOST_RANKS];

	REQUIRE(argc == 3 || argc == 4, "usage: tallycoll RANKS COUNT [CPUS]");
	num_ranks = atoi(argv[1]);
	last_count = atoi(argv[2]);
	num_cpus = argc == 4 ? atoi(argv[3]) : 0;
	REQUIRE(num_ranks > 1 && num_ranks <= MOST_RANKS, "%u ranks", num_ranks);
	world = room_new(num_ranks);
	half[0] = room_new((num_ranks + 1) / 2);
	half[1] = room_new(num_ranks / 2);
	parents = meeting_new(2);
	for (uint32_t r = 0; r < num_ranks; r++)
		pid[r] = spawn(member, &r);
	meet(parents);
	slay(pid[num_ranks - 1]);
	for (uint32_t r = 0; r < num_ranks - 1; r++)
		reap(pid[r]);
	return 0;
}
