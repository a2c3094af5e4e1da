// SPDX-License-Identifier: BSD-2-Clause
/* Commands for the devices of this machine. */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "tallyctl.h"

/* ---- debugfs ---- */

/* Prints why the file @path could not be read. */
static int debugfs_failed(const struct options *opt, const char *path, int err)
{
	switch (err) {
	case EACCES:
	case EPERM:
		return report_error("%s: %s; debugfs is for root only", path, strerror(err));
	case ENOENT:
		return report_error("%s: no such file; is debugfs mounted (mount -t debugfs none "
				    "%s), and does the driver have it?", path, opt->debugfs);
	case ETIMEDOUT:
	case EIO:
		return report_error("%s: the device does not answer", path);
	default:
		return report_error("%s: %s", path, strerror(err));
	}
}

/*
 * Appends the objects of @type in the file @name of @dev to @rows. Returns 0, or EXIT_FAILURE after
 * printing the error.
 */
static int debugfs_rows(const struct options *opt, const struct device *dev, const char *name,
			const char *type, struct json_object *rows)
{
	size_t before = json_object_array_length(rows);
	char path[PATH_MAX], err[256], *text;
	int bad;

	snprintf(path, sizeof(path), "%s/tally/%s/%s", opt->debugfs, dev->pci, name);
	text = file_read(path);
	if (!text)
		return debugfs_failed(opt, path, errno);
	bad = lines_read(text, type, rows, err, sizeof(err));
	free(text);
	if (bad)
		return report_error("%s: %s", path, err);
	for (size_t i = before; i < json_object_array_length(rows); i++)
		json_object_object_add(json_object_array_get_idx(rows, i), "device",
				       json_object_new_string(dev->name));
	return 0;
}

/* --group takes a device's group number, or a job id with 0x. */
static bool is_wanted(const struct options *opt, struct json_object *row)
{
	struct json_object *value;
	const char *key = opt->group && !strncmp(opt->group, "0x", 2) ? "jid" : "group";

	if (!opt->group)
		return true;
	if (!json_object_object_get_ex(row, key, &value))
		return false;
	return strtoull(json_object_get_string(value), NULL, 0) == strtoull(opt->group, NULL, 0);
}

static struct json_object *filtered(const struct options *opt, struct json_object *rows)
{
	struct json_object *left = json_object_new_array();

	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i);

		if (is_wanted(opt, row))
			json_object_array_add(left, json_object_get(row));
	}
	json_object_put(rows);
	return left;
}

/* Returns the rows of all selected devices, to be put; NULL: error printed. */
static struct json_object *collect(const struct options *opt, const char *name, const char *type)
{
	struct json_object *rows;
	struct device *devices;
	int n, bad = 0;

	n = devices_find(opt, &devices);
	if (n < 0)
		return NULL;
	rows = json_object_new_array();
	for (int i = 0; i < n && !bad; i++)
		bad = debugfs_rows(opt, &devices[i], name, type, rows);
	free(devices);
	if (!bad)
		return filtered(opt, rows);
	json_object_put(rows);
	return NULL;
}

static void print_rows(const struct options *opt, const char *name, struct json_object *rows,
		       const struct column *columns)
{
	struct json_object *top;

	if (!opt->json) {
		table_print(stdout, rows, columns);
		return;
	}
	top = json_object_new_object();
	json_object_object_add(top, name, json_object_get(rows));
	json_print(stdout, top);
	json_object_put(top);
}

static int show(const struct options *opt, const char *name, const char *type,
		const struct column *columns)
{
	struct json_object *rows = collect(opt, name, type);

	if (!rows)
		return EXIT_FAILURE;
	print_rows(opt, name, rows, columns);
	json_object_put(rows);
	return EXIT_SUCCESS;
}

int cmd_groups(const struct options *opt)
{
	static const struct column columns[] = {
		{ "device", NULL }, { "group", NULL }, { "jid", NULL }, { "life", NULL },
		{ "state", NULL }, { "status", NULL }, { "mode", NULL }, { "modes", NULL },
		{ "rounds", NULL },
		{ "node", NULL },
		{ "num_nodes", "nodes" }, { "rank_mask", "ranks" }, { "held", NULL },
		{ "num_segs", "segs" }, { "max_segs", NULL }, { "epoch", NULL }, { "done", NULL },
		{ "pid", NULL }, { "comm", "command" }, { NULL, NULL },
	};

	return show(opt, "groups", "group", columns);
}

int cmd_edges(const struct options *opt)
{
	static const struct column columns[] = {
		{ "device", NULL }, { "group", NULL }, { "jid", NULL }, { "role", NULL },
		{ "index", NULL }, { "round", NULL }, { "position", "place" }, { "roles", NULL },
		{ "state", NULL }, { "mac", NULL }, { "subtree_first", "first" },
		{ "subtree_count", "nodes" }, { "peer_done", NULL }, { "outstanding", "waiting" },
		{ "retries", NULL }, { "sent", NULL }, { "retransmits", "resent" },
		{ "received", NULL }, { "duplicates", NULL }, { "busy", NULL }, { NULL, NULL },
	};

	return show(opt, "edges", "edge", columns);
}

/* Adds the time from the last arrival to the end of the message, to rows that have both. */
static void add_finish(struct json_object *rows)
{
	for (size_t i = 0; i < json_object_array_length(rows); i++) {
		struct json_object *row = json_object_array_get_idx(rows, i), *last, *done;

		if (!json_object_object_get_ex(row, "last_ns", &last) ||
		    !json_object_object_get_ex(row, "done_ns", &done) || !json_object_get_int64(done))
			continue;
		json_object_object_add(row, "finish_ns",
				       json_object_new_int64(json_object_get_int64(done) -
							     json_object_get_int64(last)));
	}
}

int cmd_arrivals(const struct options *opt)
{
	static const struct column columns[] = {
		{ "device", NULL }, { "group", NULL }, { "jid", NULL }, { "mid", NULL },
		{ "opcode", NULL }, { "op", NULL }, { "type", NULL }, { "count", NULL },
		{ "ranks", NULL }, { "contributors", NULL }, { "last", NULL },
		{ "first_ns", NULL }, { "skew_ns", NULL }, { "finish_ns", NULL }, { NULL, NULL },
	};
	struct json_object *rows = collect(opt, "arrivals", "arrival");

	if (!rows)
		return EXIT_FAILURE;
	add_finish(rows);
	print_rows(opt, "arrivals", rows, columns);
	json_object_put(rows);
	return EXIT_SUCCESS;
}

int cmd_segs(const struct options *opt)
{
	static const struct column range_columns[] = {
		{ "device", NULL }, { "base", NULL }, { "count", NULL }, { "state", NULL },
		{ "group", NULL }, { "jid", NULL }, { "pid", NULL }, { "comm", "command" },
		{ NULL, NULL },
	};
	static const struct column slot_columns[] = {
		{ "device", NULL }, { "index", NULL }, { "group", NULL }, { "jid", NULL },
		{ "state", NULL }, { "opcode", NULL }, { "op", NULL }, { "type", NULL },
		{ "num", NULL }, { "mid", NULL }, { "sid", NULL }, { "contributors", NULL },
		{ "ranks", NULL }, { "receivers", NULL }, { "deliver", NULL }, { NULL, NULL },
	};
	struct json_object *ranges = collect(opt, "segs", "range"), *slots, *top;

	slots = ranges ? collect(opt, "segs", "seg") : NULL;
	if (!slots) {
		json_object_put(ranges);
		return EXIT_FAILURE;
	}
	top = json_object_new_object();
	json_object_object_add(top, "ranges", ranges);
	json_object_object_add(top, "segs", slots);
	if (opt->json) {
		json_print(stdout, top);
	} else {
		table_print(stdout, ranges, range_columns);
		if (json_object_array_length(slots)) {
			printf("\n");
			table_print(stdout, slots, slot_columns);
		}
	}
	json_object_put(top);
	return EXIT_SUCCESS;
}

/* ---- sysfs ---- */

/* Adds the fields of the driver's line, if debugfs can be read; devices are listed anyway. */
static void add_driver_line(const struct options *opt, const struct device *dev,
			    struct json_object *to)
{
	struct json_object *rows = json_object_new_array();
	char path[PATH_MAX], err[256], *text;

	snprintf(path, sizeof(path), "%s/tally/%s/device", opt->debugfs, dev->pci);
	text = file_read(path);
	if (text && !lines_read(text, "device", rows, err, sizeof(err)) &&
	    json_object_array_length(rows)) {
		json_object_object_foreach(json_object_array_get_idx(rows, 0), key, value)
			if (!json_object_object_get_ex(to, key, NULL))
				json_object_object_add(to, key, json_object_get(value));
	}
	free(text);
	json_object_put(rows);
}

static struct json_object *device_row(const struct options *opt, const struct device *dev)
{
	static const struct {
		const char *key, *file;
	} files[] = {
		{ "node_guid", "node_guid" }, { "gid", "ports/1/gids/0" },
		{ "port", "ports/1/state" }, { "firmware", "fw_ver" },
	};
	struct json_object *row = json_object_new_object();

	json_object_object_add(row, "device", json_object_new_string(dev->name));
	json_object_object_add(row, "pci", json_object_new_string(dev->pci));
	for (size_t i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		struct json_object *value = sysfs_text(opt, dev, files[i].file);

		if (value)
			json_object_object_add(row, files[i].key, value);
	}
	add_driver_line(opt, dev, row);
	return row;
}

int cmd_devices(const struct options *opt)
{
	static const struct column columns[] = {
		{ "device", NULL }, { "pci", NULL }, { "mac", NULL }, { "gid", NULL },
		{ "port", NULL }, { "dead", NULL }, { "abi", NULL }, { "engine", NULL },
		{ "wire", NULL }, { "kind", NULL }, { "caps", NULL }, { NULL, NULL },
	};
	struct json_object *rows;
	struct device *devices;
	int n = devices_find(opt, &devices);

	if (n < 0)
		return EXIT_FAILURE;
	rows = json_object_new_array();
	for (int i = 0; i < n; i++)
		json_object_array_add(rows, device_row(opt, &devices[i]));
	free(devices);
	print_rows(opt, "devices", rows, columns);
	json_object_put(rows);
	return EXIT_SUCCESS;
}

/* Returns whether the counter is nonzero on any device. */
static bool counts(struct json_object *devices, const char *key)
{
	json_object_object_foreach(devices, name, counters) {
		struct json_object *value;

		(void)name;
		if (json_object_object_get_ex(counters, key, &value) && json_object_get_uint64(value))
			return true;
	}
	return false;
}

/* Prints a row for each counter, with a column for each device. */
static void print_counters(const struct options *opt, struct json_object *devices,
			   const struct device *list, int n)
{
	struct json_object *first, *rows = json_object_new_array();
	struct column *columns = calloc(n + 2, sizeof(*columns));

	if (!columns)
		abort();
	json_object_object_get_ex(devices, list[0].name, &first);
	columns[0] = (struct column){ "counter", NULL };
	for (int i = 0; i < n; i++)
		columns[i + 1] = (struct column){ list[i].name, NULL };
	json_object_object_foreach(first, key, unused) {
		struct json_object *row = json_object_new_object();

		(void)unused;
		json_object_object_add(row, "counter", json_object_new_string(key));
		json_object_object_foreach(devices, name, counters) {
			struct json_object *value;

			if (json_object_object_get_ex(counters, key, &value))
				json_object_object_add(row, name, json_object_get(value));
		}
		if (opt->all || counts(devices, key))
			json_object_array_add(rows, row);
		else
			json_object_put(row);
	}
	table_print(stdout, rows, columns);
	json_object_put(rows);
	free(columns);
}

int cmd_counters(const struct options *opt)
{
	struct json_object *top, *devices;
	struct device *list;
	int n = devices_find(opt, &list), status = EXIT_SUCCESS;

	if (n < 0)
		return EXIT_FAILURE;
	top = json_object_new_object();
	devices = json_object_new_object();
	json_object_object_add(top, "counters", devices);
	for (int i = 0; i < n && status == EXIT_SUCCESS; i++) {
		struct json_object *counters = sysfs_counters(opt, &list[i]);

		if (counters)
			json_object_object_add(devices, list[i].name, counters);
		else
			status = EXIT_FAILURE;
	}
	if (status == EXIT_SUCCESS && opt->json)
		json_print(stdout, top);
	else if (status == EXIT_SUCCESS)
		print_counters(opt, devices, list, n);
	json_object_put(top);
	free(list);
	return status;
}
