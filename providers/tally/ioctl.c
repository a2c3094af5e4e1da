// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Methods of driver-specific uverbs objects. */
#include <alloca.h>
#include <rdma/rdma_user_ioctl_cmds.h>
#include <string.h>
#include <sys/ioctl.h>

#include "tally.h"

int tally_ioctl(struct ibv_context *context, uint16_t object, uint16_t method,
		struct ib_uverbs_attr *attrs, unsigned int num_attrs)
{
	size_t size = sizeof(struct ib_uverbs_ioctl_hdr) + num_attrs * sizeof(*attrs);
	struct ib_uverbs_ioctl_hdr *hdr = alloca(size);

	memset(hdr, 0, sizeof(*hdr));
	hdr->length = size;
	hdr->object_id = object;
	hdr->method_id = method;
	hdr->num_attrs = num_attrs;
	hdr->driver_id = TALLY_RDMA_DRIVER_ID;
	memcpy(hdr->attrs, attrs, num_attrs * sizeof(*attrs));
	if (ioctl(context->cmd_fd, RDMA_VERBS_IOCTL, hdr))
		return errno;
	memcpy(attrs, hdr->attrs, num_attrs * sizeof(*attrs));
	return 0;
}
