/* SPDX-License-Identifier: BSD-2-Clause */
/* Messages of the command-line programs. Libraries return errors and never print. */
#ifndef TALLY_SIM_CORE_LOG_H
#define TALLY_SIM_CORE_LOG_H

/* Write "<program name>: <message>\n" to stderr. */
void sim_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/*
 * Show the progress of a long command as a line on the terminal, at most five times a second. Each
 * call replaces the line. Nothing is written unless stderr is a terminal.
 */
void sim_progress(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* Remove that line, before other output and at the end. sim_warn() removes it itself. */
void sim_progress_end(void);

#endif
