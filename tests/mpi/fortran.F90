! SPDX-License-Identifier: BSD-2-Clause
! Collectives from Fortran, by mpif.h (-DMPIF), the module mpi (-DMPI) or mpi_f08. Rank 0 prints "fortran: PASS".
program fortran
#ifdef MPIF
  implicit none
  include 'mpif.h'
  integer :: comm, request
#elif defined(MPI)
  use mpi
  implicit none
  integer :: comm, request
#else
  use mpi_f08
  implicit none
  type(MPI_Comm) :: comm
  type(MPI_Request) :: request
#endif
  integer :: rank, ranks, error, i
  double precision :: from(100), to(100)
  integer :: pair(2), best(2), later(3)
  logical :: mine, all_true

  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, error)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, error)
  call MPI_Comm_size(comm, ranks, error)
  do i = 1, 100
    from(i) = rank + i
  end do
  call MPI_Allreduce(from, to, 100, MPI_DOUBLE_PRECISION, MPI_SUM, comm, error)
  do i = 1, 100
    if (to(i) /= ranks * (ranks - 1) / 2 + ranks * i) call wrong('allreduce')
  end do
  call MPI_Allreduce(MPI_IN_PLACE, from, 100, MPI_DOUBLE_PRECISION, MPI_MAX, comm, error)
  if (from(7) /= ranks + 6) call wrong('allreduce in place')
  mine = rank > 0
  call MPI_Allreduce(mine, all_true, 1, MPI_LOGICAL, MPI_LAND, comm, error)
  if (all_true) call wrong('allreduce of logicals')
  call MPI_Allreduce(mine, all_true, 1, MPI_LOGICAL, MPI_LOR, comm, error)
  if (all_true .neqv. ranks > 1) call wrong('allreduce of logicals')
  pair = [5, ranks - rank]
  call MPI_Allreduce(pair, best, 1, MPI_2INTEGER, MPI_MAXLOC, comm, error)
  if (best(1) /= 5 .or. best(2) /= 1) call wrong('maxloc')
  later = rank
  call MPI_Ibcast(later, 3, MPI_INTEGER, ranks - 1, comm, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  if (any(later /= ranks - 1) .or. error /= MPI_SUCCESS) call wrong('ibcast')
  call MPI_Ibarrier(comm, request, error)
  call MPI_Wait(request, MPI_STATUS_IGNORE, error)
  call MPI_Barrier(comm, error)
  call MPI_Comm_free(comm, error)
  call MPI_Finalize(error)
  if (rank == 0) print '(a)', 'fortran: PASS'
contains
  subroutine wrong(what)
    character(*), intent(in) :: what
    print '(3a, i0)', 'fortran: ', what, ' is wrong at rank ', rank
    call MPI_Abort(MPI_COMM_WORLD, 1, error)
  end subroutine
end program
