// SPDX-License-Identifier: BSD-2-Clause
/*
 * Captures of any frames at any time, to a file system that may be full. The file must contain what
 * was reported as written, in whole records up to the first error.
 */
#include "wire/pcap.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input.h"

#define MOST_FRAMES	64
#define HEADER		24
#define RECORD		16

struct written {
	uint64_t at;
	uint16_t len;
	uint8_t fill;
};

static uint32_t word(const uint8_t *file, size_t i)
{
	uint32_t v;

	memcpy(&v, file + 4 * i, sizeof(v));
	return v;
}

static void check(int fd, const struct written *frames, unsigned int num)
{
	off_t len = lseek(fd, 0, SEEK_END);
	uint8_t *file = malloc(len + 1), *at = file + HEADER;

	FUZZ_MUST(file && len >= HEADER && pread(fd, file, len, 0) == len);
	FUZZ_MUST(word(file, 0) == 0xa1b23c4d && word(file, 5) == 1);
	for (unsigned int i = 0; i < num; i++) {
		const struct written *w = &frames[i];

		FUZZ_MUST(file + len - at >= RECORD + w->len);
		FUZZ_MUST(word(at, 0) == (uint32_t)(w->at / VT_S) && word(at, 1) == w->at % VT_S / VT_NS);
		FUZZ_MUST(word(at, 2) == w->len && word(at, 3) == w->len);
		for (unsigned int k = 0; k < w->len; k++)
			FUZZ_MUST(at[RECORD + k] == w->fill);
		at += RECORD + w->len;
	}
	FUZZ_MUST(at == file + len);
	free(file);
}

static void fill(struct pcap_writer *w, struct input *in, struct written *frames, unsigned int *num)
{
	for (*num = 0; in->left && *num < MOST_FRAMES; ++*num) {
		struct written *f = &frames[*num];
		struct frame *frame;

		*f = (struct written){ input_number(in), input_below(in, FRAME_MAX + 1), input_u8(in) };
		frame = frame_alloc(f->len);
		FUZZ_MUST(frame);
		memset(frame->data, f->fill, f->len);
		FUZZ_MUST(!pcap_write(w, f->at, frame));
		frame_unref(frame);
		if (input_one_in(in, 4))
			FUZZ_MUST(!pcap_flush(w));
	}
}

/* A device that is always full: the error is reported at the end at the latest. */
static void full(struct input *in)
{
	struct frame *frame = frame_alloc(input_below(in, FRAME_MAX + 1));
	struct pcap_writer *w = NULL;

	FUZZ_MUST(frame && pcap_open(&w, "/dev/full") < 0 && !w);
	frame_unref(frame);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct input in = { data, size };
	struct written frames[MOST_FRAMES];
	struct pcap_writer *w;
	unsigned int num;
	char path[64];
	int fd;

	if (input_one_in(&in, 64)) {
		full(&in);
		return 0;
	}
	fd = memfd_create("pcap", 0);
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	FUZZ_MUST(fd >= 0 && !pcap_open(&w, path));
	fill(w, &in, frames, &num);
	FUZZ_MUST(!pcap_close(w));
	check(fd, frames, num);
	close(fd);
	return 0;
}
