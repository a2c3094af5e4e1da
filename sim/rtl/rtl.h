/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * The Verilated hardware of the NIC, rtl/nic/tally_nic.sv, as units of the simulated NIC
 * (nic/units.h), and the options by which a user chooses it.
 */
#ifndef TALLY_SIM_RTL_RTL_H
#define TALLY_SIM_RTL_RTL_H

#include <stdbool.h>

#include "core/event.h"
#include "nic/units.h"

/* Return the hardware, or NULL if the program was built without Verilator. */
const struct nic_units *rtl_units(void);

/* Value of the option --engine: write NULL (model) or the hardware (rtl). Prints an error. */
bool rtl_take_engine(const char *text, const struct nic_units **units);

/*
 * Value of the option --wave, DIR[,nic=NAME][,from=TIME][,to=TIME]: NICs that are made from now on
 * write their wave forms to DIR/NAME.fst. Prints an error.
 */
bool rtl_take_wave(const char *text);

/* Whether these NICs can have the wave forms that were asked for, if any. Prints an error. */
bool rtl_check_wave(const struct nic_units *units);

/* Where the NIC @name writes its wave forms. */
struct rtl_wave {
	char *path;	/* the caller frees it; NULL: nowhere */
	vtime_t from, to;
};

struct rtl_wave rtl_wave_of(const char *name);

#endif
