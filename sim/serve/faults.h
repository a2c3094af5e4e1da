/* SPDX-License-Identifier: BSD-2-Clause */
/* The faults of a cluster, which outlive the worker in the page shared with the supervisor. */
#ifndef TALLY_SIM_SERVE_FAULTS_H
#define TALLY_SIM_SERVE_FAULTS_H

#include "serve/cluster.h"

/*
 * Registers the NICs, links and the switch of @cluster with its rules, and takes over the faults in
 * the shared page. Returns 0, or -1 after printing the error.
 */
int faults_build(struct cluster *cluster);

/* Adds the fault @text. Returns its id, or -errno with a sentence in @err. */
int faults_add(struct cluster *cluster, const char *text, char *err, size_t err_len);

/* Saves the history of the faults in the shared page, for a replacement worker. */
void faults_keep(const struct cluster *cluster);

/* Clears the fault @id. Returns 0, or -ENOENT if there is none. */
int faults_clear(struct cluster *cluster, unsigned int id);

#endif
