/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * nth objects|bindings [NAME [STRIDE]]: for every step in the life of every object, or of binding
 * both drivers to a device, the n-th allocation or copy fails, for n from 1 until none fails any
 * more. The step either fails with an error or succeeds. The objects that it created can be
 * destroyed, and nothing is left behind.
 * nth commands|destroys [NAME]: the same, with the n-th command to the device refused.
 * A STRIDE of 3 tries every third n, for bindings, which take long.
 */
#include "nth.h"

#include <libgen.h>
#include <limits.h>
#include <rdma/rdma_netlink.h>
#include <sys/personality.h>
#include <unistd.h>

#include "check.h"

#define SOON_MS 5000
#define LOOK_PAUSE_US 2000
#define STATE_SIZE 65536

struct nth_world world;

static const char *only; /* only the steps whose names contain it; NULL: all steps */
static unsigned int stride = 1;
static int nldev_fd;
static uint32_t device_index;

static bool is_wanted(const char *name)
{
	return !only || strstr(name, only);
}

/* ---- The device ---- */
void world_open(void)
{
	struct team_spec spec = { .jid = random_jid(), .rto_us = 1 };
	char path[PATH_MAX];

	cluster_open(&world.all);
	world.spare_jid = spec.jid ^ 2;
	world.nic = &world.all.nic[0];
	world.one = (struct cluster){ .count = 1, .nic = { *world.nic } };
	REQUIRE(realpath("/sys/class/infiniband/tally0/device", path), "tally0");
	snprintf(world.function, sizeof(world.function), "%s", basename(path));
	world.mid = 0;
	team_create(&world.team, &world.one, &spec, ALL_NODES);
	port_open(&world.port, world.nic, world.team.group[0], 0, 0);
	expect_barrier(&world.port, &world.team, world.mid++);
	nldev_fd = nldev_open();
	device_index = nldev_index(nldev_fd, "tally0");
}

void world_close(void)
{
	expect_barrier(&world.port, &world.team, world.mid++);
	port_close(&world.port);
	team_destroy(&world.team);
	cluster_close(&world.all);
	close(nldev_fd);
}

/* ---- State of the system ---- */
struct state {
	char groups[STATE_SIZE];
	char segs[STATE_SIZE];
	char held[STATE_SIZE]; /* numbers of objects of the RDMA subsystem, from netlink */
	size_t held_len;
};

/* Removes the value of `key`, which depends on the work done. */
static void forget(char *text, const char *key)
{
	while ((text = strstr(text, key))) {
		text += strlen(key);
		memmove(text, text + strcspn(text, " "), strlen(text + strcspn(text, " ")) + 1);
	}
}

static void look(struct state *s)
{
	REQUIRE(!read_debugfs("groups", s->groups, sizeof(s->groups)), "groups");
	REQUIRE(!read_debugfs("segs", s->segs, sizeof(s->segs)), "segs");
	REQUIRE(!nldev_dump(nldev_fd, RDMA_NLDEV_CMD_RES_GET, &device_index, s->held,
			    sizeof(s->held), &s->held_len), "resources");
	forget(s->groups, " epoch=");
	forget(s->groups, " done=");
}

/* Returns the name of the part that differs, or NULL. */
static const char *difference(const struct state *a, const struct state *b)
{
	if (strcmp(a->groups, b->groups))
		return "groups";
	if (strcmp(a->segs, b->segs))
		return "segments";
	if (a->held_len != b->held_len || memcmp(a->held, b->held, a->held_len))
		return "numbers of objects";
	return NULL;
}

/* Waits until the state is as before, because destroyed groups linger for a while. */
static void expect_state(const struct state *before, const char *name, unsigned int n)
{
	static struct state now;
	uint64_t end = now_ms() + SOON_MS;
	const char *what;

	for (look(&now); (what = difference(&now, before)); look(&now)) {
		REQUIRE(now_ms() < end, "%s, call %u: %s differ; now\n%s%sbefore\n%s%s", name, n, what,
			now.groups, now.segs, before->groups, before->segs);
		usleep(LOOK_PAUSE_US);
	}
}

/* ---- Sweeps ---- */
static const struct nth_fault *fault;

static bool sweep_step(const struct nth_act *act, unsigned int n)
{
	bool hit;
	int err;

	if (act->before)
		act->before();
	fault->begin(n);
	err = act->act();
	hit = fault->end();
	REQUIRE(!err || (hit && fault->is_failure(err)), "%s, call %u%s: error %d (%s)", act->name, n,
		hit ? "" : " and none has failed", err, strerror(err));
	if (act->after)
		act->after(err);
	return hit;
}

static void report(const struct nth_act *act, unsigned int calls)
{
	printf("%s: %u\n", act->name, calls);
	fflush(stdout);
}

void sweep(const struct nth_act *act, const struct nth_fault *of)
{
	unsigned int n = 1;

	fault = of;
	if (!is_wanted(act->name))
		return;
	while (sweep_step(act, n))
		n += stride;
	report(act, n - 1);
}

/* Sweeps an act, and checks after each call that the state is as before. */
static void sweep_clean(const struct nth_act *act)
{
	static struct state before;
	unsigned int n = 0;
	bool hit;

	if (!is_wanted(act->name))
		return;
	look(&before);
	do {
		hit = sweep_step(act, ++n);
		expect_state(&before, act->name, n);
	} while (hit);
	report(act, n - 1);
}

/* ---- An object: created and destroyed while calls fail ---- */
static const struct nth_object *object;

static void before_object(void)
{
	if (object->before)
		object->before();
}

static void after_object(void)
{
	if (object->after)
		object->after();
}

static void after_make(int err)
{
	if (!err)
		REQUIRE(!object->drop(), "%s cannot be dropped", object->name);
	after_object();
}

static void before_drop(void)
{
	before_object();
	REQUIRE(!object->make(), "%s cannot be created", object->name);
}

/*
 * The core destroys a CQ or QP first and reports its events afterwards. This report may fail alone.
 * The next attempt frees the library's part.
 */
static void after_drop(int err)
{
	int again = err ? object->drop() : 0;

	REQUIRE(!again, "%s cannot be destroyed: error %d, then %d",
		object->name, err, again);
	after_object();
}

/*
 * The device does not survive if it refuses a command that destroys an object: sweep_destroys()
 * tests this.
 */
static bool may_drop(void)
{
	return fault == &nth_calls;
}

static void sweep_object(const struct nth_object *o)
{
	char name[64];
	struct nth_act make = { name, o->make, before_object, after_make };
	struct nth_act drop = { name, o->drop, before_drop, after_drop };

	object = o;
	snprintf(name, sizeof(name), "creating %s", o->name);
	sweep_clean(&make);
	if (!may_drop())
		return;
	snprintf(name, sizeof(name), "destroying %s", o->name);
	sweep_clean(&drop);
}

static void sweep_all(const struct nth_fault *of)
{
	fault = of;
	world_open();
	for (size_t i = 0; i < nth_num_contexts; i++)
		sweep_clean(&nth_contexts[i]);
	if (may_drop())
		sweep_clean(&nth_closing);
	for (size_t i = 0; i < nth_num_objects; i++)
		sweep_object(&nth_objects[i]);
	for (size_t i = 0; i < nth_num_acts; i++)
		sweep_clean(&nth_acts[i]);
	world_close();
}

/*
 * Begin again with the addresses of each run alike. Without that, the pages of the device would
 * need a new page table in some runs. If the kernel finds no memory for it, rdma_user_mmap_io()
 * reports EAGAIN, and untrack_pfn() of Linux 6.1 warns.
 */
static void fix_addresses(char **argv)
{
	int now = personality(0xffffffff); /* reads it */

	REQUIRE(now != -1, "personality");
	if (now & ADDR_NO_RANDOMIZE)
		return;
	REQUIRE(personality(now | ADDR_NO_RANDOMIZE) != -1, "personality");
	execv("/proc/self/exe", argv);
	REQUIRE(false, "/proc/self/exe");
}

int main(int argc, char **argv)
{
	const char *what = argc > 1 ? argv[1] : "";

	fix_addresses(argv);
	only = argc > 2 ? argv[2] : NULL;
	stride = argc > 3 ? atoi(argv[3]) : 1;
	REQUIRE(stride, "%s", argv[3]);
	if (!strcmp(what, "objects"))
		sweep_all(&nth_calls);
	else if (!strcmp(what, "bindings"))
		sweep_bindings();
	else if (!strcmp(what, "commands"))
		sweep_all(&nth_commands);
	else if (!strcmp(what, "destroys"))
		sweep_destroys();
	else
		REQUIRE(false, "usage: nth objects|bindings|commands|destroys [NAME [STRIDE]]");
	return 0;
}
