// SPDX-License-Identifier: BSD-2-Clause
#include "core/trace.h"

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define MAX_DEPTH	16		/* of nested spans */
#define BUFFER_BYTES	(1u << 20)

/* One line of a track: the spans around its newest one, and that one last. */
struct row {
	unsigned int tid;
	unsigned int depth;
	vtime_t start;			/* start of the newest span */
	vtime_t end[MAX_DEPTH];
};

struct sim_track {
	struct sim_track *next;		/* of the process */
	struct process *process;
	char *name;
	enum sim_track_kind kind;
	struct row *row;
	unsigned int rows;
};

struct process {
	struct process *next;
	struct sim_trace *trace;
	char *name;
	unsigned int pid;
	unsigned int tids;		/* number of tids given out */
	struct sim_track *tracks;
};

struct sim_trace {
	FILE *file;
	char *buffer;
	int err;			/* errno of the first failure */
	bool begun;			/* an event has been written */
	struct process *processes, **tail;
	unsigned int pids;
};

static void *need(void *p)
{
	if (!p)
		abort();
	return p;
}

static void note(struct sim_trace *t, bool failed)
{
	if (failed && !t->err)
		t->err = errno ? errno : EIO;
}

static void __attribute__((format(printf, 2, 3))) put(struct sim_trace *t, const char *fmt, ...)
{
	va_list ap;

	if (t->err)
		return;
	errno = 0;
	va_start(ap, fmt);
	note(t, vfprintf(t->file, fmt, ap) < 0);
	va_end(ap);
}

/* Names come from callers, who may have taken them from a command line. */
static void put_escaped(struct sim_trace *t, const char *s)
{
	for (; *s; s++) {
		if (*s == '"' || *s == '\\')
			put(t, "\\%c", *s);
		else if ((unsigned char)*s < 0x20)
			put(t, "\\u%04x", *s);
		else
			put(t, "%c", *s);
	}
}

static void put_key(struct sim_trace *t, const char *key, const char *value)
{
	put(t, "\"%s\":\"", key);
	put_escaped(t, value);
	put(t, "\"");
}

/* The format counts in microseconds. */
static void put_time(struct sim_trace *t, const char *key, vtime_t v)
{
	put(t, ",\"%s\":%" PRIu64 ".%06" PRIu64, key, v / VT_US, v % VT_US);
}

static void begin_event(struct sim_trace *t, const char *phase, const char *name, unsigned int pid,
			unsigned int tid)
{
	put(t, t->begun ? ",\n{" : "\n{");
	t->begun = true;
	put_key(t, "name", name);
	put(t, ",\"ph\":\"%s\",\"pid\":%u,\"tid\":%u", phase, pid, tid);
}

static void put_order(struct process *p, const char *what, unsigned int tid, unsigned int at)
{
	begin_event(p->trace, "M", what, p->pid, tid);
	put(p->trace, ",\"args\":{\"sort_index\":%u}}", at);
}

/* Name a row of a track; all rows but the first have a number. */
static void name_row(const struct sim_track *track, unsigned int tid)
{
	struct process *p = track->process;
	struct sim_trace *t = p->trace;

	begin_event(t, "M", "thread_name", p->pid, tid);
	put(t, ",\"args\":{\"name\":\"");
	put_escaped(t, track->name);
	if (track->rows > 1)
		put(t, " %u", track->rows);
	put(t, "\"}}");
	put_order(p, "thread_sort_index", tid, tid);
}

static void name_process(struct process *p)
{
	begin_event(p->trace, "M", "process_name", p->pid, 0);
	put(p->trace, ",\"args\":{");
	put_key(p->trace, "name", p->name);
	put(p->trace, "}}");
	put_order(p, "process_sort_index", 0, p->pid);
}

static struct row *add_row(struct sim_track *track)
{
	struct process *p = track->process;
	struct row *r;

	track->row = need(reallocarray(track->row, track->rows + 1, sizeof(*r)));
	r = &track->row[track->rows++];
	*r = (struct row){ .tid = ++p->tids };
	if (r->tid == 1)
		name_process(p);
	name_row(track, r->tid);
	return r;
}

/* Add the span to the row if there is room for it. Returns false otherwise. */
static bool fits(struct row *r, enum sim_track_kind kind, vtime_t start, vtime_t end)
{
	unsigned int depth = r->depth;

	if (depth && start < r->start)
		return false;
	while (depth && r->end[depth - 1] <= start)
		depth--;
	if (depth && (kind == SIM_TRACK_ROWS || depth == MAX_DEPTH || end > r->end[depth - 1]))
		return false;
	r->end[depth] = end;
	r->depth = depth + 1;
	r->start = start;
	return true;
}

static struct row *row_for(struct sim_track *track, vtime_t start, vtime_t end)
{
	struct row *r;

	for (unsigned int i = 0; i < track->rows; i++)
		if (fits(&track->row[i], track->kind, start, end))
			return &track->row[i];
	r = add_row(track);
	fits(r, track->kind, start, end);
	return r;
}

void sim_trace_span_args(struct sim_track *track, const char *name, vtime_t start, vtime_t end,
			 const struct sim_trace_arg *args, size_t n)
{
	struct sim_trace *t = track->process->trace;
	unsigned int tid = row_for(track, start, end)->tid;

	begin_event(t, "X", name, track->process->pid, tid);
	put_time(t, "ts", start);
	put_time(t, "dur", end - start);
	for (size_t i = 0; i < n; i++)
		put(t, "%s\"%s\":%" PRIu64, i ? "," : ",\"args\":{", args[i].name, args[i].value);
	put(t, n ? "}}" : "}");
}

void sim_trace_span(struct sim_track *track, const char *name, vtime_t start, vtime_t end)
{
	sim_trace_span_args(track, name, start, end, NULL, 0);
}

static struct process *process_of(struct sim_trace *t, const char *name)
{
	struct process *p;

	for (p = t->processes; p; p = p->next)
		if (!strcmp(p->name, name))
			return p;
	p = need(calloc(1, sizeof(*p)));
	p->trace = t;
	p->name = need(strdup(name));
	p->pid = ++t->pids;
	*t->tail = p;
	t->tail = &p->next;
	return p;
}

struct sim_track *sim_trace_track(struct sim_trace *t, const char *process, const char *name,
				  enum sim_track_kind kind)
{
	struct process *p = process_of(t, process);
	struct sim_track *track;

	for (track = p->tracks; track; track = track->next)
		if (!strcmp(track->name, name))
			return track;
	track = need(calloc(1, sizeof(*track)));
	track->process = p;
	track->name = need(strdup(name));
	track->kind = kind;
	track->next = p->tracks;
	p->tracks = track;
	return track;
}

struct sim_trace *sim_trace_open(const char *path)
{
	struct sim_trace *t = calloc(1, sizeof(*t));

	if (!t)
		return NULL;
	t->file = fopen(path, "we");
	if (!t->file) {
		free(t);
		return NULL;
	}
	t->tail = &t->processes;
	t->buffer = need(malloc(BUFFER_BYTES));
	setvbuf(t->file, t->buffer, _IOFBF, BUFFER_BYTES);
	put(t, "{\"displayTimeUnit\":\"ns\",\"traceEvents\":[");
	return t;
}

static void free_process(struct process *p)
{
	struct sim_track *track;

	while ((track = p->tracks)) {
		p->tracks = track->next;
		free(track->name);
		free(track->row);
		free(track);
	}
	free(p->name);
	free(p);
}

int sim_trace_close(struct sim_trace *t)
{
	struct process *p;
	int err;

	if (!t)
		return 0;
	put(t, "\n]}\n");
	errno = 0;
	note(t, fclose(t->file) != 0);
	err = t->err;
	while ((p = t->processes)) {
		t->processes = p->next;
		free_process(p);
	}
	free(t->buffer);
	free(t);
	return -err;
}
