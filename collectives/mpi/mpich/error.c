// SPDX-License-Identifier: BSD-2-Clause
/* Errors of the library as errors of MPI. */
#include <pthread.h>
#include <stdio.h>

#include "mpi/mpich/job.h"

/*
 * An error code has a text of its own only if its class is the program's, so each of MPI's classes has one
 * that stands for it. The text is that of the last error, because the number of codes is limited.
 */
static struct {
	int class, own, code;
} known[4];

static int code_for(int class, const char *text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	char string[MPI_MAX_ERROR_STRING];
	unsigned int i = 0;
	int own, code, result = class;

	snprintf(string, sizeof(string), "%s", text);
	pthread_mutex_lock(&lock);
	while (known[i].class && known[i].class != class)
		i++;
	if (!known[i].class && !PMPI_Add_error_class(&own) && !PMPI_Add_error_code(own, &code)) {
		known[i].own = own;
		known[i].code = code;
		known[i].class = class;
	}
	if (known[i].class) {
		result = known[i].code;
		PMPI_Add_error_string(result, string);
	}
	pthread_mutex_unlock(&lock);
	return result;
}

int MPI_Error_class(int code, int *class)
{
	int err = PMPI_Error_class(code, class);

	for (unsigned int i = 0; !err && i < sizeof(known) / sizeof(known[0]); i++)
		if (known[i].class && known[i].own == *class)
			*class = known[i].class;
	return err;
}

static int class_of(enum tallycoll_status status)
{
	switch (status) {
	case TALLYCOLL_ERR_PARAM:
	case TALLYCOLL_ERR_MISMATCH:
		return MPI_ERR_ARG;
	case TALLYCOLL_ERR_MEMORY:
		return MPI_ERR_NO_MEM;
	case TALLYCOLL_ERR_RANK_GONE:
		return MPIX_ERR_PROC_FAILED;
	default:
		return MPI_ERR_OTHER;
	}
}

int tcm_raise(struct tcm_comm *c, enum tallycoll_status status, const char *sentence)
{
	int code = code_for(class_of(status),
			    sentence && *sentence ? sentence : tallycoll_status_str(status));

	PMPI_Comm_call_errhandler(c->comm == MPI_COMM_NULL ? MPI_COMM_WORLD : c->comm, code);
	return code;
}

int tcm_raise_call(struct tcm_comm *c, const struct tcm_call *call, enum tallycoll_status status)
{
	return tcm_raise(c, status, call->request ? tallycoll_request_error(call->request) :
						    tallycoll_team_error(c->team));
}
