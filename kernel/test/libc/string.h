/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* What uapi/gen/tally_golden.h wants of the C library's header, in the kernel's words. */
#include <linux/string.h>
