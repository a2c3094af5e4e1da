/* SPDX-License-Identifier: BSD-2-Clause */
/* Mapped pages of the device, the memory of the process, and events. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "check.h"
#include "fuzz_uverbs.h"

#define PAGE 4096UL

/* The first page is the status page, which is read-only. */
int map_page(struct fuzz_context *c, struct bytes *b)
{
	unsigned int n = c->num_offsets ? pick(b, c->num_offsets) : 0;
	struct {
		uint64_t offset, length;
		uint32_t prot, flags;
	} map = { c->offset[n], PAGE, n ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED };
	void *page;

	spoil(b, &map, sizeof(map));
	page = mmap(NULL, map.length % (64 * PAGE), map.prot, map.flags & ~MAP_FIXED, c->fd,
		    map.offset);
	if (page == MAP_FAILED)
		return errno;
	/* Only a valid mapping is kept for later use. */
	pthread_mutex_lock(&c->lock);
	if (map.length == PAGE && map.flags == MAP_SHARED && c->num_pages < MAX_PAGES) {
		c->page[c->num_pages++] = page;
		page = NULL;
	}
	pthread_mutex_unlock(&c->lock);
	return page ? munmap(page, map.length % (64 * PAGE)) : 0;
}

static void *take_page(struct fuzz_context *c)
{
	void *page = NULL;

	pthread_mutex_lock(&c->lock);
	if (c->num_pages)
		page = c->page[--c->num_pages];
	pthread_mutex_unlock(&c->lock);
	return page;
}

int unmap_page(struct fuzz_context *c, struct bytes *b)
{
	void *page = take_page(c);

	(void)b;
	return page ? munmap(page, PAGE) : ENOENT;
}

/* Moves or resizes the mapping, changes its protection, or uses it as memory. */
int use_page(struct fuzz_context *c, struct bytes *b)
{
	void *page = take_page(c), *moved;
	size_t size = PAGE;
	int err = 0;

	if (!page)
		return ENOENT;
	switch (pick(b, 4)) {
	case 0:
		err = mprotect(page, PAGE, pick(b, 8)) ? errno : 0;
		break;
	case 1:
		size = PAGE * (1 + pick(b, 4));
		moved = mremap(page, PAGE, size, MREMAP_MAYMOVE);
		if (moved == MAP_FAILED) {
			err = errno;
			size = PAGE;
		} else {
			page = moved;
		}
		break;
	case 2:
		err = madvise(page, PAGE, pick(b, 32)) ? errno : 0;
		break;
	default:
		err = write(c->fd, page, PAGE) < 0 ? errno : 0;
	}
	munmap(page, size);
	return err;
}

/* Makes the next call find another page, a read-only page, or none. */
int spoil_memory(struct fuzz_context *c, struct bytes *b)
{
	uint8_t *at = arena + pick(b, ARENA_SIZE / PAGE) * PAGE;

	(void)c;
	switch (pick(b, 3)) {
	case 0:
		return madvise(at, PAGE, MADV_DONTNEED) ? errno : 0;
	case 1:
		return mprotect(at, PAGE, PROT_READ) ? errno : 0;
	default:
		return mprotect(at, PAGE, PROT_NONE) ? errno : 0;
	}
}

int read_events(struct fuzz_context *c, struct bytes *b)
{
	int fd = choose(c, b, KIND_CHANNEL);
	char event[64];

	if (fd <= STDERR_FILENO || fd == c->fd || fcntl(fd, F_SETFL, O_NONBLOCK))
		return EBADF;
	if (read(fd, event, pick(b, sizeof(event))) < 0 && errno != EAGAIN)
		return errno;
	return 0;
}
