/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Lists the queue pairs of all RDMA devices, including the driver queue pairs that rdma(8) omits.
 * Each line has device, number, type, state and process id, followed by the driver's own
 * attributes.
 */
#include <netlink/attr.h>
#include <netlink/msg.h>
#include <netlink/netlink.h>
#include <rdma/rdma_netlink.h>

#include "check.h"

#define MAX_DEVICES 64

static struct {
	uint32_t index;
	char name[64];
} devices[MAX_DEVICES];
static unsigned int num_devices;

static int add_device(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];

	(void)arg;
	REQUIRE(!nlmsg_parse(nlmsg_hdr(msg), 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL), "device");
	REQUIRE(num_devices < MAX_DEVICES && tb[RDMA_NLDEV_ATTR_DEV_INDEX] &&
		tb[RDMA_NLDEV_ATTR_DEV_NAME], "device %u", num_devices);
	devices[num_devices].index = nla_get_u32(tb[RDMA_NLDEV_ATTR_DEV_INDEX]);
	nla_strlcpy(devices[num_devices].name, tb[RDMA_NLDEV_ATTR_DEV_NAME],
		    sizeof(devices[num_devices].name));
	num_devices++;
	return NL_OK;
}

static void print_driver(struct nlattr *table)
{
	struct nlattr *entry;
	int left;

	nla_for_each_nested(entry, table, left) {
		switch (nla_type(entry)) {
		case RDMA_NLDEV_ATTR_DRIVER_STRING:
			printf(" %s", nla_get_string(entry));
			break;
		case RDMA_NLDEV_ATTR_DRIVER_U32:
			printf("=%u", nla_get_u32(entry));
			break;
		case RDMA_NLDEV_ATTR_DRIVER_U64:
			printf("=%#lx", nla_get_u64(entry));
			break;
		}
	}
}

static void print_qp(const char *device, struct nlattr *entry)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX];

	REQUIRE(!nla_parse_nested(tb, RDMA_NLDEV_ATTR_MAX - 1, entry, NULL), "queue pair");
	REQUIRE(tb[RDMA_NLDEV_ATTR_RES_LQPN] && tb[RDMA_NLDEV_ATTR_RES_TYPE] &&
		tb[RDMA_NLDEV_ATTR_RES_STATE], "queue pair without number, type or state");
	printf("%s qpn %u type %u state %u pid %u", device,
	       nla_get_u32(tb[RDMA_NLDEV_ATTR_RES_LQPN]), nla_get_u8(tb[RDMA_NLDEV_ATTR_RES_TYPE]),
	       nla_get_u8(tb[RDMA_NLDEV_ATTR_RES_STATE]),
	       tb[RDMA_NLDEV_ATTR_RES_PID] ? nla_get_u32(tb[RDMA_NLDEV_ATTR_RES_PID]) : 0);
	if (tb[RDMA_NLDEV_ATTR_DRIVER])
		print_driver(tb[RDMA_NLDEV_ATTR_DRIVER]);
	printf("\n");
}

static int print_qps(struct nl_msg *msg, void *arg)
{
	struct nlattr *tb[RDMA_NLDEV_ATTR_MAX], *entry;
	int left;

	REQUIRE(!nlmsg_parse(nlmsg_hdr(msg), 0, tb, RDMA_NLDEV_ATTR_MAX - 1, NULL), "answer");
	if (tb[RDMA_NLDEV_ATTR_RES_QP])
		nla_for_each_nested(entry, tb[RDMA_NLDEV_ATTR_RES_QP], left)
			print_qp(arg, entry);
	return NL_OK;
}

/* A `device` of NULL means that the command needs none. */
static void dump(unsigned int command, const uint32_t *device, nl_recvmsg_msg_cb_t each, void *arg)
{
	struct nl_sock *sock = nl_socket_alloc();
	struct nl_msg *msg = nlmsg_alloc_simple(RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
						NLM_F_REQUEST | NLM_F_ACK | NLM_F_DUMP);
	int err;

	REQUIRE(sock && msg, "netlink");
	err = nl_connect(sock, NETLINK_RDMA);
	REQUIRE(!err, "%s", nl_geterror(err));
	nl_socket_modify_cb(sock, NL_CB_VALID, NL_CB_CUSTOM, each, arg);
	if (device) {
		nla_put_u32(msg, RDMA_NLDEV_ATTR_DEV_INDEX, *device);
		nla_put_u8(msg, RDMA_NLDEV_ATTR_DRIVER_DETAILS, 1);
	}
	err = nl_send_sync(sock, msg);
	REQUIRE(err >= 0, "%s", nl_geterror(err));
	nl_socket_free(sock);
}

int main(void)
{
	dump(RDMA_NLDEV_CMD_GET, NULL, add_device, NULL);
	for (unsigned int i = 0; i < num_devices; i++)
		dump(RDMA_NLDEV_CMD_RES_QP_GET, &devices[i].index, print_qps, devices[i].name);
	return 0;
}
