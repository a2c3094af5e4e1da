/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * fuzz_uverbs [--rounds N
 *
 * --seconds N] [--seed S]: runs programs (fuzz_uverbs.h) on device tally0. Each program is a
 * mutated copy of an earlier one. If the kernel reports coverage of the drivers, programs that
 * reach new places are mutated further. The kernel's log shows whether anything other than errors
 * happened. This program checks that every context finds the device in service, and that valid
 * calls succeed.
 */
#include <dirent.h>
#include <getopt.h>
#include <sys/random.h>
#include <time.h>

#include "check.h"
#include "fuzz_uverbs.h"

#define CORPUS_SIZE 1024
#define REPORT_SECONDS 60

static struct program corpus[CORPUS_SIZE];
static size_t corpus_count;
static uint64_t random_state;

/* splitmix64 */
static uint64_t draw(void)
{
	uint64_t z = random_state += 0x9e3779b97f4a7c15ULL;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ULL;
	z = (z ^ z >> 27) * 0x94d049bb133111ebULL;
	return z ^ z >> 31;
}

static uint32_t below(uint32_t n)
{
	return draw() % n;
}

/* ---- Mutations of programs ---- */
static void change_bytes(struct program *p)
{
	uint8_t *slot = p->slot[below(p->count)];

	for (unsigned int n = 1 + below(4); n; n--)
		slot[below(SLOT_SIZE)] = draw();
}

/* Inserts a slot of this or another program at a random place. */
static void insert_slot(struct program *p)
{
	const struct program *from = &corpus[below(corpus_count)];
	unsigned int at = below(p->count + 1);

	if (p->count == MAX_SLOTS)
		return;
	memmove(p->slot[at + 1], p->slot[at], (p->count - at) * SLOT_SIZE);
	memcpy(p->slot[at], from->slot[below(from->count)], SLOT_SIZE);
	p->count++;
}

static void remove_slot(struct program *p)
{
	unsigned int at = below(p->count);

	if (p->count == 1)
		return;
	p->count--;
	memmove(p->slot[at], p->slot[at + 1], (p->count - at) * SLOT_SIZE);
}

static void double_slot(struct program *p)
{
	unsigned int at = below(p->count);

	if (p->count == MAX_SLOTS)
		return;
	memmove(p->slot[at + 1], p->slot[at], (p->count - at) * SLOT_SIZE);
	p->count++;
}

/* Makes a call run at the same time as the next one. It stays the same call. */
static void join_slots(struct program *p)
{
	uint8_t *first = p->slot[below(p->count)];

	*first = *first % NUM_CALLS + 6 * NUM_CALLS;
}

static void change(struct program *p)
{
	static void (*const ways[])(struct program *p) = {
		change_bytes, change_bytes, change_bytes, insert_slot, remove_slot, double_slot,
		join_slots,
	};

	for (unsigned int n = 1 + below(3); n; n--)
		ways[below(sizeof(ways) / sizeof(ways[0]))](p);
}

static void keep(const struct program *p)
{
	if (corpus_count < CORPUS_SIZE)
		corpus[corpus_count++] = *p;
	else
		corpus[below(CORPUS_SIZE)] = *p;
}

/* ---- Rounds ---- */
static bool run(const char *path, const struct program *p)
{
	kcov_begin();
	run_program(path, p);
	return kcov_end();
}

static void round_of(const char *path)
{
	struct program p = corpus[below(corpus_count)];

	change(&p);
	if (run(path, &p))
		keep(&p);
}

static void report(void)
{
	printf("%lu programs, %lu calls, %zu kept, %zu places reached in the drivers\n", counts.programs,
	       counts.calls, corpus_count, kcov_total());
	fflush(stdout);
}

/*
 * A call whose bytes are all zero is valid. If no such call ever succeeds, the fuzzer is at fault.
 */
static void expect_depth(bool guided)
{
	for (unsigned int n = 0; call_name(n); n++) {
		if (strncmp(call_name(n), "any_", 4) && strcmp(call_name(n), "reset_group"))
			REQUIRE(counts.succeeded[n], "%s has never succeeded", call_name(n));
	}
	REQUIRE(!guided || kcov_total(), "the drivers were built without KCOV");
}

/* Finds the node of device tally0 in /dev/infiniband. */
static void find_node(char *path, size_t size)
{
	DIR *folder = opendir("/sys/class/infiniband/tally0/device/infiniband_verbs");
	struct dirent *entry;

	REQUIRE(folder, "tally0");
	do
		entry = readdir(folder);
	while (entry && entry->d_name[0] == '.');
	REQUIRE(entry, "tally0 has no node");
	snprintf(path, size, "/dev/infiniband/%s", entry->d_name);
	closedir(folder);
}

static void fuzz(const char *path, uint64_t rounds, uint64_t seconds)
{
	time_t begin = time(NULL), told = begin;

	corpus_count = first_programs(corpus, CORPUS_SIZE);
	for (size_t i = 0; i < corpus_count; i++)
		run(path, &corpus[i]);
	report();
	for (uint64_t n = 0; seconds ? time(NULL) < begin + (time_t)seconds : n < rounds; n++) {
		round_of(path);
		if (time(NULL) >= told + REPORT_SECONDS) {
			report();
			told = time(NULL);
		}
	}
	report();
}

int main(int argc, char **argv)
{
	static const struct option options[] = {
		{ "rounds", required_argument, NULL, 'r' },
		{ "seconds", required_argument, NULL, 's' },
		{ "seed", required_argument, NULL, 'S' },
		{},
	};
	uint64_t rounds = 1000, seconds = 0;
	char path[300];
	bool guided;
	int option;

	REQUIRE(getrandom(&random_state, sizeof(random_state), 0) == sizeof(random_state), "seed");
	while ((option = getopt_long(argc, argv, "", options, NULL)) != -1) {
		REQUIRE(option != '?', "usage: fuzz_uverbs [--rounds N | --seconds N] [--seed S]");
		*(option == 'r' ? &rounds : option == 's' ? &seconds : &random_state) =
			strtoull(optarg, NULL, 0);
	}
	printf("seed %#lx\n", random_state);
	find_node(path, sizeof(path));
	guided = kcov_open();
	fuzz(path, rounds, seconds);
	expect_depth(guided);
	return 0;
}
