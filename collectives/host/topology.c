// SPDX-License-Identifier: BSD-2-Clause
#include "host/topology.h"

#include <hwloc.h>
#include <stdlib.h>
#include <string.h>

struct tc_topology {
	hwloc_topology_t topology;
	hwloc_obj_t here; /* the smallest part of the machine that has all CPUs of this thread */
	uint32_t socket;
};

/* Returns the smallest part that has the CPUs which @find tells. */
static hwloc_obj_t covering(hwloc_topology_t topology,
			    int (*find)(hwloc_topology_t, hwloc_cpuset_t, int))
{
	hwloc_cpuset_t cpus = hwloc_bitmap_alloc();
	hwloc_obj_t part = NULL;

	if (cpus && !find(topology, cpus, HWLOC_CPUBIND_THREAD))
		part = hwloc_get_obj_covering_cpuset(topology, cpus);
	hwloc_bitmap_free(cpus);
	return part ? part : hwloc_get_root_obj(topology);
}

static hwloc_obj_t package_of(hwloc_topology_t topology, hwloc_obj_t part)
{
	return part->type == HWLOC_OBJ_PACKAGE ?
		       part :
		       hwloc_get_ancestor_obj_by_type(topology, HWLOC_OBJ_PACKAGE, part);
}

static void locate(struct tc_topology *t)
{
	hwloc_obj_t package;

	t->here = covering(t->topology, hwloc_get_cpubind);
	package = package_of(t->topology, t->here);
	if (!package)
		package =
			package_of(t->topology, covering(t->topology, hwloc_get_last_cpu_location));
	t->socket = package ? package->logical_index : 0;
}

/*
 * Leaves out what asks drivers and servers about GPUs, which takes time in each process of a job, and
 * libpciaccess, which never gives its memory back: the system's files tell where PCI devices are.
 */
static void leave_out(hwloc_topology_t topology)
{
	static const char *const components[] = { "pci",  "opencl", "cuda",	"nvml",
						  "rsmi", "gl",	    "levelzero" };

	for (size_t i = 0; i < sizeof(components) / sizeof(components[0]); i++)
		hwloc_topology_set_components(topology, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST,
					      components[i]);
}

/* Devices of all classes: simulated NICs of a VM are memory controllers. */
struct tc_topology *tc_topology_open(void)
{
	struct tc_topology *t = calloc(1, sizeof(*t));

	if (!t || hwloc_topology_init(&t->topology)) {
		free(t);
		return NULL;
	}
	leave_out(t->topology);
	if (hwloc_topology_set_io_types_filter(t->topology, HWLOC_TYPE_FILTER_KEEP_ALL) ||
	    hwloc_topology_load(t->topology)) {
		tc_topology_close(t);
		return NULL;
	}
	locate(t);
	return t;
}

void tc_topology_close(struct tc_topology *t)
{
	if (t)
		hwloc_topology_destroy(t->topology);
	free(t);
}

uint32_t tc_topology_socket(const struct tc_topology *t)
{
	return t ? t->socket : 0;
}

static hwloc_obj_t find_device(hwloc_topology_t topology, const char *name)
{
	hwloc_obj_t device = NULL;

	while ((device = hwloc_get_next_osdev(topology, device)))
		if (device->attr->osdev.type == HWLOC_OBJ_OSDEV_OPENFABRICS &&
		    !strcmp(device->name, name))
			break;
	return device;
}

/* The depth of the smallest part of the machine that has both. */
unsigned int tc_topology_nearness(const struct tc_topology *t, const char *name)
{
	hwloc_obj_t device = t ? find_device(t->topology, name) : NULL;
	hwloc_obj_t part = device ? hwloc_get_non_io_ancestor_obj(t->topology, device) : NULL;

	return part ? hwloc_get_common_ancestor_obj(t->topology, part, t->here)->depth : 0;
}
