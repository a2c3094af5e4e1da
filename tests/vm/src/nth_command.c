/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The driver's own fault injection: a command is refused, and the device never sees it. A command
 * that creates or queries an object then fails, without further effects. A command that destroys an
 * object must not fail, so the device is given up.
 */
#include <fcntl.h>
#include <unistd.h>

#include "check.h"
#include "knobs.h"
#include "nth.h"
#include "procs.h"

#define FAULT "inject/admin_status/"
#define BACK_MS 60000
#define LOOK_PAUSE_US 50000

static void set(const char *attribute, unsigned int value)
{
	char path[256], text[16];
	int fd, len;

	snprintf(path, sizeof(path), "/sys/kernel/debug/tally/%s/" FAULT "%s", world.function,
		 attribute);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0, "%s", path);
	len = snprintf(text, sizeof(text), "%u", value);
	REQUIRE(write(fd, text, len) == len, "%u to %s", value, path);
	close(fd);
}

/* Calls count from the last line of this function on. */
static void begin(unsigned int n)
{
	let_fail(true);
	set("task-filter", 1);
	set("times", 1);
	set("space", n);
	set("probability", 100);
}

static bool end(void)
{
	char left[16];

	set("probability", 0);
	REQUIRE(!read_debugfs(FAULT "times", left, sizeof(left)), FAULT "times");
	return !atoi(left);
}

/* The injected error is NO_RESOURCE, the default. */
static bool is_failure(int err)
{
	return err == ENOSPC;
}

const struct nth_fault nth_commands = { begin, end, is_failure };

/* ---- Commands that destroy objects ---- */
static unsigned int nth;

/* The process ends, with all its objects, while a command is refused. */
static void leave_full(void *arg)
{
	(void)arg;
	world_open();
	open_full();
	begin(nth);
}

/* A device that has failed reports this until its old verbs device is gone. */
static bool is_back(void)
{
	char text[1024];

	return !read_debugfs("device", text, sizeof(text)) && strstr(text, " dead=0") && has_uverbs();
}

static void await_device(void)
{
	uint64_t limit = now_ms() + BACK_MS;

	while (!is_back()) {
		REQUIRE(now_ms() < limit, "the verbs device does not come back");
		usleep(LOOK_PAUSE_US);
	}
}

void sweep_destroys(void)
{
	world_open();
	world_close();
	do {
		nth++;
		await_device();
		reap(spawn(leave_full, NULL));
	} while (end());
	printf("the end of a process: %u\n", nth - 1);
	await_device();
}
