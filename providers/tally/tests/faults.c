// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Calls of the provider that the linker redirects here (--wrap), to make them fail. */
#include <stdlib.h>
#include <sys/mman.h>

#include "fake_kernel.h"

struct faults faults;

int fault_here(int err)
{
	if (++faults.calls != faults.at)
		return 0;
	faults.err = err;
	errno = err;
	return err;
}

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset);
int __real_munmap(void *addr, size_t size);
int __real_pthread_spin_init(pthread_spinlock_t *lock, int shared);
int __real_ibv_dontfork_range(void *base, size_t size);

void *__wrap_malloc(size_t size)
{
	return fault_here(ENOMEM) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
	return fault_here(ENOMEM) ? NULL : __real_calloc(count, size);
}

void *__wrap_mmap(void *addr, size_t size, int prot, int flags, int fd, off_t offset)
{
	void *page = fault_here(ENOMEM) ? MAP_FAILED :
					  __real_mmap(addr, size, prot, flags, fd, offset);

	faults.mappings += page != MAP_FAILED;
	return page;
}

int __wrap_munmap(void *addr, size_t size)
{
	faults.mappings--;
	return __real_munmap(addr, size);
}

int __wrap_pthread_spin_init(pthread_spinlock_t *lock, int shared)
{
	return fault_here(ENOMEM) ? ENOMEM : __real_pthread_spin_init(lock, shared);
}

int __wrap_ibv_dontfork_range(void *base, size_t size)
{
	return fault_here(ENOMEM) ? ENOMEM : __real_ibv_dontfork_range(base, size);
}
