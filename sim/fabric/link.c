// SPDX-License-Identifier: BSD-2-Clause
#include "fabric/link.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool.h"
#include "core/trace.h"

struct fab_link {
	struct fab_port port[2];
	struct sim *sim;
	struct fab_link_params params;
	char *name[2];
	struct fab_capture capture;
};

#define TRACE_NAME_BYTES	128

/* Names become part of file names. */
static bool name_ok(const char *name)
{
	return *name && !name[strspn(name, "abcdefghijklmnopqrstuvwxyz"
				     "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._-")];
}

static void trace_direction(struct fab_link *link, unsigned int from, const char *process)
{
	char track[TRACE_NAME_BYTES];

	snprintf(track, sizeof(track), "%s to %s", link->name[from], link->name[!from]);
	link->port[from].track = sim_trace_track(sim_trace(link->sim), process, track, SIM_TRACK_ROWS);
	fab_port_watch(&link->port[from]);
}

/* In the sim's trace, if there is one, a link is a process and each direction is a track. */
static void trace(struct fab_link *link)
{
	char process[TRACE_NAME_BYTES];

	if (!sim_trace(link->sim))
		return;
	snprintf(process, sizeof(process), "link %s-%s", link->name[0], link->name[1]);
	for (unsigned int from = 0; from < 2; from++)
		trace_direction(link, from, process);
}

struct fab_link *fab_link_new(struct sim *sim, const struct fab_link_params *params,
			      const char *a, const char *b)
{
	struct fab_link *link;

	if (!params->bits_per_s || params->propagation > VT_S || !name_ok(a) || !name_ok(b)) {
		errno = EINVAL;
		return NULL;
	}
	link = pool_alloc(sizeof(*link));
	if (!link)
		return NULL;
	memset(link, 0, sizeof(*link));
	link->sim = sim;
	link->params = *params;
	for (int end = 0; end < 2; end++)
		fab_port_init(&link->port[end], sim, params, &link->port[!end], &link->capture);
	link->name[0] = strdup(a);
	link->name[1] = strdup(b);
	if (!link->name[0] || !link->name[1]) {
		fab_link_free(link);
		errno = ENOMEM;
		return NULL;
	}
	trace(link);
	return link;
}

void fab_link_free(struct fab_link *link)
{
	if (!link)
		return;
	for (int end = 0; end < 2; end++) {
		fab_port_drop_all(&link->port[end]);
		free(link->name[end]);
	}
	pcap_close(link->capture.file);
	pool_free(link, sizeof(*link));
}

struct fab_port *fab_link_port(struct fab_link *link, unsigned int end)
{
	return &link->port[end != 0];
}

const char *fab_link_name(const struct fab_link *link, unsigned int end)
{
	return link->name[end != 0];
}

const struct fab_link_params *fab_link_params(const struct fab_link *link)
{
	return &link->params;
}

static void watch(struct fab_link *link)
{
	for (int end = 0; end < 2; end++)
		fab_port_watch(&link->port[end]);
}

int fab_link_capture_to(struct fab_link *link, const char *path)
{
	int err = link->capture.file ? -EBUSY : pcap_open(&link->capture.file, path);

	watch(link);
	return err;
}

int fab_link_capture(struct fab_link *link, const char *dir)
{
	char *path;
	int err;

	if (asprintf(&path, "%s/link-%s-%s.pcap", dir, link->name[0], link->name[1]) < 0)
		return -ENOMEM;
	err = fab_link_capture_to(link, path);
	free(path);
	return err;
}

int fab_link_capture_flush(struct fab_link *link)
{
	return link->capture.file ? pcap_flush(link->capture.file) : -ENOENT;
}

int fab_link_capture_end(struct fab_link *link)
{
	int err = link->capture.file ? pcap_close(link->capture.file) : -ENOENT;

	link->capture.file = NULL;
	watch(link);
	return err;
}

uint64_t fab_link_capture_lost(const struct fab_link *link)
{
	return link->capture.lost;
}
