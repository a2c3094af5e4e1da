// SPDX-License-Identifier: BSD-2-Clause
/* What Open MPI calls once in a process. */
#include "mpi/openmpi/component.h"

#include "opal/runtime/opal_progress.h"

#include "mpi/openmpi/request.h"

static int register_variables(void)
{
	const mca_base_component_t *c = &mca_coll_tally_component.super.collm_version;

	mca_coll_tally_component.priority = 95;
	mca_base_component_var_register(c, "priority", "Priority of the component tally",
					MCA_BASE_VAR_TYPE_INT, NULL, 0, 0, OPAL_INFO_LVL_9,
					MCA_BASE_VAR_SCOPE_READONLY,
					&mca_coll_tally_component.priority);
	mca_coll_tally_component.enabled = true;
	mca_base_component_var_register(c, "enable", "Whether Tally NICs may perform collectives",
					MCA_BASE_VAR_TYPE_BOOL, NULL, 0, 0, OPAL_INFO_LVL_9,
					MCA_BASE_VAR_SCOPE_READONLY,
					&mca_coll_tally_component.enabled);
	mca_base_component_var_register(c, "tune", "Rules for operations, as in TALLY_COLL_TUNE",
					MCA_BASE_VAR_TYPE_STRING, NULL, 0, 0, OPAL_INFO_LVL_9,
					MCA_BASE_VAR_SCOPE_READONLY,
					&mca_coll_tally_component.tune);
	return OMPI_SUCCESS;
}

static int open_component(void)
{
	struct tally_component *c = &mca_coll_tally_component;
	const char *summary = getenv("TALLY_COLL_SUMMARY");

	c->keep = summary && !strcmp(summary, "1");
	OBJ_CONSTRUCT(&c->active, opal_list_t);
	OBJ_CONSTRUCT(&c->lock, opal_mutex_t);
	OBJ_CONSTRUCT(&c->requests, opal_free_list_t);
	return opal_free_list_init(&c->requests, sizeof(struct tally_request),
				   opal_cache_line_size, OBJ_CLASS(tally_request_t), 0, 0, 0,
				   -1, 8, NULL, 0, NULL, NULL, NULL);
}

/* All communicators have been freed, unless the program has left requests that refer to one. */
static int close_component(void)
{
	struct tally_component *c = &mca_coll_tally_component;

	if (c->context) {
		opal_progress_unregister(tally_progress);
		if (c->prints)
			tallycoll_context_summary(c->context, stderr);
		if (c->hooked)
			tally_hooks_close();
		if (!c->modules)
			tallycoll_context_destroy(c->context);
		c->context = NULL;
	}
	OBJ_DESTRUCT(&c->requests);
	OBJ_DESTRUCT(&c->lock);
	OBJ_DESTRUCT(&c->active);
	return OMPI_SUCCESS;
}

static int init_query(bool progress_threads, bool mpi_threads)
{
	(void)progress_threads;
	mca_coll_tally_component.threads = mpi_threads;
	return OMPI_SUCCESS;
}

OMPI_MODULE_DECLSPEC struct tally_component mca_coll_tally_component = {
	.super = {
		.collm_version = {
			MCA_COLL_BASE_VERSION_2_0_0,
			.mca_component_name = "tally",
			MCA_BASE_MAKE_VERSION(component, 0, 1, 0),
			.mca_open_component = open_component,
			.mca_close_component = close_component,
			.mca_register_component_params = register_variables,
		},
		.collm_data = { MCA_BASE_METADATA_PARAM_NONE },
		.collm_init_query = init_query,
		.collm_comm_query = tally_comm_query,
	},
};
