// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Creation and destruction of devices and contexts, on the fake kernel. */
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "objects.h"

/* ---- Devices ---- */
static void write_file(const char *folder, const char *name, const char *text)
{
	char path[256];
	FILE *file;

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	file = fopen(path, "w");
	assert_non_null(file);
	fputs(text, file);
	fclose(file);
}

/* A folder with the files that sysfs has for a device and its driver. */
static void matching(void **state)
{
	char folder[] = "/tmp/tally_match_XXXXXX", path[128];
	struct verbs_sysfs_dev dev = { .driver_id = 0 };

	(void)state;
	assert_non_null(mkdtemp(folder));
	snprintf(dev.ibdev_path, sizeof(dev.ibdev_path), "%s", folder);
	assert_false(provider_ops->match_device(&dev));
	snprintf(path, sizeof(path), "%s/device", folder);
	assert_int_equal(mkdir(path, 0700), 0);
	write_file(path, "modalias", "pci:v00001AF4d00001110sv00001AF4sd00001100bc05sc00i00\n");
	/* The device has no driver. */
	assert_false(provider_ops->match_device(&dev));
	snprintf(path, sizeof(path), "%s/device/driver", folder);
	assert_int_equal(symlink("../../../../bus/pci/drivers/tally", path), 0);
	assert_true(provider_ops->match_device(&dev));
	assert_int_equal(unlink(path), 0);
	assert_int_equal(symlink("../../../../bus/pci/drivers/other", path), 0);
	assert_false(provider_ops->match_device(&dev));
	dev.driver_id = TALLY_RDMA_DRIVER_ID;
	assert_true(provider_ops->match_device(&dev));
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/device/modalias", folder);
	assert_int_equal(unlink(path), 0);
	snprintf(path, sizeof(path), "%s/device", folder);
	assert_int_equal(rmdir(path), 0);
	assert_int_equal(rmdir(folder), 0);
}

static void no_memory_for_a_device(void **state)
{
	(void)state;
	faults = (struct faults){ .at = 1 };
	assert_null(provider_ops->alloc_device(NULL));
	faults.at = 0;
}

/* ---- Contexts ---- */
static void context_attributes(void **state)
{
	struct objects *o = *state;
	struct tallydv_device_attr attr = {};
	struct tallydv_type_attr type = {};
	struct ibv_device_attr_ex dev;
	struct ibv_port_attr port;

	assert_true(tallydv_is_supported(o->device));
	assert_int_equal(tallydv_query_device(o->context, &attr), 0);
	assert_int_equal(attr.caps, kernel.resp.caps);
	assert_int_equal(attr.max_segs, 100);
	assert_int_equal(attr.opcodes, UINT32_MAX);
	assert_int_equal(tallydv_query_type(o->context, TALLY_TYPE_FP64, &type), 0);
	assert_int_equal(type.size, 8);
	assert_int_equal(tallydv_query_op(o->context, TALLY_OPCODE_ALLREDUCE, TALLY_OP_SUM,
					  TALLY_TYPE_FP64), TALLY_COLL_OK);
	assert_int_equal(tally_query_device_ex(o->context, NULL, &dev, sizeof(dev)), 0);
	assert_string_equal(dev.orig_attr.fw_ver, "1.2.3");
	assert_int_equal(dev.orig_attr.max_qp, 321);
	assert_int_equal(tally_query_port(o->context, 1, &port), 0);
	assert_int_equal(port.state, IBV_PORT_ACTIVE);
}

/* Opcodes that no mode of the device offers. */
static void a_device_without_modes(void **state)
{
	struct objects *o = calloc(1, sizeof(*o));

	(void)state;
	kernel_reset();
	kernel.resp.caps = TALLY_CAP_TREE;
	o->device = device_new();
	o->context = context_open(o->device);
	assert_non_null(o->context);
	assert_int_equal(tallydv_query_op(o->context, TALLY_OPCODE_REDUCE, TALLY_OP_SUM,
					  TALLY_TYPE_FP64), TALLY_COLL_OK);
	assert_int_equal(tallydv_query_op(o->context, TALLY_OPCODE_ALLGATHER, TALLY_OP_NONE,
					  TALLY_TYPE_FP64), TALLY_COLL_BAD_MODE);
	state = (void **)&o;
	context_teardown(state);
}

/* A device of another provider in the same program. */
static void foreign_devices(void **state)
{
	static const struct verbs_device_ops ops;
	struct verbs_device vdev = { .ops = &ops };
	struct ibv_context context = { .device = &vdev.device };
	struct tallydv_device_attr attr = {};
	struct tallydv_type_attr type = {};
	struct tallydv_group_attr group = {};
	struct tallydv_group_attach_attr attach = {};
	struct ibv_qp_init_attr_ex qp = {};
	struct tallydv_qp_init_attr dv = {};
	char why[64];

	(void)state;
	assert_false(tallydv_is_supported(&vdev.device));
	assert_int_equal(tallydv_query_device(&context, &attr), EOPNOTSUPP);
	assert_int_equal(tallydv_query_type(&context, TALLY_TYPE_FP64, &type), EOPNOTSUPP);
	assert_int_equal(tallydv_query_op(&context, TALLY_OPCODE_BARRIER, 0, 0),
			 TALLY_COLL_NO_GROUP);
#define ASSERT_FOREIGN(call) (errno = 0, assert_null(call), assert_int_equal(errno, EOPNOTSUPP))
#define ASSERT_TOLD(call) \
	(why[0] = 0, ASSERT_FOREIGN(call), \
	 assert_string_equal(why, "context: is not of a Tally NIC"))
	ASSERT_FOREIGN(tallydv_alloc_seg(&context, 8));
	ASSERT_FOREIGN(tallydv_create_group(&context, &group, NULL, 0));
	ASSERT_TOLD(tallydv_create_group(&context, &group, why, sizeof(why)));
	ASSERT_TOLD(tallydv_attach_group(&context, &attach, why, sizeof(why)));
	ASSERT_TOLD(tallydv_create_qp(&context, &qp, &dv, why, sizeof(why)));
#undef ASSERT_TOLD
#undef ASSERT_FOREIGN
}

/* The wake-up register must be within its page, and aligned. */
static void bad_wake_up_register(void **state)
{
	static const uint32_t offsets[] = { TALLY_PAGE_SIZE - 3, TALLY_PAGE_SIZE, UINT32_MAX, 2 };
	struct ibv_device *device;

	(void)state;
	for (unsigned int i = 0; i < sizeof(offsets) / sizeof(offsets[0]); i++) {
		kernel_reset();
		device = device_new();
		kernel.resp.wake_page_offset = offsets[i];
		assert_null(context_open(device));
		assert_int_equal(errno, EPROTO);
		assert_int_equal(faults.mappings, 0);
		device_free(device);
	}
}

/* A device that never sleeps has no such page, and need_wake means nothing. */
static void without_wake_up_register(void **state)
{
	struct ibv_device *device;
	struct ibv_context *context;
	struct ibv_cq *cq;

	(void)state;
	kernel_reset();
	kernel.resp.wake_value = 0;
	device = device_new();
	context = context_open(device);
	assert_non_null(context);
	assert_int_equal(faults.mappings, 1);
	kernel_status()->need_wake = htole32(1);
	cq = ibv_create_cq(context, 3, NULL, NULL, 0);
	assert_non_null(cq);
	assert_int_equal(ibv_req_notify_cq(cq, 0), 0);
	assert_int_equal(ibv_destroy_cq(cq), 0);
	assert_int_equal(ibv_close_device(context), 0);
	device_free(device);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(matching),
		cmocka_unit_test(no_memory_for_a_device),
		cmocka_unit_test(foreign_devices),
		cmocka_unit_test(bad_wake_up_register),
		cmocka_unit_test(without_wake_up_register),
		cmocka_unit_test(a_device_without_modes),
		cmocka_unit_test_setup_teardown(context_attributes, context_setup, context_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
