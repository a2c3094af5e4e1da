/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The server for tallyctl. A client connects to RUN_CONTROL, sends one line of text, receives one
 * line of JSON, and the connection ends. The supervisor owns the socket, and the worker answers;
 * the worker never waits for a client.
 */
#ifndef TALLY_SIM_SERVE_CTL_H
#define TALLY_SIM_SERVE_CTL_H

#include "serve/cluster.h"

struct ctl;

/* Serves @cluster on the listening @listen_fd; both are borrowed. NULL: errno is set. */
struct ctl *ctl_new(int listen_fd, struct cluster *cluster);

/* Accepts NULL. */
void ctl_free(struct ctl *ctl);

/* Returns a descriptor that becomes readable when ctl_serve() has something to do. */
int ctl_fd(const struct ctl *ctl);

/* Serves all clients that can be served without waiting. */
void ctl_serve(struct ctl *ctl);

/*
 * Answers the line @request of @len bytes, which ends in a NUL and is modified. The caller frees
 * the answer. Returns NULL if out of memory. An error is an answer too: {"error": "..."}. @request
 * is NULL if the request was too long.
 */
char *ctl_answer(struct cluster *cluster, char *request, size_t len);

#endif
