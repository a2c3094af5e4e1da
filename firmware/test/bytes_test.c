// SPDX-License-Identifier: BSD-2-Clause
/* Byte orders: the conversion of a number is that of its bytes in memory. */
#include "firmware/bytes.h"
#include "firmware/test/test.h"
#include "firmware/test/tests.h"

void byte_orders(void)
{
	static const union {
		uint8_t bytes[8];
		uint16_t v16;
		uint32_t v32;
		uint64_t v64;
	} u = { { 1, 2, 3, 4, 5, 6, 7, 8 } };

	test_equal("le16", le16(u.v16), 0x0201);
	test_equal("le32", le32(u.v32), 0x04030201);
	test_equal("le64", le64(u.v64), 0x0807060504030201);
	test_equal("be16", be16(u.v16), 0x0102);
	test_equal("be32", be32(u.v32), 0x01020304);
	test_equal("be64", be64(u.v64), 0x0102030405060708);
	test_equal("there and back", le32(le32(0x12345678)), 0x12345678);
}
