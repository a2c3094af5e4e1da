/* SPDX-License-Identifier: BSD-2-Clause */
/* What the files of tallyctl share. */
#ifndef TALLY_TOOLS_TALLYCTL_H
#define TALLY_TOOLS_TALLYCTL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit status for a command line that makes no sense. */
#define EXIT_USAGE	2

struct options {
	bool json;		/* machine-readable output */
	bool all;		/* also what is zero */
	const char *control;	/* the simulator's socket or folder; NULL: not given */
	const char *sysfs, *debugfs;	/* where they are mounted */
	const char *group;	/* NULL: every one */
	char **words;		/* the command line without options: command, arguments */
	int num_words;
};

/* complain.c: writes "tallyctl: <message>\n" to stderr; returns EXIT_FAILURE. */
int complain(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- host.c: what a simulator is asked. Each returns the exit status. ---- */
int cmd_fault(const struct options *opt);
int cmd_links(const struct options *opt);
int cmd_switches(const struct options *opt);
int cmd_nics(const struct options *opt);

/* ---- guest.c: what a driver says. ---- */
int cmd_devices(const struct options *opt);
int cmd_groups(const struct options *opt);
int cmd_segs(const struct options *opt);
int cmd_edges(const struct options *opt);
int cmd_counters(const struct options *opt);
int cmd_arrivals(const struct options *opt);

/* ---- request.c ---- */

/*
 * Sends the line @request to the simulator and returns its answer, owned by the caller; NULL after
 * saying what failed, also when the answer is an error.
 */
struct json_object *ask(const struct options *opt, const char *request);

/* ---- lines.c ---- */

/*
 * Reads @text, lines of "type key=value ...", and appends each line of type @type to the array
 * @rows as an object. Decimal values become numbers, others strings, with octal escapes undone.
 * Returns 0, or -1 with a sentence in @err that names line and token.
 */
int lines_read(const char *text, const char *type, struct json_object *rows, char *err,
	       size_t err_len);

/* ---- sysfs.c ---- */

struct device {
	char name[64];		/* as in /sys/class/infiniband */
	char pci[64];		/* the name of its PCI function */
};

/*
 * The Tally devices of this machine, by name, into @devices, which the caller frees; only the one
 * called opt->words[1] if that is given. Returns how many, above 0; or -1 after saying what failed.
 */
int devices_find(const struct options *opt, struct device **devices);

/* The content of a file, with its end, for the caller to free. NULL: errno. */
char *file_read(const char *path);

/* The file @name of a device in sysfs, without its newline, as a string; NULL: not there. */
struct json_object *sysfs_text(const struct options *opt, const struct device *dev,
			       const char *name);

/*
 * The device's hardware counters, an object that the caller owns; NULL after saying what failed.
 */
struct json_object *sysfs_counters(const struct options *opt, const struct device *dev);

/* ---- table.c ---- */

struct column {
	const char *key;	/* of the rows' objects */
	const char *header;	/* NULL: the key */
};

/* Prints an array of objects; what an object does not have is "-". Ends with the last key NULL. */
void table_print(FILE *to, struct json_object *rows, const struct column *columns);

/* Prints @object as JSON. */
void json_print(FILE *to, struct json_object *object);

#endif
