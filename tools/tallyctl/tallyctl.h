/* SPDX-License-Identifier: BSD-2-Clause */
/* Declarations shared by the files of tallyctl. */
#ifndef TALLY_TOOLS_TALLYCTL_H
#define TALLY_TOOLS_TALLYCTL_H

#include <json-c/json.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Exit status for an invalid command line. */
#define EXIT_USAGE	2

struct options {
	bool json;		/* machine-readable output */
	bool all;		/* also print counters that are zero */
	const char *control;	/* the simulator's socket or folder; NULL: not given */
	const char *sysfs, *debugfs;	/* mount points */
	const char *group;	/* NULL: all groups */
	char **words;		/* the command line without options: command, arguments */
	int num_words;
};

/* errors.c: writes "tallyctl: <message>\n" to stderr; returns EXIT_FAILURE. */
int report_error(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* ---- host.c: commands for a simulator. Each returns the exit status. ---- */
int cmd_fault(const struct options *opt);
int cmd_links(const struct options *opt);
int cmd_switches(const struct options *opt);
int cmd_nics(const struct options *opt);

/* ---- guest.c: commands for the devices of this machine. Each returns the exit status. ---- */
int cmd_devices(const struct options *opt);
int cmd_groups(const struct options *opt);
int cmd_segs(const struct options *opt);
int cmd_edges(const struct options *opt);
int cmd_counters(const struct options *opt);
int cmd_arrivals(const struct options *opt);

/* ---- request.c ---- */

/*
 * Sends the line @request to the simulator and returns its answer, which the caller puts. Returns
 * NULL after printing the error, also if the answer is an error.
 */
struct json_object *ask(const struct options *opt, const char *request);

/* ---- lines.c ---- */

/*
 * Parses @text, lines of "type key=value ...", and appends each line of type @type to the array
 * @rows as an object. Decimal values become numbers, others strings, with octal escapes replaced.
 * Returns 0, or -1 with a sentence in @err that names the line and the token.
 */
int lines_read(const char *text, const char *type, struct json_object *rows, char *err,
	       size_t err_len);

/* ---- sysfs.c ---- */

struct device {
	char name[64];		/* as in /sys/class/infiniband */
	char pci[64];		/* name of its PCI function */
};

/*
 * Finds the Tally devices of this machine, sorted by name, or only opt->words[1] if given. The
 * caller frees @devices. Returns their number, above 0, or -1 after printing the error.
 */
int devices_find(const struct options *opt, struct device **devices);

/* Returns the content of a file, NUL-terminated, to be freed; NULL: errno is set. */
char *file_read(const char *path);

/* Returns the file @name of a device in sysfs without its newline; NULL: no such file. */
struct json_object *sysfs_text(const struct options *opt, const struct device *dev,
			       const char *name);

/* Returns the device's hardware counters, to be put; NULL: error printed. */
struct json_object *sysfs_counters(const struct options *opt, const struct device *dev);

/* ---- table.c ---- */

struct column {
	const char *key;	/* key in the rows' objects */
	const char *header;	/* NULL: the key */
};

/* Prints an array of objects; a missing value is "-". The list of columns ends with a NULL key. */
void table_print(FILE *to, struct json_object *rows, const struct column *columns);

/* Prints @object as JSON. */
void json_print(FILE *to, struct json_object *object);

#endif
