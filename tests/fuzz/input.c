// SPDX-License-Identifier: BSD-2-Clause
#include "input.h"

#include <string.h>

/*
 * A reset frees a thousand NULL pointers, for each of which the sanitizer records the stack; short
 * stacks are faster.
 */
const char *__asan_default_options(void);
const char *__asan_default_options(void)
{
	return "malloc_context_size=6:quarantine_size_mb=32";
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
	(void)argc;
	(void)argv;
	return setenv("CMOCKA_TEST_ABORT", "1", 1);
}

void input_bytes(struct input *in, void *to, size_t len)
{
	size_t n = len < in->left ? len : in->left;

	memcpy(to, in->at, n);
	memset((uint8_t *)to + n, 0, len - n);
	in->at += n;
	in->left -= n;
}

uint8_t input_u8(struct input *in)
{
	uint8_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

uint16_t input_u16(struct input *in)
{
	uint16_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

uint32_t input_u32(struct input *in)
{
	uint32_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

uint64_t input_u64(struct input *in)
{
	uint64_t v;

	input_bytes(in, &v, sizeof(v));
	return v;
}

uint32_t input_below(struct input *in, uint32_t bound)
{
	return (bound <= 256 ? input_u8(in) : input_u32(in)) % bound;
}

uint64_t input_number(struct input *in)
{
	static const uint64_t edges[] = {
		7, 8, 63, 64, 65, 127, 128, 255, 256, 1023, 1024, 4095, 4096, 4097, 8191, 8192, 65535, 65536,
		INT32_MAX, 1ull << 31, UINT32_MAX, 1ull << 32, INT64_MAX, 1ull << 63, UINT64_MAX,
	};
	uint8_t how = input_u8(in);

	if (how < 128)
		return how % 32;
	if (how < 192)
		return edges[(how - 128) % (sizeof(edges) / sizeof(edges[0]))];
	if (how < 224)
		return input_u16(in);
	return how < 240 ? input_u32(in) : input_u64(in);
}

uint8_t *input_rest(struct input *in, size_t *len)
{
	uint8_t *rest;

	*len = in->left;
	rest = malloc(*len ? *len : 1);
	FUZZ_MUST(rest);
	input_bytes(in, rest, *len);
	return rest;
}

char *input_text(struct input *in)
{
	char *text = strndup((const char *)in->at, in->left);

	FUZZ_MUST(text);
	in->at += in->left;
	in->left = 0;
	return text;
}

static uint64_t changed(struct input *in, uint64_t old, unsigned int bytes)
{
	switch (input_below(in, 4)) {
	case 0:
		return input_number(in);
	case 1:
		return old + input_below(in, 16) - 8;
	case 2:
		return old ^ 1ull << input_below(in, 8 * bytes);
	default:
		return ~old;
	}
}

void input_spoil(struct input *in, void *at, size_t len, unsigned int most)
{
	unsigned int changes = input_below(in, most + 1);

	while (changes--) {
		size_t bytes = (size_t)1 << input_below(in, 4);
		uint64_t value = 0;
		uint8_t *field;

		if (len < bytes)
			continue;
		field = (uint8_t *)at + input_below(in, len / bytes) * bytes;
		memcpy(&value, field, bytes);
		value = changed(in, value, bytes);
		memcpy(field, &value, bytes);
	}
}
