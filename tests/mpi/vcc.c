// SPDX-License-Identifier: BSD-2-Clause
/*
 * vcc: the connected components of a graph by vertex collapse (Hirschberg, Chandra and Sarwate,
 * 1979). Each rank has some rows of the adjacency matrix. A round collapses components into their
 * smallest vertices: all vertices choose a neighbour, then each component chooses among those,
 * then chains of choices are followed by doubling. In each of these steps the vertices of all
 * ranks are gathered at rank 0 and broadcast. This is the program VCC of document 002, which has
 * (4 + L) L broadcasts and gathers, and 4 L barriers, with L the logarithm of the number of
 * vertices, rounded up. The result is compared with that of one process.
 */
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arrival.h"
#include "program.h"

struct graph {
	const struct program *p;
	int n;		/* vertices; with isolated ones, so that each rank has as many */
	int num, first; /* those of this rank */
	int rounds;
	unsigned char *edge; /* rows of this rank */
	int *component;	     /* of each vertex: a vertex */
	int *choice, *head;  /* of each vertex */
	int *mine;	     /* next values for this rank's vertices */
};

/* About one edge at each vertex, so there are small components and large ones; and a long path. */
static bool has_edge(const struct program *p, int a, int b)
{
	int low = a < b ? a : b, high = a < b ? b : a;

	if (a == b || high >= p->vertices)
		return false;
	if (p->seed % 2 && high - low == 1 && low > p->vertices / 2)
		return true;
	return program_random(p->seed, low, high) % p->vertices == 0;
}

static void make_graph(struct graph *g, const struct program *p)
{
	g->p = p;
	g->num = (p->vertices + p->size - 1) / p->size;
	g->n = g->num * p->size;
	g->first = g->num * p->rank;
	while (1 << g->rounds < p->vertices)
		g->rounds++;
	g->edge = program_room((size_t)g->num * g->n);
	for (int i = 0; i < g->num; i++)
		for (int j = 0; j < g->n; j++)
			g->edge[(size_t)i * g->n + j] = has_edge(p, g->first + i, j);
	g->component = program_room(g->n * sizeof(int));
	g->choice = program_room(g->n * sizeof(int));
	g->head = program_room(g->n * sizeof(int));
	g->mine = program_room(g->num * sizeof(int));
	for (int i = 0; i < g->n; i++)
		g->component[i] = i;
}

static void free_graph(struct graph *g)
{
	free(g->edge);
	free(g->component);
	free(g->choice);
	free(g->head);
	free(g->mine);
}

/* All ranks get the values of all vertices. */
static void exchange(struct graph *g, int *all, const char *site)
{
	MPI_Gather(g->mine, g->num, MPI_INT, all, g->num, MPI_INT, 0, MPI_COMM_WORLD);
	arrival_bcast(all, g->n, MPI_INT, 0, site);
}

/* Each vertex chooses the smallest other component among its neighbours', or its own. */
static void choose_neighbour(struct graph *g)
{
	for (int i = 0; i < g->num; i++) {
		int own = g->component[g->first + i], best = g->n;

		for (int j = 0; j < g->n; j++)
			if (g->edge[(size_t)i * g->n + j] && g->component[j] != own &&
			    g->component[j] < best)
				best = g->component[j];
		g->mine[i] = best < g->n ? best : own;
	}
}

/* Each component chooses the smallest other component that its vertices chose, or itself. */
static void choose_for_component(struct graph *g)
{
	for (int i = 0; i < g->num; i++) {
		int vertex = g->first + i, best = g->n;

		for (int j = 0; j < g->n; j++)
			if (g->component[j] == vertex && g->choice[j] != vertex &&
			    g->choice[j] < best)
				best = g->choice[j];
		g->mine[i] = best < g->n ? best : g->component[vertex];
	}
}

static void follow(struct graph *g)
{
	for (int i = 0; i < g->num; i++)
		g->mine[i] = g->choice[g->choice[g->first + i]];
}

/* Chains end in two components that chose each other; the smaller one is the new component. */
static void collapse(struct graph *g)
{
	for (int i = 0; i < g->num; i++) {
		int end = g->choice[g->first + i], other = g->head[end];

		g->mine[i] = end < other ? end : other;
	}
}

static void solve(struct graph *g)
{
	for (int round = 0; round < g->rounds; round++) {
		choose_neighbour(g);
		exchange(g, g->choice, "neighbour");
		MPI_Barrier(MPI_COMM_WORLD);
		choose_for_component(g);
		exchange(g, g->choice, "component");
		MPI_Barrier(MPI_COMM_WORLD);
		memcpy(g->mine, &g->choice[g->first], g->num * sizeof(int));
		exchange(g, g->head, "head");
		MPI_Barrier(MPI_COMM_WORLD);
		for (int i = 0; i < g->rounds; i++) {
			follow(g);
			exchange(g, g->choice, "follow");
		}
		collapse(g);
		exchange(g, g->component, "collapse");
		MPI_Barrier(MPI_COMM_WORLD);
	}
}

/* Labels by depth-first search: each component gets its smallest vertex. */
static int *search(const struct graph *g)
{
	int *label = program_room(g->n * sizeof(int)), *stack = program_room(g->n * sizeof(int));

	memset(label, -1, g->n * sizeof(int));
	for (int i = 0, depth = 0; i < g->n; i++) {
		if (label[i] >= 0)
			continue;
		label[i] = i;
		stack[depth++] = i;
		while (depth) {
			int at = stack[--depth];

			for (int j = 0; j < g->n; j++) {
				if (label[j] < 0 && has_edge(g->p, at, j)) {
					label[j] = i;
					stack[depth++] = j;
				}
			}
		}
	}
	free(stack);
	return label;
}

/* Every rank has all components, and compares those of all vertices. */
static unsigned long long compare(const struct graph *g)
{
	size_t expected = (size_t)(4 + g->rounds) * g->rounds;
	unsigned long long wrong = arrival_count() != expected;
	int *label = search(g), components = 0;

	for (int i = 0; i < g->n; i++) {
		wrong += g->component[i] != label[i];
		components += label[i] == i && i < g->p->vertices;
	}
	if (!g->p->rank)
		printf("vcc: %d components\n", components);
	free(label);
	return wrong;
}

int main(int argc, char **argv)
{
	struct graph g = { 0 };
	unsigned long long wrong;
	struct program p;
	double taken;

	program_begin(&p, "vcc", argc, argv);
	make_graph(&g, &p);
	solve(&g);
	taken = program_seconds(&p);
	wrong = compare(&g);
	free_graph(&g);
	return program_end(&p, taken, wrong);
}
