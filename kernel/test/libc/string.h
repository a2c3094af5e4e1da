/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Kernel replacements for the C library functions that uapi/gen/tally_golden.h uses. */
#include <linux/string.h>
