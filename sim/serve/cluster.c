// SPDX-License-Identifier: BSD-2-Clause
#include "serve/cluster.h"

#include <endian.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "core/log.h"
#include "serve/faults.h"

static void *bus_map(void *ctx, uint64_t bus_addr, size_t len)
{
	const struct station *st = ctx;

	if (fab_rules_dma_fails(st->cluster->rules, st - st->cluster->stations))
		return NULL;
	return guest_mem_at(st->mem, bus_addr, len);
}

static void bus_interrupt(void *ctx, unsigned int vector)
{
	const struct station *st = ctx;

	ivshmem_interrupt(st->attachment, vector);
}

static const struct nic_bus bus = { .map = bus_map, .interrupt = bus_interrupt };

/* Prints that @what of @st failed because of @err; returns -1. */
static int failed(const struct station *st, const char *what, int err)
{
	sim_warn("vm%u-nic%u: %s: %s", st->vm, st->index, what, strerror(err));
	return -1;
}

void station_name(const struct station *st, char name[STATION_NAME_MAX])
{
	snprintf(name, STATION_NAME_MAX, "vm%u-nic%u", st->vm, st->index);
}

/* Makes a locally administered address: "TA", the VM and the NIC. */
static void station_mac(const struct station *st, uint8_t mac[6])
{
	const uint8_t bytes[6] = { 0x02, 0x54, 0x41, st->vm, 0, st->index };

	memcpy(mac, bytes, sizeof(bytes));
}

static int new_nic(struct cluster *cl, struct station *st)
{
	char name[STATION_NAME_MAX];
	struct nic_cfg cfg = {
		.bar = st->bar,
		.bus = &bus,
		.bus_ctx = st,
		.port = fab_link_port(st->link, 0),
		.link_mbps = fab_link_params(st->link)->bits_per_s / 1000000,
		.timing = nic_timing_default,
		.seed = rng_next(sim_rng(cl->sim)),
		.name = name,
		.units = cl->cfg->opt->units,
	};

	station_name(st, name);
	station_mac(st, cfg.mac);
	st->nic = nic_new(cl->sim, &cfg);
	return st->nic ? 0 : failed(st, "NIC", errno);
}

static struct fab_link *new_link(struct cluster *cl, const struct station *st)
{
	const struct fab_link_params params = FAB_LINK_DEFAULTS;
	char name[STATION_NAME_MAX];

	station_name(st, name);
	return fab_link_new(cl->sim, &params, name, SWITCH_NAME);
}

/* Captures of earlier workers are kept: this worker's have its generation in their names. */
static int capture(struct cluster *cl, const struct station *st, const char *dir)
{
	char *path;
	int err;

	if (!cl->cfg->generation)
		return fab_link_capture(st->link, dir);
	if (asprintf(&path, "%s/link-%s-%s.%u.pcap", dir, fab_link_name(st->link, 0),
		     fab_link_name(st->link, 1), cl->cfg->generation) < 0)
		return -ENOMEM;
	err = fab_link_capture_to(st->link, path);
	free(path);
	return err;
}

static int wire(struct cluster *cl, struct station *st)
{
	const char *dir = cl->cfg->opt->pcap_dir;
	unsigned int port = st - cl->stations;
	uint8_t mac[6];
	int err;

	st->link = new_link(cl, st);
	if (!st->link)
		return failed(st, "link", errno);
	err = fab_switch_attach(cl->sw, port, fab_link_port(st->link, 1));
	if (err)
		return failed(st, "switch port", -err);
	station_mac(st, mac);
	err = fab_switch_learn(cl->sw, mac, port);
	if (err)
		return failed(st, "switch table", -err);
	err = dir ? capture(cl, st, dir) : 0;
	return err ? failed(st, "capture", -err) : 0;
}

static int build_station(struct cluster *cl, struct station *st)
{
	int err = ivshmem_map_bar(st->attachment, &st->bar);

	if (err)
		return failed(st, "BAR2", -err);
	if (wire(cl, st))
		return -1;
	return new_nic(cl, st);
}

static int map_memory(struct cluster *cl)
{
	const struct worker_cfg *cfg = cl->cfg;

	for (unsigned int vm = 0; vm < cfg->opt->vms; vm++) {
		int err = guest_mem_map(&cl->mem[vm], cfg->mem_fd[vm], cfg->opt->mem_bytes);

		if (err) {
			sim_warn("vm%u: memory: %s", vm, strerror(-err));
			return -1;
		}
	}
	return 0;
}

static int build_fabric(struct cluster *cl)
{
	const struct options *opt = cl->cfg->opt;
	struct fab_switch_params params = FAB_SWITCH_DEFAULTS;

	params.ports = opt->vms * opt->nics;
	cl->sim = sim_new(opt->seed + cl->cfg->generation);
	if (cl->sim)
		cl->sw = fab_switch_new(cl->sim, &params);
	cl->stations = calloc(params.ports, sizeof(*cl->stations));
	if (!cl->sw || !cl->stations) {
		sim_warn("switch with %u ports: %s", params.ports, strerror(errno));
		return -1;
	}
	cl->num_stations = params.ports;
	for (unsigned int i = 0; i < cl->num_stations; i++)
		cl->stations[i] = (struct station){
			.cluster = cl,
			.vm = i / opt->nics,
			.index = i % opt->nics,
			.bar = MAP_FAILED,
			.mem = &cl->mem[i / opt->nics],
			.attachment = &cl->cfg->nics[i],
		};
	return 0;
}

int cluster_build(struct cluster *cl, const struct worker_cfg *cfg)
{
	*cl = (struct cluster){ .cfg = cfg };
	if (map_memory(cl) || build_fabric(cl))
		return -1;
	for (unsigned int i = 0; i < cl->num_stations; i++)
		if (build_station(cl, &cl->stations[i]))
			return -1;
	return faults_build(cl);
}

/* After the first error, frames are missing from the capture; this is printed once. */
static void report_capture(struct station *st, int err)
{
	if (err && err != -ENOENT && !st->capture_failed) {
		st->capture_failed = true;
		failed(st, "capture ends early", -err);
	}
}

void cluster_free(struct cluster *cl)
{
	for (unsigned int i = 0; i < cl->num_stations; i++)
		nic_free(cl->stations[i].nic);
	fab_rules_free(cl->rules);
	fab_switch_free(cl->sw);
	for (unsigned int i = 0; i < cl->num_stations; i++) {
		struct station *st = &cl->stations[i];

		if (st->link)
			report_capture(st, fab_link_capture_end(st->link));
		fab_link_free(st->link);
		if (st->bar != MAP_FAILED)
			ivshmem_unmap_bar(st->bar);
	}
	free(cl->stations);
	sim_free(cl->sim);
	for (unsigned int vm = 0; vm < MAX_VMS; vm++)
		guest_mem_unmap(&cl->mem[vm]);
}

/* Sets BAR2 to its state after power-up, except for what nic_new() needs to continue the epoch. */
static void wipe_bar(void *bar)
{
	struct tally_ident *ident = (void *)((uint8_t *)bar + TALLY_BAR_IDENT_OFFSET);
	const struct tally_ident kept = { .magic = htole64(TALLY_MAGIC), .epoch = ident->epoch };

	memset(bar, 0, TALLY_BAR_SIZE);
	*ident = kept;
}

int cluster_power_cycle(struct cluster *cl, unsigned int station)
{
	struct station *st = &cl->stations[station];

	nic_free(st->nic);
	wipe_bar(st->bar);
	return new_nic(cl, st);
}

bool cluster_doorbells(struct cluster *cl)
{
	bool news = false;

	for (unsigned int i = 0; i < cl->num_stations; i++)
		news |= nic_doorbells(cl->stations[i].nic);
	return news;
}

void cluster_sleep(struct cluster *cl, bool asleep)
{
	for (unsigned int i = 0; i < cl->num_stations; i++)
		nic_sleep(cl->stations[i].nic, asleep);
}

void cluster_flush_captures(struct cluster *cl)
{
	if (!cl->cfg->opt->pcap_dir)
		return;
	for (unsigned int i = 0; i < cl->num_stations; i++) {
		struct station *st = &cl->stations[i];

		report_capture(st, fab_link_capture_flush(st->link));
	}
}
