/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the command-line programs. Libraries return errors and never print. */
#ifndef TALLY_SIM_CORE_LOG_H
#define TALLY_SIM_CORE_LOG_H

/* Write "<program name>: <message>\n" to stderr. */
void sim_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
