// SPDX-License-Identifier: BSD-2-Clause
/*
 * The control socket of a simulator: clients send requests in pieces, send garbage, or leave. A
 * client that sends a line gets one line of JSON, or the end of the connection. Meanwhile the
 * cluster runs, with the requested faults.
 */
#include "serve/ctl.h"

#include <json-c/json.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "input.h"

#define VMS		1
#define VM_NICS		2
#define CLIENTS		3
#define MOST_DEEDS	60
#define ANSWER_MAX	65536

struct run {
	struct cluster cluster;
	struct ctl *ctl;
	struct sockaddr_un addr;
	socklen_t addr_len;
	int client[CLIENTS];	/* -1: not connected */
};

/* State that outlives a cluster, as in a supervisor. */
static const struct options options = { .vms = VMS, .nics = VM_NICS, .mem_bytes = 1 << 20, .seed = 1 };
static struct ivshmem devices[VMS * VM_NICS];
static int memory_fd = -1;

static void make_devices(void)
{
	if (memory_fd >= 0)
		return;
	memory_fd = memfd_create("memory", 0);
	FUZZ_MUST(memory_fd >= 0 && !ftruncate(memory_fd, options.mem_bytes));
	for (unsigned int i = 0; i < VMS * VM_NICS; i++)
		FUZZ_MUST(!ivshmem_create(&devices[i], "fuzz"));
}

/* Listens at a name that the kernel chooses, outside of the file system. */
static int listen_anywhere(struct run *r)
{
	struct sockaddr_un any = { .sun_family = AF_UNIX };
	int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);

	FUZZ_MUST(fd >= 0 && !bind(fd, (struct sockaddr *)&any, sizeof(any.sun_family)));
	r->addr_len = sizeof(r->addr);
	FUZZ_MUST(!getsockname(fd, (struct sockaddr *)&r->addr, &r->addr_len) && !listen(fd, 16));
	return fd;
}

static void serve(struct run *r)
{
	for (int i = 0; i < CLIENTS; i++)
		ctl_serve(r->ctl);
}

static void leave(struct run *r, unsigned int i)
{
	if (r->client[i] >= 0)
		close(r->client[i]);
	r->client[i] = -1;
}

static void come(struct run *r, unsigned int i)
{
	if (r->client[i] >= 0)
		return;
	r->client[i] = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	FUZZ_MUST(r->client[i] >= 0);
	if (connect(r->client[i], (struct sockaddr *)&r->addr, r->addr_len))
		leave(r, i);
}

/* Checks that an answer that arrived completely is one line of JSON. */
static void read_answer(struct run *r, unsigned int i)
{
	static char text[ANSWER_MAX];
	struct json_object *answer;
	ssize_t len;
	char *end;

	if (r->client[i] < 0)
		return;
	len = recv(r->client[i], text, sizeof(text) - 1, MSG_DONTWAIT);
	if (len <= 0)
		return;
	text[len] = '\0';
	end = strchr(text, '\n');
	if (end) {
		FUZZ_MUST(end == text + len - 1);
		answer = json_tokener_parse(text);
		FUZZ_MUST(json_object_is_type(answer, json_type_object));
		json_object_put(answer);
	}
	leave(r, i);
}

static const char *const words[] = {
	"fault add ", "fault list", "fault clear ", "links", "switches", "nics", "drop:rate=0.5", "nic-reset:at=1us",
	"down:link=vm0-nic0,for=10us", "delay:by=3us", "corrupt:nth=2", ",kind=result", ",nic=vm0-nic*", "1",
	"dma-error:rate=1,nic=vm0-nic1", "switch-death:at=0ns,for=2us",
};

static void say(struct run *r, struct input *in, unsigned int i)
{
	const char *word = words[input_below(in, sizeof(words) / sizeof(words[0]))];
	char bytes[64];
	size_t len = input_below(in, sizeof(bytes));

	if (r->client[i] < 0)
		return;
	if (!input_one_in(in, 3)) {
		send(r->client[i], word, strlen(word), MSG_NOSIGNAL | MSG_DONTWAIT);
		len = 0;
	}
	if (len) {
		input_bytes(in, bytes, len);
		send(r->client[i], bytes, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	}
	if (input_one_in(in, 2))
		send(r->client[i], "\n", 1, MSG_NOSIGNAL | MSG_DONTWAIT);
}

static void step(struct run *r, struct input *in)
{
	unsigned int i = input_below(in, CLIENTS);

	switch (input_below(in, 8)) {
	case 0:
		leave(r, i);
		break;
	case 1:
		sim_run_until(r->cluster.sim, sim_now(r->cluster.sim) + input_u16(in) * VT_NS);
		break;
	case 2:
	case 3:
		serve(r);
		read_answer(r, i);
		break;
	default:
		come(r, i);
		say(r, in, i);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct control control;
	struct worker_cfg cfg = { .opt = &options, .control = &control, .mem_fd = &memory_fd, .nics = devices };
	struct input in = { data, size };
	static struct run r;
	unsigned int i;
	int fd;

	make_devices();
	memset(&control, 0, sizeof(control));
	r = (struct run){ .client = { -1, -1, -1 } };
	FUZZ_MUST(!cluster_build(&r.cluster, &cfg));
	fd = listen_anywhere(&r);
	r.ctl = ctl_new(fd, &r.cluster);
	FUZZ_MUST(r.ctl);
	for (i = 0; in.left && i < MOST_DEEDS; i++)
		step(&r, &in);
	serve(&r);
	ctl_free(r.ctl);
	for (i = 0; i < CLIENTS; i++)
		leave(&r, i);
	cluster_free(&r.cluster);
	close(fd);
	return 0;
}
