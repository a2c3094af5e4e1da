/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * What tallyctl talks to. A client connects to RUN_CONTROL, sends one line of text, gets one line
 * of JSON, and the connection ends. The supervisor holds the socket, the worker answers; it never
 * waits for a client.
 */
#ifndef TALLY_SIM_SERVE_CTL_H
#define TALLY_SIM_SERVE_CTL_H

#include "serve/cluster.h"

struct ctl;

/* Serves @cluster on the listening socket @listen_fd; both are borrowed. NULL: errno. */
struct ctl *ctl_new(int listen_fd, struct cluster *cluster);

/* NULL is allowed. */
void ctl_free(struct ctl *ctl);

/* Becomes readable when ctl_serve() has something to do. */
int ctl_fd(const struct ctl *ctl);

/* Serves all who can be served without waiting. */
void ctl_serve(struct ctl *ctl);

/*
 * The answer to the line @request of @len bytes, which is taken apart and ends in a NUL, as text that
 * the caller frees; NULL: no memory. An error is an answer too: {"error": "..."}. A @request of NULL
 * was too long.
 */
char *ctl_answer(struct cluster *cluster, char *request, size_t len);

#endif
