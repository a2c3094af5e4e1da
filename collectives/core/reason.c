// SPDX-License-Identifier: BSD-2-Clause
#include "tallycoll.h"

static const struct {
	const char *name, *sentence;
} reasons[TALLYCOLL_NUM_REASONS] = {
	[TALLYCOLL_REASON_NONE] = { "OFFLOADED", "The operation is offloaded." },
	[TALLYCOLL_REASON_DISABLED] = { "DISABLED", "TALLY_COLL=off disables offload." },
	[TALLYCOLL_REASON_NO_DEVICE] = { "NO_DEVICE",
		"A rank of the job has no Tally NIC, or could not open it." },
	[TALLYCOLL_REASON_ONE_RANK] = { "ONE_RANK", "The communicator has one rank." },
	[TALLYCOLL_REASON_NO_GROUP] = { "NO_GROUP",
		"A device or the quota of a process has no room for another group." },
	[TALLYCOLL_REASON_NO_MEMORY] = { "NO_MEMORY", "A rank has no memory left." },
	[TALLYCOLL_REASON_TOO_MANY_RANKS] = { "TOO_MANY_RANKS",
		"A node has more ranks than a NIC has contributors, so there cannot be a block for each." },
	[TALLYCOLL_REASON_TEAM_BROKEN] = { "TEAM_BROKEN",
		"An earlier operation on the communicator has failed." },
	[TALLYCOLL_REASON_UNSUPPORTED_OP] = { "UNSUPPORTED_OP",
		"The NICs do not perform the operation, or not on this type." },
	[TALLYCOLL_REASON_UNSUPPORTED_TYPE] = { "UNSUPPORTED_TYPE",
		"The NICs do not reduce the type." },
	[TALLYCOLL_REASON_EMPTY] = { "EMPTY", "There are no elements." },
	[TALLYCOLL_REASON_SLOWER] = { "SLOWER",
		"The cost model expects the host's algorithm to be faster." },
	[TALLYCOLL_REASON_OVERRIDDEN] = { "OVERRIDDEN", "TALLY_COLL_TUNE chooses the host." },
	[TALLYCOLL_REASON_NOT_ALONE] = { "NOT_ALONE",
		"The NICs cannot finish the non-blocking operation without the CPU." },
};

const char *tallycoll_reason_name(enum tallycoll_reason reason)
{
	return (unsigned int)reason < TALLYCOLL_NUM_REASONS ? reasons[reason].name : "UNKNOWN";
}

const char *tallycoll_reason_str(enum tallycoll_reason reason)
{
	return (unsigned int)reason < TALLYCOLL_NUM_REASONS ? reasons[reason].sentence :
							      "The reason is unknown.";
}

const char *tallycoll_status_str(enum tallycoll_status status)
{
	switch (status) {
	case TALLYCOLL_OK:
		return "The operation is complete.";
	case TALLYCOLL_INPROGRESS:
		return "The operation is in progress.";
	case TALLYCOLL_NOT_OFFLOADED:
		return "The operation is not offloaded.";
	case TALLYCOLL_ERR_PARAM:
		return "An argument is wrong.";
	case TALLYCOLL_ERR_MEMORY:
		return "There is no memory left.";
	case TALLYCOLL_ERR_OOB:
		return "The allgather of the runtime failed.";
	case TALLYCOLL_ERR_RANK_GONE:
		return "A process ended during the operation.";
	case TALLYCOLL_ERR_MISMATCH:
		return "The calls of the ranks do not match.";
	case TALLYCOLL_ERR_NETWORK:
		return "The operation failed in the network.";
	}
	return "The status is unknown.";
}
