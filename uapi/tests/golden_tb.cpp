// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/*
 * Checks that C and SystemVerilog agree: tally_pkg must unpack and pack each structure as C does,
 * which fills it by its member names. Every single wrong bit must be noticed; otherwise some byte
 * would not be checked.
 */
#include <cstdio>
#include <cstring>
#include <memory>

#include "Vgolden_tb.h"
#include "verilated.h"
#if VM_COVERAGE
#include "verilated_cov.h"
#endif

#include "gen/tally_golden.h"

struct vector {
	const char *name;
	size_t size;
	unsigned char filled[8192];
};

static constexpr size_t max_packed = sizeof(Vgolden_tb::bytes_i);

static void feed(Vgolden_tb *tb, const unsigned char *bytes, size_t size)
{
	for (size_t w = 0; w < max_packed / 4; w++)
		tb->bytes_i[w] = 0;
	for (size_t i = 0; i < size; i++)
		tb->bytes_i[i / 4] |= (EData)bytes[i] << (8 * (i % 4));
	tb->eval();
}

/* Reports each failure and returns the number of failures. */
static int check(Vgolden_tb *tb, unsigned int which, vector *v)
{
	int failures = 0;

	tb->which_i = which;
	feed(tb, v->filled, v->size);
	if (!tb->match_o) {
		printf("struct %s: tally_pkg reads other values than C wrote\n", v->name);
		failures++;
	}
	for (size_t i = 0; i < v->size; i++) {
		unsigned char got = (unsigned char)(tb->bytes_o[i / 4] >> (8 * (i % 4)));

		if (got == v->filled[i])
			continue;
		printf("struct %s: byte %zu: tally_pkg packs 0x%02x, C 0x%02x\n", v->name, i, got,
		       v->filled[i]);
		failures++;
	}
	for (size_t bit = 0; bit < 8 * v->size; bit++) {
		v->filled[bit / 8] ^= 1u << (bit % 8);
		feed(tb, v->filled, v->size);
		v->filled[bit / 8] ^= 1u << (bit % 8);
		if (!tb->match_o)
			continue;
		printf("struct %s: byte %zu is not covered by a member\n", v->name, bit / 8);
		failures++;
	}
	return failures;
}

int main()
{
	auto tb = std::make_unique<Vgolden_tb>();
	unsigned int which = 0, checked = 0;
	int failures = 0;
	vector v;

#define RUN(type)								\
	{									\
		struct tally_##type s;						\
										\
		static_assert(sizeof(s) <= sizeof(v.filled), "room");		\
		tally_golden_fill_##type(&s);					\
		v.name = #type;							\
		v.size = sizeof(s);						\
		memcpy(v.filled, &s, sizeof(s));				\
		if (v.size <= max_packed) {					\
			failures += check(tb.get(), which, &v);			\
			checked++;						\
		}								\
		which++;							\
	}
	TALLY_GOLDEN_LIST(RUN)

#if VM_COVERAGE
	tb->contextp()->coveragep()->write("coverage.dat");
#endif
	printf("%u structures, %d failures\n", checked, failures);
	return failures || !checked;
}
