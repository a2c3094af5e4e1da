/* SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB */
/* Kernel replacements for the C library functions that uapi/gen/tally_golden.h uses. */
#ifndef TALLY_TEST_ENDIAN_H
#define TALLY_TEST_ENDIAN_H

#include <asm/byteorder.h>

#define htole16 cpu_to_le16
#define htole32 cpu_to_le32
#define htole64 cpu_to_le64
#define htobe16 cpu_to_be16
#define htobe32 cpu_to_be32
#define htobe64 cpu_to_be64

#endif
