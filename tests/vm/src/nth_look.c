/* SPDX-License-Identifier: BSD-2-Clause */
/* Queries of the kernel about a device: files, and dumps of the RDMA subsystem. */
#include <fcntl.h>
#include <linux/netlink.h>
#include <rdma/rdma_netlink.h>
#include <sys/socket.h>
#include <unistd.h>

#include "check.h"
#include "nth.h"

#define ANSWER_SECONDS 60
#define BIG_ANSWER 65536

/* ---- Files ---- */
int read_text(const char *path, char *to, size_t room)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), err = 0;
	size_t len = 0;
	ssize_t n;

	if (fd < 0)
		return errno;
	while ((n = read(fd, to + len, room - 1 - len)) > 0)
		len += n;
	if (n < 0)
		err = errno;
	to[len] = '\0';
	close(fd);
	return err;
}

int read_debugfs(const char *file, char *to, size_t room)
{
	char path[256];

	snprintf(path, sizeof(path), "/sys/kernel/debug/tally/%s/%s", world.function, file);
	return read_text(path, to, room);
}

/* ---- Netlink ---- */
struct request_msg {
	struct nlmsghdr header;
	struct nlattr index_attr;
	uint32_t index;
	struct nlattr details_attr;
	uint32_t details; /* a byte, padded */
};

int nldev_open(void)
{
	int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC, NETLINK_RDMA);
	struct timeval limit = { .tv_sec = ANSWER_SECONDS };

	REQUIRE(fd >= 0, "netlink");
	REQUIRE(!setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)), "netlink");
	return fd;
}

static int ask_nldev(int fd, unsigned int command, const uint32_t *index)
{
	struct request_msg msg = {
		.header = {
			.nlmsg_len = index ? sizeof(msg) : sizeof(msg.header),
			.nlmsg_type = RDMA_NL_GET_TYPE(RDMA_NL_NLDEV, command),
			.nlmsg_flags = NLM_F_REQUEST | NLM_F_ACK | NLM_F_DUMP,
		},
		.index_attr = { sizeof(msg.index_attr) + 4, RDMA_NLDEV_ATTR_DEV_INDEX },
		.index = index ? *index : 0,
		.details_attr = { sizeof(msg.details_attr) + 1, RDMA_NLDEV_ATTR_DRIVER_DETAILS },
		.details = 1,
	};

	return send(fd, &msg, msg.header.nlmsg_len, 0) < 0 ? errno : 0;
}

/*
 * Handles an answer. Returns 0 if more follow, -1 if it is the last one, or an errno value. Stores
 * it if it fits.
 */
static int take_messages(const void *from, size_t len, void *to, size_t room, size_t *kept)
{
	const struct nlmsghdr *h = from;

	for (; NLMSG_OK(h, len); h = NLMSG_NEXT(h, len)) {
		const int *error = NLMSG_DATA(h); /* both final types begin with an error code */
		size_t payload = NLMSG_PAYLOAD(h, 0);

		if (h->nlmsg_type == NLMSG_DONE || h->nlmsg_type == NLMSG_ERROR)
			return *error ? -*error : -1;
		if (payload > room - *kept)
			return ENOBUFS;
		memcpy((char *)to + *kept, NLMSG_DATA(h), payload);
		*kept += payload;
	}
	return 0;
}

int nldev_dump(int fd, unsigned int command, const uint32_t *index, void *to, size_t room,
	       size_t *len)
{
	static char answer[BIG_ANSWER];
	int err = ask_nldev(fd, command, index);
	ssize_t n;

	*len = 0;
	while (!err) {
		n = recv(fd, answer, sizeof(answer), 0);
		err = n < 0 ? errno : take_messages(answer, n, to, room, len);
	}
	return err < 0 ? 0 : err;
}

uint32_t nldev_index(int fd, const char *name)
{
	static char devices[BIG_ANSWER];
	uint32_t index = UINT32_MAX;
	size_t len, at;

	REQUIRE(!nldev_dump(fd, RDMA_NLDEV_CMD_GET, NULL, devices, sizeof(devices), &len), "devices");
	/* The attributes of each device begin with its index and its name. */
	for (at = 0; at + sizeof(struct nlattr) <= len;) {
		const struct nlattr *attr = (void *)(devices + at);

		if (attr->nla_type == RDMA_NLDEV_ATTR_DEV_INDEX)
			memcpy(&index, attr + 1, sizeof(index));
		if (attr->nla_type == RDMA_NLDEV_ATTR_DEV_NAME && !strcmp((char *)(attr + 1), name))
			return index;
		at += NLA_ALIGN(attr->nla_len);
	}
	REQUIRE(false, "no device %s", name);
	return 0;
}
