// SPDX-License-Identifier: BSD-2-Clause
/* Errors of the library as errors of MPI. */
#include <pthread.h>
#include <stdio.h>

#include "mpi/mpich/job.h"

/*
 * MPI has room for a limited number of error codes, so each class has one, whose text is that of the
 * last error.
 */
static int code_for(int class, const char *text)
{
	static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
	static struct {
		int class, code;
	} known[4];
	char string[MPI_MAX_ERROR_STRING];
	unsigned int i = 0;
	int code = class;

	snprintf(string, sizeof(string), "%s", text);
	pthread_mutex_lock(&lock);
	while (known[i].code && known[i].class != class)
		i++;
	if (!known[i].code && !PMPI_Add_error_code(class, &code)) {
		known[i].class = class;
		known[i].code = code;
	}
	if (known[i].code) {
		code = known[i].code;
		PMPI_Add_error_string(code, string);
	}
	pthread_mutex_unlock(&lock);
	return code;
}

static int class_of(enum tallycoll_status status)
{
	switch (status) {
	case TALLYCOLL_ERR_PARAM:
	case TALLYCOLL_ERR_MISMATCH:
		return MPI_ERR_ARG;
	case TALLYCOLL_ERR_MEMORY:
		return MPI_ERR_NO_MEM;
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
