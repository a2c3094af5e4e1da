/* SPDX-License-Identifier: BSD-2-Clause */
/*
 * Open MPI's op.h includes this header of Open MPI, which Debian's libopenmpi-dev lacks. Of it op.h needs
 * this macro, for a function that the component does not call.
 */
#ifndef OMPI_FORTRAN_BASE_FINT_2_INT_H
#define OMPI_FORTRAN_BASE_FINT_2_INT_H

#define OMPI_INT_2_FINT(number) ((MPI_Fint)(number))

#endif
