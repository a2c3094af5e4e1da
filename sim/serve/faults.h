/* SPDX-License-Identifier: BSD-2-Clause */
/* The faults of a cluster; they outlive the worker, in the page it shares with its supervisor. */
#ifndef TALLY_SIM_SERVE_FAULTS_H
#define TALLY_SIM_SERVE_FAULTS_H

#include "serve/cluster.h"

/*
 * Makes the NICs, links and the switch of @cluster known to its rules and takes over the faults in
 * the shared page. Returns 0, or -1 after saying what failed.
 */
int faults_build(struct cluster *cluster);

/* Adds the fault @text. Returns its id, or -errno with a sentence in @err. */
int faults_add(struct cluster *cluster, const char *text, char *err, size_t err_len);

/* Keeps in the shared page what the faults have been through, for a worker that takes over. */
void faults_keep(const struct cluster *cluster);

/* Takes back the fault @id. 0, or -ENOENT: there is none. */
int faults_clear(struct cluster *cluster, unsigned int id);

#endif
