// SPDX-License-Identifier: BSD-2-Clause
#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "gen/tally_hw.h"
#include "tallyctl.h"

#define DRIVER	"tally"		/* driver of the PCI function */

char *file_read(const char *path)
{
	FILE *file = fopen(path, "re");
	char *text = NULL;
	size_t size = 0;
	int err = 0;

	if (!file)
		return NULL;
	/* After an error, or at the end of the file, the buffer contains no text. */
	if (getdelim(&text, &size, '\0', file) < 0) {
		err = ferror(file) ? errno : 0;
		free(text);
		text = err ? NULL : strdup("");
	}
	fclose(file);
	errno = err;
	return text;
}

/* Writes the last part of the target of the link @path; returns false if it is no link. */
static bool link_name(const char *path, char *name, size_t len)
{
	char *real = realpath(path, NULL);
	const char *last;
	bool fits;

	if (!real)
		return false;
	last = strrchr(real, '/') + 1;
	fits = (size_t)snprintf(name, len, "%s", last) < len;
	free(real);
	return fits;
}

/* Fills in @dev and returns true if @name is a Tally device. */
static bool look_at(const struct options *opt, const char *name, struct device *dev)
{
	char path[PATH_MAX], driver[64];

	if ((size_t)snprintf(dev->name, sizeof(dev->name), "%s", name) >= sizeof(dev->name))
		return false;
	snprintf(path, sizeof(path), "%s/class/infiniband/%s/device", opt->sysfs, name);
	if (!link_name(path, dev->pci, sizeof(dev->pci)))
		return false;
	snprintf(path, sizeof(path), "%s/class/infiniband/%s/device/driver", opt->sysfs, name);
	return link_name(path, driver, sizeof(driver)) && !strcmp(driver, DRIVER);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
	return strverscmp((*a)->d_name, (*b)->d_name);
}

static int no_hidden(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int none_found(const struct options *opt, const char *folder, const char *wanted)
{
	if (wanted)
		report_error("%s: no such Tally device; `tallyctl devices` lists them", wanted);
	else
		report_error("%s: there is no Tally device (are the modules tally and tally_ib "
			     "loaded?)", folder);
	(void)opt;
	return -1;
}

int devices_find(const struct options *opt, struct device **devices)
{
	const char *wanted = opt->num_words > 1 ? opt->words[1] : NULL;
	struct dirent **names;
	char folder[PATH_MAX];
	int n, found = 0;

	snprintf(folder, sizeof(folder), "%s/class/infiniband", opt->sysfs);
	n = scandir(folder, &names, no_hidden, by_name);
	if (n < 0 && errno != ENOENT) {
		report_error("%s: %s", folder, strerror(errno));
		return -1;
	}
	if (n < 0)
		return none_found(opt, folder, wanted);
	*devices = calloc(n + 1, sizeof(**devices));
	for (int i = 0; i < n; i++) {
		if (*devices && (!wanted || !strcmp(wanted, names[i]->d_name)))
			found += look_at(opt, names[i]->d_name, &(*devices)[found]);
		free(names[i]);
	}
	free(names);
	if (*devices && found)
		return found;
	free(*devices);
	return none_found(opt, folder, wanted);
}

struct json_object *sysfs_text(const struct options *opt, const struct device *dev,
			       const char *name)
{
	struct json_object *value;
	char path[PATH_MAX], *text;

	snprintf(path, sizeof(path), "%s/class/infiniband/%s/%s", opt->sysfs, dev->name, name);
	text = file_read(path);
	if (!text)
		return NULL;
	text[strcspn(text, "\n")] = '\0';
	value = json_object_new_string(text);
	free(text);
	return value;
}

/* ---- Counters ---- */

/* Selects files that hold a counter; lifespan is a setting. */
static int is_counter(const struct dirent *entry)
{
	return no_hidden(entry) && strcmp(entry->d_name, "lifespan");
}

static int add_counter(struct json_object *counters, const char *folder, const char *name)
{
	char path[PATH_MAX], *text, *end;
	unsigned long long n;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	text = file_read(path);
	if (!text)
		return report_error("%s: %s", path, strerror(errno));
	errno = 0;
	n = strtoull(text, &end, 10);
	if (end == text || (*end && *end != '\n') || errno) {
		free(text);
		return report_error("%s: not a number", path);
	}
	free(text);
	json_object_object_add(counters, name, json_object_new_uint64(n));
	return 0;
}

#define NAME(name, number, doc)	#name,

/* Adds known counters in the device's order, then others, which a newer driver may have. */
static int add_counters(struct json_object *counters, const char *folder, struct dirent **names,
			int n)
{
	static const char *const known[] = { TALLY_CTR_LIST(NAME) };
	int err = 0;

	for (size_t k = 0; k < sizeof(known) / sizeof(known[0]) && !err; k++)
		for (int i = 0; i < n && !err; i++)
			if (!strcmp(names[i]->d_name, known[k]))
				err = add_counter(counters, folder, known[k]);
	for (int i = 0; i < n && !err; i++)
		if (!json_object_object_get_ex(counters, names[i]->d_name, NULL))
			err = add_counter(counters, folder, names[i]->d_name);
	return err;
}

struct json_object *sysfs_counters(const struct options *opt, const struct device *dev)
{
	struct json_object *counters = json_object_new_object();
	struct dirent **names;
	char folder[PATH_MAX];
	int n, err;

	snprintf(folder, sizeof(folder), "%s/class/infiniband/%s/ports/1/hw_counters", opt->sysfs,
		 dev->name);
	n = scandir(folder, &names, is_counter, by_name);
	if (n < 0) {
		err = report_error("%s: %s", folder, strerror(errno));
	} else {
		err = add_counters(counters, folder, names, n);
		for (int i = 0; i < n; i++)
			free(names[i]);
		free(names);
	}
	if (!err)
		return counters;
	json_object_put(counters);
	return NULL;
}
