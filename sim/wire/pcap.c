// SPDX-License-Identifier: BSD-2-Clause
#include "wire/pcap.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

/* The format in the machine's byte order, which readers recognize by the magic number. */
#define PCAP_MAGIC_NS		0xa1b23c4d
#define PCAP_LINKTYPE_ETHERNET	1

struct pcap_file_header {
	uint32_t magic;
	uint16_t major, minor;
	int32_t zone;
	uint32_t accuracy;
	uint32_t snap_len;
	uint32_t linktype;
};

struct pcap_record {
	uint32_t seconds, nanoseconds;
	uint32_t captured, original;
};

_Static_assert(sizeof(struct pcap_file_header) == 24, "pcap file header");
_Static_assert(sizeof(struct pcap_record) == 16, "pcap record header");

struct pcap_writer {
	FILE *file;
	int error;		/* 0 or the first -errno */
};

static int put(struct pcap_writer *w, const void *data, size_t len)
{
	if (!w->error && fwrite(data, 1, len, w->file) != len)
		w->error = -errno;
	return w->error;
}

int pcap_open(struct pcap_writer **out, const char *path)
{
	const struct pcap_file_header header = {
		.magic = PCAP_MAGIC_NS, .major = 2, .minor = 4,
		.snap_len = FRAME_MAX, .linktype = PCAP_LINKTYPE_ETHERNET,
	};
	struct pcap_writer *w = calloc(1, sizeof(*w));
	int err;

	if (!w)
		return -ENOMEM;
	w->file = fopen(path, "we");
	if (!w->file) {
		err = -errno;
		free(w);
		return err;
	}
	put(w, &header, sizeof(header));
	err = pcap_flush(w);
	if (err) {
		pcap_close(w);
		return err;
	}
	*out = w;
	return 0;
}

int pcap_write(struct pcap_writer *w, vtime_t at, const struct frame *f)
{
	const struct pcap_record record = {
		.seconds = at / VT_S, .nanoseconds = at % VT_S / VT_NS,
		.captured = f->len, .original = f->len,
	};

	put(w, &record, sizeof(record));
	return put(w, f->data, f->len);
}

int pcap_flush(struct pcap_writer *w)
{
	if (!w->error && fflush(w->file))
		w->error = -errno;
	return w->error;
}

int pcap_close(struct pcap_writer *w)
{
	int err;

	if (!w)
		return 0;
	if (fclose(w->file) && !w->error)
		w->error = -errno;
	err = w->error;
	free(w);
	return err;
}
