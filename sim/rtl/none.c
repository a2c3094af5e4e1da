// SPDX-License-Identifier: BSD-2-Clause
/* In place of hardware.cpp, without Verilator. */
#include <stddef.h>

#include "rtl/rtl.h"

const struct nic_units *rtl_units(void)
{
	return NULL;
}
