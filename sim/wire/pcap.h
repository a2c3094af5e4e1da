/* SPDX-License-Identifier: BSD-2-Clause */
/* Writer of captures: pcap with nanosecond time stamps, which are virtual time. */
#ifndef TALLY_SIM_WIRE_PCAP_H
#define TALLY_SIM_WIRE_PCAP_H

#include "core/event.h"
#include "wire/frame.h"

struct pcap_writer;

/* Create or truncate the capture @path. Returns 0 and the writer in @out, or -errno. */
int pcap_open(struct pcap_writer **out, const char *path);

/*
 * Append @f, which was seen at time @at. Returns 0 or -errno. After an error the file may end
 * inside a record, so nothing more is written and every call returns that error.
 */
int pcap_write(struct pcap_writer *w, vtime_t at, const struct frame *f);

/* Hand all frames written so far to the system. Returns 0 or -errno, as pcap_write(). */
int pcap_flush(struct pcap_writer *w);

/*
 * Flush, close and free @w, which may be NULL. Returns 0 or the first -errno that the writer met.
 */
int pcap_close(struct pcap_writer *w);

#endif
