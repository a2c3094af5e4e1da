// SPDX-License-Identifier: BSD-2-Clause
/* Communicators: which have a team, and what they did before. */
#include "mpi/openmpi/component.h"

#include "ompi/mca/pml/pml.h"
#include "ompi/proc/proc.h"
#include "opal/runtime/opal_progress.h"
#include "opal/util/output.h"

#include "mpi/openmpi/list.h"

static int exchange(ompi_communicator_t *comm, void *give, int to, void *get, int from, size_t bytes)
{
	ompi_request_t *sent, *received;
	int err;

	err = MCA_PML_CALL(irecv(get, bytes, MPI_BYTE, from, MCA_COLL_BASE_TAG_UCC, comm, &received));
	if (err)
		return err;
	err = MCA_PML_CALL(isend(give, bytes, MPI_BYTE, to, MCA_COLL_BASE_TAG_UCC,
				 MCA_PML_BASE_SEND_STANDARD, comm, &sent));
	if (!err)
		err = ompi_request_wait(&sent, MPI_STATUS_IGNORE);
	return err ? err : ompi_request_wait(&received, MPI_STATUS_IGNORE);
}

/* Each step doubles the blocks, of which a rank has its own and those of the ranks after it. */
int tally_allgather_bytes(void *arg, const void *mine, void *all, size_t bytes)
{
	ompi_communicator_t *comm = arg;
	int rank = ompi_comm_rank(comm), size = ompi_comm_size(comm), err = OMPI_SUCCESS;
	char *blocks = malloc(size * bytes);

	if (!blocks)
		return OMPI_ERR_OUT_OF_RESOURCE;
	memcpy(blocks, mine, bytes);
	for (int have = 1; have < size && !err; have *= 2) {
		int more = have < size - have ? have : size - have;

		err = exchange(comm, blocks, (rank - have + size) % size, blocks + have * bytes,
			       (rank + have) % size, more * bytes);
	}
	for (int i = 0; i < size; i++)
		memcpy((char *)all + (rank + i) % size * bytes, blocks + i * bytes, bytes);
	free(blocks);
	return err;
}

static struct tallycoll_oob oob_of(ompi_communicator_t *comm)
{
	return (struct tallycoll_oob){
		.allgather = tally_allgather_bytes,
		.arg = comm,
		.rank = ompi_comm_rank(comm),
		.size = ompi_comm_size(comm),
	};
}

/* MPI_COMM_WORLD is the first communicator of more than one rank. */
static bool find_context(ompi_communicator_t *comm)
{
	struct tally_component *c = &mca_coll_tally_component;
	struct tallycoll_context_params params = { .threads = c->threads, .tune = c->tune };
	char why[256] = "";

	if (c->tried || comm != &ompi_mpi_comm_world.comm)
		return c->context;
	c->tried = true;
	params.oob = oob_of(comm);
	params.memory_released = c->hooked = tally_hooks_open();
	if (tallycoll_context_create(&params, &c->context, why, sizeof(why))) {
		if (*why)
			opal_output(0, "coll:tally: no offload: %s", why);
		if (c->hooked)
			tally_hooks_close();
		c->context = NULL;
		return false;
	}
	if (c->hooked)
		tally_hooks_tell(c->context);
	c->prints = c->keep && !params.oob.rank;
	opal_progress_register(tally_progress);
	return true;
}

/*
 * Finds the communicator's ranks in MPI_COMM_WORLD. Returns NULL if some are of another job, which is
 * so at all ranks if it is at one.
 */
static uint32_t *find_ranks(ompi_communicator_t *comm)
{
	opal_process_name_t own = ompi_group_get_proc_name(comm->c_local_group, ompi_comm_rank(comm));
	int size = ompi_comm_size(comm);
	uint32_t *ranks = malloc(size * sizeof(*ranks));

	for (int r = 0; ranks && r < size; r++) {
		opal_process_name_t name = ompi_group_get_proc_name(comm->c_local_group, r);

		ranks[r] = name.vpid;
		if (name.jobid != own.jobid) {
			free(ranks);
			ranks = NULL;
		}
	}
	return ranks;
}

enum tallycoll_status tally_make_team(struct tally_module *m)
{
	struct tallycoll_team_params params = { .oob = oob_of(m->comm), .ranks = m->ranks };
	enum tallycoll_status status;

	status = tallycoll_team_create(mca_coll_tally_component.context, &params, &m->team);
	if (status) {
		opal_output(0, "coll:tally: no offload on %s: %s", m->comm->c_name,
			    tallycoll_status_str(status));
		m->team = NULL;
		return status;
	}
	free(m->ranks);
	m->ranks = NULL;
	opal_atomic_add_fetch_32(&mca_coll_tally_component.modules, 1);
	return TALLYCOLL_OK;
}

/*
 * Whether modules that offload nothing are of use, as they count operations for the summary. The team
 * of MPI_COMM_WORLD tells whether any offloads, and is made at once.
 */
static bool is_of_use(struct tally_module *m)
{
	struct tally_component *c = &mca_coll_tally_component;
	enum tallycoll_reason reason;

	if (m->comm == &ompi_mpi_comm_world.comm) {
		if (tally_make_team(m))
			return false;
		reason = tallycoll_team_reason(m->team);
		c->idle = reason == TALLYCOLL_REASON_DISABLED || reason == TALLYCOLL_REASON_NO_DEVICE;
	}
	return c->keep || !c->idle;
}

/* The previous module must exist, since the library may refuse any operation. */
#define SAVE(name)                                                               \
	do {                                                                     \
		m->previous.coll_##name = comm->c_coll->coll_##name;             \
		m->previous.coll_##name##_module = comm->c_coll->coll_##name##_module; \
		if (!m->previous.coll_##name##_module)                           \
			m->super.coll_##name = NULL;                             \
		else                                                             \
			OBJ_RETAIN(m->previous.coll_##name##_module);            \
	} while (0);

static int enable(mca_coll_base_module_t *module, ompi_communicator_t *comm)
{
	struct tally_module *m = (struct tally_module *)module;

	m->comm = comm;
	m->ranks = find_ranks(comm);
	if (!m->ranks)
		return OMPI_ERR_NOT_SUPPORTED;
	if (!is_of_use(m))
		return OMPI_ERR_NOT_AVAILABLE;
	TALLY_ALL_FUNCTIONS(SAVE)
	return OMPI_SUCCESS;
}

static int disable(mca_coll_base_module_t *module, ompi_communicator_t *comm)
{
	struct tally_module *m = (struct tally_module *)module;

	(void)comm;
	m->comm = NULL;
	return OMPI_SUCCESS;
}

mca_coll_base_module_t *tally_comm_query(ompi_communicator_t *comm, int *priority)
{
	struct tally_component *c = &mca_coll_tally_component;
	struct tally_module *m;

	*priority = -1;
	if (!c->enabled || OMPI_COMM_IS_INTER(comm) || ompi_comm_size(comm) < 2 ||
	    !find_context(comm))
		return NULL;
	m = OBJ_NEW(tally_module_t);
	if (!m)
		return NULL;
	m->super.coll_module_enable = enable;
	m->super.coll_module_disable = disable;
	tally_set_functions(&m->super);
	*priority = c->priority;
	return &m->super;
}

static void construct(struct tally_module *m)
{
	m->comm = NULL;
	m->ranks = NULL;
	m->team = NULL;
	m->failed = false;
	memset(&m->previous, 0, sizeof(m->previous));
}

#define RELEASE(name)                                                     \
	do {                                                              \
		if (m->previous.coll_##name##_module)                     \
			OBJ_RELEASE(m->previous.coll_##name##_module);    \
	} while (0);

static void destruct(struct tally_module *m)
{
	TALLY_ALL_FUNCTIONS(RELEASE)
	free(m->ranks);
	if (!m->team)
		return;
	tallycoll_team_destroy(m->team);
	opal_atomic_add_fetch_32(&mca_coll_tally_component.modules, -1);
}

OBJ_CLASS_INSTANCE(tally_module_t, mca_coll_base_module_t, construct, destruct);
