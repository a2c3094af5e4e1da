// SPDX-License-Identifier: BSD-2-Clause
/* Sockets and the places of NICs, on a machine that a file describes, and on this one. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <hwloc.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "host/topology.h"

/* An object, with the next number of hwloc's. Sets of CPUs and memory nodes have two attributes. */
#define OBJECT(type, attributes) \
	fprintf(file, "<object type=\"" type "\" gp_index=\"%u\" " attributes ">\n", ++number)
#define SETS(cpus) \
	"cpuset=\"" cpus "\" complete_cpuset=\"" cpus "\" nodeset=\"1\" complete_nodeset=\"1\""
#define END(objects) fputs(objects "\n", file)
#define OBJECT_END "</object>"

/* A NIC is an RDMA device (type 3) of a PCI device. A network device may have the name of another NIC. */
#define NIC(bus, name, other)                                                                    \
	do {                                                                                     \
		OBJECT("Bridge",                                                                 \
		       "bridge_type=\"0-1\" depth=\"0\" bridge_pci=\"0000:[" bus "-" bus "]\""); \
		OBJECT("PCIDev", "pci_busid=\"0000:" bus                                         \
				 ":01.0\" pci_type=\"0500 [1af4:1110] [1af4:1100] 01\" "         \
				 "pci_link_speed=\"0.0\"");                                      \
		OBJECT("OSDev", "osdev_type=\"3\" name=\"" name "\"");                           \
		END(OBJECT_END);                                                                 \
		OBJECT("OSDev", "osdev_type=\"2\" name=\"" other "\"");                          \
		END(OBJECT_END OBJECT_END OBJECT_END);                                           \
	} while (0)

#define SOCKET(index, cpus)                                              \
	do {                                                             \
		OBJECT("Package", "os_index=\"" index "\" " SETS(cpus)); \
		OBJECT("Core", "os_index=\"" index "\" " SETS(cpus));    \
		OBJECT("PU", "os_index=\"" index "\" " SETS(cpus));      \
		END(OBJECT_END OBJECT_END);                              \
	} while (0)

static char path[] = "/tmp/tally-topology-XXXXXX";

/* tally0 and tally2 are at the first of two sockets, tally1 at the second, tally3 at none. */
static void write_machine(FILE *file)
{
	unsigned int number = 0;

	fputs("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<!DOCTYPE topology SYSTEM \"hwloc2.dtd\">\n"
	      "<topology version=\"2.0\">\n",
	      file);
	OBJECT("Machine",
	       "os_index=\"0\" allowed_cpuset=\"0x3\" allowed_nodeset=\"1\" " SETS("0x3"));
	OBJECT("NUMANode", "os_index=\"0\" local_memory=\"1073741824\" " SETS("0x3"));
	END(OBJECT_END);
	SOCKET("0", "0x1");
	NIC("00", "tally0", "tally1");
	NIC("10", "tally2", "eth2");
	END(OBJECT_END);
	SOCKET("1", "0x2");
	NIC("20", "tally1", "tally0");
	END(OBJECT_END);
	NIC("30", "tally3", "eth3");
	END(OBJECT_END "</topology>");
}

static cpu_set_t usual;

static int make_file(void **state)
{
	int fd = mkstemp(path);
	FILE *file = fd < 0 ? NULL : fdopen(fd, "w");

	(void)state;
	if (!file)
		return -1;
	write_machine(file);
	return fclose(file);
}

static int remove_file(void **state)
{
	(void)state;
	return unlink(path);
}

static int setup(void **state)
{
	(void)state;
	setenv("HWLOC_XMLFILE", path, 1);
	setenv("HWLOC_THISSYSTEM", "1", 1);
	return sched_getaffinity(0, sizeof(usual), &usual);
}

static int teardown(void **state)
{
	(void)state;
	unsetenv("HWLOC_XMLFILE");
	return sched_setaffinity(0, sizeof(usual), &usual);
}

/* The processor on which the thread is taken to have run last; -1: the real one. */
static int last_cpu = -1;

int __real_hwloc_get_last_cpu_location(hwloc_topology_t topology, hwloc_cpuset_t set, int flags);
int __wrap_hwloc_get_last_cpu_location(hwloc_topology_t topology, hwloc_cpuset_t set, int flags);

int __wrap_hwloc_get_last_cpu_location(hwloc_topology_t topology, hwloc_cpuset_t set, int flags)
{
	if (last_cpu < 0)
		return __real_hwloc_get_last_cpu_location(topology, set, flags);
	return hwloc_bitmap_only(set, last_cpu);
}

/* The file's topology for a thread that is bound to processors of a mask. */
static struct tc_topology *open_on(unsigned long cpus)
{
	struct tc_topology *t;
	cpu_set_t set;

	CPU_ZERO(&set);
	for (unsigned int i = 0; i < 2; i++)
		if (cpus >> i & 1)
			CPU_SET(i, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		skip();
	t = tc_topology_open();
	assert_non_null(t);
	return t;
}

static void test_a_bound_thread_knows_its_socket(void **state)
{
	(void)state;
	for (uint32_t socket = 0; socket < 2; socket++) {
		struct tc_topology *t = open_on(1 << socket);

		assert_int_equal(tc_topology_socket(t), socket);
		tc_topology_close(t);
	}
}

static void test_a_nic_of_the_socket_is_nearer(void **state)
{
	for (uint32_t socket = 0; socket < 2; socket++) {
		struct tc_topology *t = open_on(1 << socket);
		unsigned int near = tc_topology_nearness(t, socket ? "tally1" : "tally0");
		unsigned int far = tc_topology_nearness(t, socket ? "tally0" : "tally1");

		assert_true(near > far);
		assert_int_equal(tc_topology_nearness(t, "tally2"), socket ? far : near);
		/* Of a socket that is not known, or of a device that is not there. */
		assert_int_equal(tc_topology_nearness(t, "tally3"), far);
		assert_int_equal(tc_topology_nearness(t, "tally4"), 0);
		tc_topology_close(t);
	}
	(void)state;
}

static void test_all_are_equal_for_a_thread_of_both_sockets(void **state)
{
	struct tc_topology *t = open_on(3);

	(void)state;
	assert_int_equal(tc_topology_nearness(t, "tally0"), tc_topology_nearness(t, "tally1"));
	assert_int_equal(tc_topology_nearness(t, "tally0"), tc_topology_nearness(t, "tally3"));
	assert_true(tc_topology_socket(t) < 2);
	tc_topology_close(t);
}

static void test_a_thread_of_both_sockets_is_where_it_runs(void **state)
{
	(void)state;
	for (last_cpu = 1; last_cpu >= 0; last_cpu--) {
		struct tc_topology *t = open_on(3);

		assert_int_equal(tc_topology_socket(t), last_cpu);
		tc_topology_close(t);
	}
}

static void test_this_machine_and_an_unknown_one(void **state)
{
	struct tc_topology *t;

	(void)state;
	unsetenv("HWLOC_XMLFILE");
	t = tc_topology_open();
	assert_non_null(t);
	tc_topology_close(t);
	assert_int_equal(tc_topology_socket(NULL), 0);
	assert_int_equal(tc_topology_nearness(NULL, "tally0"), 0);
	tc_topology_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(test_a_bound_thread_knows_its_socket, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_a_nic_of_the_socket_is_nearer, setup,
						teardown),
		cmocka_unit_test_setup_teardown(test_all_are_equal_for_a_thread_of_both_sockets,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_a_thread_of_both_sockets_is_where_it_runs,
						setup, teardown),
		cmocka_unit_test_setup_teardown(test_this_machine_and_an_unknown_one, setup,
						teardown),
	};

	return cmocka_run_group_tests(tests, make_file, remove_file);
}
