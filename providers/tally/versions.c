// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
#include "versions.h"

#include <errno.h>
#include <string.h>

static size_t at_most(size_t size, size_t limit)
{
	return size < limit ? size : limit;
}

int tally_copy_out(void *to, size_t size, const void *from, size_t known, size_t least)
{
	size_t common = at_most(size, known);

	if (size < least || !to)
		return EINVAL;
	memcpy(to, from, common);
	memset((char *)to + common, 0, size - common);
	return 0;
}

int tally_copy_in(void *to, size_t known, const void *from, size_t size, size_t least)
{
	size_t common = at_most(size, known);

	if (size < least)
		return EINVAL;
	for (size_t i = common; i < size; i++)
		if (((const char *)from)[i])
			return EOPNOTSUPP;
	memcpy(to, from, common);
	memset((char *)to + common, 0, known - common);
	return 0;
}
