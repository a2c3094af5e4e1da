// SPDX-License-Identifier: BSD-2-Clause
/*
 * Frames for the parser: raw bytes, or a packet built from the input's fields and then changed. The
 * checksums are corrected, so that the code after their check is reached.
 */
#include <string.h>

#include "fabric/fault.h"
#include "input.h"
#include "mend.h"
#include "wire/roce.h"

static struct roce_hdr header(struct input *in)
{
	struct roce_hdr h = {
		.flow_label = input_u32(in) & 0xfffff,
		.traffic_class = input_u8(in),
		.hop_limit = input_u8(in),
		.udp_sport = input_u16(in),
		.opcode = input_u8(in),
		.pkey = input_u16(in),
		.dest_qp = input_u32(in) & 0xffffff,
		.psn = input_u32(in) & 0xffffff,
		.se = input_u8(in) & 1,
		.ackreq = input_u8(in) & 1,
	};

	input_bytes(in, h.dmac, sizeof(h.dmac));
	input_bytes(in, h.sgid, sizeof(h.sgid));
	input_bytes(in, h.dgid, sizeof(h.dgid));
	if (input_u8(in) & 1) {
		static const uint8_t mapped[12] = { [10] = 0xff, [11] = 0xff };

		memcpy(h.sgid, mapped, sizeof(mapped));
		memcpy(h.dgid, mapped, sizeof(mapped));
		h.flow_label = 0;
	}
	return h;
}

/* Calls all readers of frames. The body that the parser returns must lie inside the frame. */
static void look(const uint8_t *data, size_t len)
{
	struct fault_headers fh;
	struct frame *f = frame_alloc(len);
	const uint8_t *body = NULL;
	struct roce_hdr h;
	size_t body_len;
	enum roce_drop why;

	why = roce_parse(data, len, &h, &body, &body_len);
	FUZZ_MUST(why < ROCE_DROP_COUNT && roce_drop_str(why));
	if (why == ROCE_OK)
		FUZZ_MUST(body >= data && body <= data + len && body_len <= (size_t)(data + len - body));
	else
		FUZZ_MUST(!body);
	if (!f)
		return;
	memcpy(f->data, data, len);
	fault_headers(&fh, f);
	frame_unref(f);
}

/* Copies the frame to memory of exactly its size. */
static void look_exactly(const uint8_t *data, size_t len)
{
	uint8_t *copy = malloc(len ? len : 1);

	FUZZ_MUST(copy);
	memcpy(copy, data, len);
	look(copy, len);
	free(copy);
}

static void built(struct input *in)
{
	struct roce_hdr h = header(in);
	uint8_t payload[256], tch[64];
	size_t words = input_below(in, sizeof(tch) / 4 + 1), len = input_below(in, sizeof(payload));
	struct frame *f;

	input_bytes(in, tch, sizeof(tch));
	input_bytes(in, payload, sizeof(payload) / 8);
	memset(payload + sizeof(payload) / 8, 0x5a, sizeof(payload) - sizeof(payload) / 8);
	f = roce_build(&h, tch, 4 * words, payload, len);
	if (!f)
		return;
	input_spoil(in, f->data, f->len, 4);
	mend(f->data, f->len, input_u8(in));
	if (input_one_in(in, 4))
		f->len = input_below(in, f->len + 1);
	look_exactly(f->data, f->len);
	frame_unref(f);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	uint8_t *raw;
	size_t len;

	if (input_u8(&in) & 1) {
		built(&in);
		return 0;
	}
	raw = input_rest(&in, &len);
	mend(raw, len, input_u8(&in));
	look(raw, len);
	free(raw);
	return 0;
}
