/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Memory regions of every kind. Relaxed ordering is accepted, and a region can be changed. With the
 * argument "dma-buf", memory of another device is used in place: a buffer of vgem, whose module
 * must be loaded.
 */
#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "cluster.h"
#include "work.h"

#define COUNT 8
#define BYTES (COUNT * sizeof(int32_t))
#define SOON_MS 15000
#define ACCESS IBV_ACCESS_LOCAL_WRITE

static struct cluster cluster;
static struct nic *nic;
static struct team team;
static struct port port;
static uint32_t mid;

/* Runs a sum over one rank, which copies the data at `give` to `get`. */
static struct outcome copy(uint64_t give, uint32_t give_key, uint64_t get, uint32_t get_key)
{
	struct outcome out;
	struct request r;

	request_allreduce(&r, nic, TALLY_OP_SUM, TALLY_TYPE_INT32, COUNT, sizeof(int32_t), mid++);
	r.give[0].addr = give;
	r.give[0].lkey = give_key;
	r.get[0].addr = get;
	r.get[0].lkey = get_key;
	post(&port, &r);
	REQUIRE(wait_outcome(nic, &out, SOON_MS), "no completion");
	return out;
}

static void copies(const char *what, const void *give, const struct ibv_mr *from, void *get,
		   uint64_t get_iova, const struct ibv_mr *to)
{
	struct outcome out = copy((uintptr_t)give, from->lkey, get_iova, to->lkey);

	REQUIRE(out.status == IBV_WC_SUCCESS, "%s: %s", what, tallydv_coll_status_name(out.coll));
	REQUIRE(!memcmp(give, get, BYTES), "%s: other data arrived", what);
}

static void fill(void *at, uint32_t seed)
{
	for (uint32_t i = 0; i < COUNT; i++)
		((uint32_t *)at)[i] = seed + i;
}

static void relaxed(void)
{
	struct ibv_mr *mr = ibv_reg_mr(nic->pd, nic->buf, BUF_SIZE,
				       ACCESS | IBV_ACCESS_RELAXED_ORDERING);

	REQUIRE(mr, "relaxed ordering");
	fill(nic->buf, 100);
	copies("relaxed ordering", nic->buf, mr, nic->buf + 4096, (uintptr_t)nic->buf + 4096, mr);
	REQUIRE(!ibv_dereg_mr(mr), "relaxed ordering");
}

/* ---- Changes ---- */
static void changed(void)
{
	uint8_t *first = nic->buf, *second = nic->buf + 4096;
	struct ibv_mr *mr = ibv_reg_mr(nic->pd, first, 4096, ACCESS);
	struct ibv_pd *pd = ibv_alloc_pd(nic->context);
	uint32_t old;

	REQUIRE(mr && pd, "region");
	old = mr->lkey;
	fill(first, 200);
	REQUIRE(!ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_TRANSLATION, NULL, second, 4096, 0),
		"other memory");
	REQUIRE(mr->addr == second && mr->lkey != old, "other memory has the old key");
	copies("other memory", first, nic->mr, second, (uintptr_t)second, mr);
	REQUIRE(!ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_PD, pd, NULL, 0, 0), "other domain");
	REQUIRE(copy((uintptr_t)first, nic->mr->lkey, (uintptr_t)second, mr->lkey).coll ==
		TALLY_COLL_BAD_LKEY, "a queue pair reaches a region of another domain");
	port_close(&port);
	REQUIRE(!ibv_dereg_mr(mr), "region");
	REQUIRE(!ibv_dealloc_pd(pd), "its domain is still busy");
}

/* ---- Memory of another device ---- */
struct dumb {
	uint32_t height, width, bpp, flags, handle, pitch;
	uint64_t size;
};
#define CREATE_DUMB _IOWR('d', 0xb2, struct dumb)
struct prime {
	uint32_t handle, flags;
	int32_t fd;
};
#define HANDLE_TO_FD _IOWR('d', 0x2d, struct prime)

static int foreign_buffer(size_t size)
{
	struct dumb dumb = { .height = 1, .width = size / 4, .bpp = 32 };
	int card = open("/dev/dri/card0", O_RDWR);
	struct prime prime = { .flags = O_RDWR | O_CLOEXEC };

	REQUIRE(card >= 0, "/dev/dri/card0: %s", strerror(errno));
	REQUIRE(!ioctl(card, CREATE_DUMB, &dumb), "buffer: %s", strerror(errno));
	prime.handle = dumb.handle;
	REQUIRE(!ioctl(card, HANDLE_TO_FD, &prime), "its file: %s", strerror(errno));
	close(card);
	return prime.fd;
}

/*
 * The region begins within a page, and requests address it by numbers that are no virtual
 * addresses.
 */
#define BUFFER (64 * 4096)
#define OFFSET (4096 + 512)
#define IOVA 0x123450200

static void dmabuf(void)
{
	int fd = foreign_buffer(BUFFER);
	uint8_t *map = mmap(NULL, BUFFER, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	struct ibv_mr *mr = ibv_reg_dmabuf_mr(nic->pd, OFFSET, BUFFER - OFFSET, IOVA, fd, ACCESS);

	REQUIRE(map != MAP_FAILED, "mmap: %s", strerror(errno));
	REQUIRE(mr, "ibv_reg_dmabuf_mr: %s", strerror(errno));
	REQUIRE(!ibv_reg_dmabuf_mr(nic->pd, 0, BUFFER + 4096, IOVA, fd, ACCESS),
		"more than the buffer has");
	REQUIRE(!ibv_reg_dmabuf_mr(nic->pd, 0, 4096, IOVA, nic->context->cmd_fd, ACCESS),
		"a file that is no buffer");
	close(fd);
	fill(nic->buf, 300);
	copies("to a dma-buf", nic->buf, nic->mr, map + OFFSET + 9 * 4096, IOVA + 9 * 4096, mr);
	fill(map + OFFSET, 400);
	REQUIRE(copy(IOVA, mr->lkey, (uintptr_t)nic->buf, nic->mr->lkey).status == IBV_WC_SUCCESS &&
		!memcmp(nic->buf, map + OFFSET, BYTES), "from a dma-buf");
	REQUIRE(ibv_rereg_mr(mr, IBV_REREG_MR_CHANGE_ACCESS, NULL, NULL, 0, ACCESS),
		"a dma-buf's region is changed without its file");
	REQUIRE(!ibv_dereg_mr(mr), "dma-buf");
}

int main(int argc, char **argv)
{
	struct team_spec spec = { .jid = random_jid(), .ranks = 1, .owned = 1 };
	struct cluster one;

	cluster_open(&cluster);
	nic = &cluster.nic[0];
	one = (struct cluster){ .count = 1, .nic = { *nic } };
	team_create(&team, &one, &spec, ALL_NODES);
	port_open(&port, nic, team.group[0], 0, 0);
	relaxed();
	if (argc > 1 && !strcmp(argv[1], "dma-buf"))
		dmabuf();
	changed();
	return 0;
}
