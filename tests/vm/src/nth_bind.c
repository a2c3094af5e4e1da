/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Both drivers are bound to device 0 and unbound from it, while calls fail. The first verbs device
 * that is created afterwards must be complete. In between, parts of it that belong to the core
 * (uverbs, its files) may be missing, because the core continues without them.
 */
#include <dirent.h>
#include <fcntl.h>
#include <limits.h>
#include <unistd.h>

#include "check.h"
#include "nth.h"

#define PCI_DRIVER "/sys/bus/pci/drivers/tally"
#define IB_DRIVER "/sys/bus/auxiliary/drivers/tally_ib.rdma"
#define IB_DEVICE "tally.rdma.0"
#define VERBS_DEVICE "/sys/class/infiniband/tally0"

static char function[64]; /* PCI function */

/* The text and the file that it is written to. The file is opened before calls fail. */
static const char *text;
static int fd;

static void aim(const char *driver, const char *file, const char *what)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", driver, file);
	fd = open(path, O_WRONLY | O_CLOEXEC);
	REQUIRE(fd >= 0, "%s", path);
	text = what;
}

static int hit(void)
{
	return write(fd, text, strlen(text)) < 0 ? errno : 0;
}

static bool is_bound(const char *driver, const char *what)
{
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/%s", driver, what);
	return !access(path, F_OK);
}

/* Binds or unbinds a driver without failures, unless this is the current state. */
static void set_bound(const char *driver, const char *what, bool bound)
{
	if (is_bound(driver, what) == bound)
		return;
	aim(driver, bound ? "bind" : "unbind", what);
	REQUIRE(!hit(), "%s %s at %s", bound ? "binding" : "unbinding", what, driver);
	close(fd);
}

/* Returns whether the node in /dev/infiniband can be opened. */
bool has_uverbs(void)
{
	DIR *folder = opendir(VERBS_DEVICE "/device/infiniband_verbs");
	struct dirent *entry;
	char path[PATH_MAX];
	int node = -1;

	if (!folder)
		return false;
	while (node < 0 && (entry = readdir(folder))) {
		snprintf(path, sizeof(path), "/dev/infiniband/%s", entry->d_name);
		if (entry->d_name[0] != '.')
			node = open(path, O_RDWR | O_CLOEXEC);
	}
	closedir(folder);
	if (node >= 0)
		close(node);
	return node >= 0;
}

static void expect_whole(void)
{
	set_bound(PCI_DRIVER, function, true);
	set_bound(IB_DRIVER, IB_DEVICE, true);
	REQUIRE(is_bound(IB_DRIVER, IB_DEVICE) && has_uverbs(), "no verbs device");
}

static void before_ib_bind(void)
{
	set_bound(PCI_DRIVER, function, true);
	set_bound(IB_DRIVER, IB_DEVICE, false);
	aim(IB_DRIVER, "bind", IB_DEVICE);
}

/*
 * If nothing is bound, the next step shows whether binding works. Otherwise the device must be
 * complete, or complete after it is bound again.
 */
static void after(int err)
{
	(void)err;
	close(fd);
	if (is_bound(PCI_DRIVER, function) && is_bound(IB_DRIVER, IB_DEVICE) && !has_uverbs())
		set_bound(IB_DRIVER, IB_DEVICE, false);
}

static void before_ib_unbind(void)
{
	expect_whole();
	aim(IB_DRIVER, "unbind", IB_DEVICE);
}

static void before_pci_bind(void)
{
	set_bound(PCI_DRIVER, function, false);
	aim(PCI_DRIVER, "bind", function);
}

static void before_pci_unbind(void)
{
	expect_whole();
	aim(PCI_DRIVER, "unbind", function);
}

static void find_function(void)
{
	char path[PATH_MAX];

	REQUIRE(realpath(VERBS_DEVICE "/device", path), VERBS_DEVICE);
	snprintf(function, sizeof(function), "%s", strrchr(path, '/') + 1);
}

void sweep_bindings(void)
{
	const struct nth_act acts[] = {
		{ "binding tally_ib", hit, before_ib_bind, after },
		{ "unbinding tally_ib", hit, before_ib_unbind, after },
		{ "binding tally", hit, before_pci_bind, after },
		{ "unbinding tally", hit, before_pci_unbind, after },
	};

	find_function();
	for (size_t i = 0; i < sizeof(acts) / sizeof(acts[0]); i++)
		sweep(&acts[i], &nth_calls);
	expect_whole();
}
