/* SPDX-License-Identifier: BSD-2-Clause */
#include "knobs.h"

#include <fcntl.h>
#include <inttypes.h>
#include <libgen.h>
#include <limits.h>
#include <stdbool.h>
#include <unistd.h>

#include <infiniband/verbs.h>

#include "check.h"

#define WORD_SIZE 64
#define MAKE_IT_FAIL "/proc/thread-self/make-it-fail"

void knobs_open(struct knobs *k, struct ibv_context *context)
{
	char link[PATH_MAX], function[PATH_MAX];

	snprintf(link, sizeof(link), "/sys/class/infiniband/%s/device",
		 ibv_get_device_name(context->device));
	REQUIRE(realpath(link, function), "%s", link);
	snprintf(k->folder, sizeof(k->folder), "/sys/kernel/debug/tally/%.32s/inject",
		 basename(function));
}

static int open_knob(const struct knobs *k, const char *fault, const char *file, int flags)
{
	char path[PATH_MAX];
	int fd;

	snprintf(path, sizeof(path), "%s/%s/%s", k->folder, fault, file);
	fd = open(path, flags | O_CLOEXEC);
	REQUIRE(fd >= 0, "%s", path);
	return fd;
}

/* Returns 0 or an errno. */
static int try_set(const struct knobs *k, const char *fault, const char *file, const char *word)
{
	int fd = open_knob(k, fault, file, O_WRONLY);
	ssize_t n = write(fd, word, strlen(word));
	int err = n < 0 ? errno : 0;

	REQUIRE(n < 0 || (size_t)n == strlen(word), "%s/%s: %s", fault, file, word);
	close(fd);
	return err;
}

void knob_set(const struct knobs *k, const char *fault, const char *file, const char *word)
{
	int err = try_set(k, fault, file, word);

	REQUIRE(!err, "%s/%s: %s: error %d", fault, file, word, err);
}

void knob_number(const struct knobs *k, const char *fault, const char *file, uint64_t number)
{
	char word[WORD_SIZE];

	snprintf(word, sizeof(word), "%" PRIu64 "\n", number);
	knob_set(k, fault, file, word);
}

static void get_word(const struct knobs *k, const char *fault, const char *file,
		     char word[WORD_SIZE])
{
	int fd = open_knob(k, fault, file, O_RDONLY);
	ssize_t n = read(fd, word, WORD_SIZE - 1);

	REQUIRE(n > 0 && word[n - 1] == '\n', "%s/%s: %zd bytes", fault, file, n);
	word[n - 1] = '\0';
	close(fd);
}

void knob_refused(const struct knobs *k, const char *fault, const char *file, const char *word)
{
	char before[WORD_SIZE];
	int err;

	get_word(k, fault, file, before);
	err = try_set(k, fault, file, word);
	REQUIRE(err == EINVAL, "%s/%s: %s: error %d", fault, file, word, err);
	knob_expect(k, fault, file, before);
}

void knob_expect(const struct knobs *k, const char *fault, const char *file, const char *word)
{
	char is[WORD_SIZE];

	get_word(k, fault, file, is);
	REQUIRE(!strcmp(is, word), "%s/%s is %s, not %s", fault, file, is, word);
}

uint64_t knob_read(const struct knobs *k, const char *fault, const char *file)
{
	char word[WORD_SIZE];

	get_word(k, fault, file, word);
	return strtoull(word, NULL, 0);
}

static bool has_knob(const struct knobs *k, const char *fault, const char *file)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s/%s", k->folder, fault, file);
	return !access(path, F_OK);
}

void let_fail(bool on)
{
	int fd = open(MAKE_IT_FAIL, O_WRONLY | O_CLOEXEC);

	REQUIRE(fd >= 0 && write(fd, on ? "1" : "0", 1) == 1, MAKE_IT_FAIL);
	close(fd);
}

/* The driver's faults are fault_attr of the kernel, those of the NIC are not. */
static void set_nth(const struct knobs *k, const char *fault, unsigned int n)
{
	if (!has_knob(k, fault, "space")) {
		knob_number(k, fault, "interval", n);
		return;
	}
	knob_number(k, fault, "space", n);
	/*
	 * Interrupts belong to no task, and the driver's own task requests resets, so these have no
	 * task filter.
	 */
	knob_set(k, fault, "task-filter",
		 strcmp(fault, "lost_interrupt") && strcmp(fault, "device_reset") ? "Y" : "N");
	let_fail(true);
}

void fail_nth(const struct knobs *k, const char *fault, const char *filter, unsigned int n)
{
	if (has_knob(k, fault, "filter"))
		knob_set(k, fault, "filter", filter ? filter : "any");
	knob_number(k, fault, "times", 1);
	set_nth(k, fault, n);
	knob_number(k, fault, "probability", 100);
}

void fault_off(const struct knobs *k, const char *fault)
{
	knob_number(k, fault, "probability", 0);
}
