/* SPDX-License-Identifier: BSD-2-Clause */
/* Parser of work requests, and its refusals. */
#ifndef TALLY_SIM_ENGINE_WQE_H
#define TALLY_SIM_ENGINE_WQE_H

#include "engine/tables.h"

enum tally_coll_status wqe_parse(struct engine *e, const struct qp *qp, uint32_t index,
				 const void *data, size_t len, struct wqe *w);
/* Return the fields that the completion of a request repeats. */
struct request wqe_request(const struct wqe *w);
/* Return the local ranks that the gather list, or the result list, of a request is for. */
uint64_t wqe_givers(const struct group *g, const struct wqe *w);
uint64_t wqe_getters(const struct group *g, const struct wqe *w);

#endif
