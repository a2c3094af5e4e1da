/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * port DEVICE: prints "ready", then one line for each event of the port, with the event and the
 * state of the port. Ends with its input.
 */
#include <poll.h>
#include <unistd.h>

#include "check.h"
#include "cluster.h"

static const char *state_name(struct ibv_context *context)
{
	struct ibv_port_attr attr;

	REQUIRE(!ibv_query_port(context, 1, &attr), "port");
	return attr.state == IBV_PORT_ACTIVE ? "ACTIVE" : "DOWN";
}

static void tell_event(struct ibv_context *context)
{
	struct ibv_async_event event;

	REQUIRE(!ibv_get_async_event(context, &event), "event");
	REQUIRE(event.event_type == IBV_EVENT_PORT_ACTIVE || event.event_type == IBV_EVENT_PORT_ERR,
		"event %s", ibv_event_type_str(event.event_type));
	REQUIRE(event.element.port_num == 1, "port %d", event.element.port_num);
	printf("%s %s\n", event.event_type == IBV_EVENT_PORT_ACTIVE ? "ACTIVE" : "ERR",
	       state_name(context));
	fflush(stdout);
	ibv_ack_async_event(&event);
}

static struct ibv_context *open_device(const char *name)
{
	struct ibv_device **list = ibv_get_device_list(NULL);
	struct ibv_context *context = NULL;

	REQUIRE(list, "no devices");
	for (unsigned int i = 0; list[i] && !context; i++)
		if (!strcmp(ibv_get_device_name(list[i]), name))
			context = ibv_open_device(list[i]);
	ibv_free_device_list(list);
	REQUIRE(context, "cannot open %s", name);
	return context;
}

int main(int argc, char **argv)
{
	struct ibv_context *context;

	REQUIRE(argc == 2, "usage: port DEVICE");
	context = open_device(argv[1]);
	say_ready();
	for (;;) {
		struct pollfd fds[] = { { .fd = context->async_fd, .events = POLLIN },
					{ .fd = STDIN_FILENO, .events = POLLIN } };

		REQUIRE(poll(fds, 2, -1) > 0, "poll");
		if (fds[0].revents)
			tell_event(context);
		else if (fds[1].revents)
			break;
	}
	ibv_close_device(context);
	return 0;
}
