// SPDX-License-Identifier: BSD-2-Clause
/*
 * Solves Laplace's equation on a square of SIDE x SIDE points by PETSc, with conjugate gradients, and with their
 * pipelined form, whose reductions do not block. It prints the residual of every iteration and the error against the
 * known solution; tools/check-mpi compares them.
 */
#include <petscksp.h>

#define SIDE 12

static PetscErrorCode print_residual(KSP ksp, PetscInt n, PetscReal norm, void *unused)
{
	(void)ksp;
	(void)unused;
	return PetscPrintf(PETSC_COMM_WORLD, "residual %" PetscInt_FMT " %.12e\n", n, norm);
}

/* A point of the square is coupled with its four neighbours. */
static PetscErrorCode set_row(Mat a, PetscInt row)
{
	const PetscInt x = row % SIDE, y = row / SIDE;
	const PetscInt column[] = { row, row - 1, row + 1, row - SIDE, row + SIDE };
	const PetscBool exists[] = { PETSC_TRUE, x > 0, x < SIDE - 1, y > 0, y < SIDE - 1 };

	PetscFunctionBeginUser;
	for (int i = 0; i < 5; i++)
		if (exists[i])
			PetscCall(MatSetValue(a, row, column[i], i ? -1.0 : 4.0, INSERT_VALUES));
	PetscFunctionReturn(0);
}

static PetscErrorCode make_matrix(Mat *a)
{
	PetscInt first, end;

	PetscFunctionBeginUser;
	PetscCall(MatCreateAIJ(PETSC_COMM_WORLD, PETSC_DECIDE, PETSC_DECIDE, SIDE * SIDE, SIDE * SIDE, 5, NULL, 5, NULL,
			       a));
	PetscCall(MatGetOwnershipRange(*a, &first, &end));
	for (PetscInt row = first; row < end; row++)
		PetscCall(set_row(*a, row));
	PetscCall(MatAssemblyBegin(*a, MAT_FINAL_ASSEMBLY));
	PetscCall(MatAssemblyEnd(*a, MAT_FINAL_ASSEMBLY));
	PetscFunctionReturn(0);
}

static PetscErrorCode set_known(Vec known)
{
	PetscInt first, end;

	PetscFunctionBeginUser;
	PetscCall(VecGetOwnershipRange(known, &first, &end));
	for (PetscInt row = first; row < end; row++)
		PetscCall(VecSetValue(known, row, 1.0 + row % 7, INSERT_VALUES));
	PetscCall(VecAssemblyBegin(known));
	PetscCall(VecAssemblyEnd(known));
	PetscFunctionReturn(0);
}

static PetscErrorCode solve(KSPType method, Mat a, Vec known, Vec right, Vec found)
{
	KSPConvergedReason reason;
	PetscReal error;
	PC conditioner;
	KSP ksp;

	PetscFunctionBeginUser;
	PetscCall(MatMult(a, known, right));
	PetscCall(KSPCreate(PETSC_COMM_WORLD, &ksp));
	PetscCall(KSPSetOperators(ksp, a, a));
	PetscCall(KSPSetTolerances(ksp, 1e-8, PETSC_DEFAULT, PETSC_DEFAULT, PETSC_DEFAULT));
	PetscCall(KSPSetType(ksp, method));
	PetscCall(KSPGetPC(ksp, &conditioner));
	PetscCall(PCSetType(conditioner, PCJACOBI));
	PetscCall(KSPMonitorSet(ksp, print_residual, NULL, NULL));
	PetscCall(KSPSolve(ksp, right, found));
	PetscCall(KSPGetConvergedReason(ksp, &reason));
	PetscCall(VecAXPY(found, -1.0, known));
	PetscCall(VecNorm(found, NORM_INFINITY, &error));
	PetscCall(PetscPrintf(PETSC_COMM_WORLD, "%s converged %s\n%s error %.3e\n", method, reason > 0 ? "yes" : "no",
			      method, error));
	PetscCall(KSPDestroy(&ksp));
	PetscFunctionReturn(0);
}

int main(int argc, char **argv)
{
	Vec known, right, found;
	Mat a;

	PetscCall(PetscInitialize(&argc, &argv, NULL, NULL));
	PetscCall(make_matrix(&a));
	PetscCall(MatCreateVecs(a, &known, &right));
	PetscCall(VecDuplicate(known, &found));
	PetscCall(set_known(known));
	PetscCall(solve(KSPCG, a, known, right, found));
	PetscCall(solve(KSPPIPECG, a, known, right, found));
	PetscCall(VecDestroy(&found));
	PetscCall(VecDestroy(&right));
	PetscCall(VecDestroy(&known));
	PetscCall(MatDestroy(&a));
	PetscCall(PetscFinalize());
	return 0;
}
