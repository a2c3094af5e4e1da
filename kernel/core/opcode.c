// SPDX-License-Identifier: GPL-2.0 OR Linux-OpenIB
/* Names of the commands. */
#include "opcode.h"

#define OPCODE_NAME(name, value, text) \
	[value] = #name,
static const char * const opcode_names[] = { TALLY_ADMIN_LIST(OPCODE_NAME) };

/**
 * tally_opcode_name() - Return the name of a command, for the log.
 * @opcode: opcode that the driver sends
 *
 * Return: the name, a static text.
 */
const char *tally_opcode_name(enum tally_admin_opcode opcode)
{
	return opcode_names[opcode];
}
