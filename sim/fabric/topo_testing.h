/* SPDX-License-Identifier: BSD-2-Clause */
/* For the tests of fabrics: a fabric with a counter at every host. */
#ifndef TALLY_SIM_FABRIC_TOPO_TESTING_H
#define TALLY_SIM_FABRIC_TOPO_TESTING_H

#include "fabric/topology.h"

struct site {
	struct sim *sim;
	unsigned int count;	/* frames that arrived */
	vtime_t last;		/* arrival of the last one */
	uint64_t digest;	/* of their times and bytes */
};

struct world {
	struct sim *sim;
	struct topo *topo;
	struct site site[TOPO_MAX_HOSTS];
};

static inline void site_rx(void *arg, struct frame *f)
{
	struct site *s = arg;

	s->count++;
	s->last = sim_now(s->sim);
	s->digest = (s->digest ^ s->last) * 0x100000001b3u;
	for (unsigned int i = 0; i < f->len; i++)
		s->digest = (s->digest ^ f->data[i]) * 0x100000001b3u;
	frame_unref(f);
}

static inline void site_mac(unsigned int host, uint8_t mac[6])
{
	memcpy(mac, ((uint8_t[]){ 2, 0, 0, 0, host >> 8, host }), 6);
}

static inline struct topo_cfg world_config(enum topo_kind kind, unsigned int hosts,
					   unsigned int ports)
{
	struct topo_cfg cfg = TOPO_DEFAULTS;

	cfg.kind = kind;
	cfg.hosts = hosts;
	cfg.sw.ports = ports;
	return cfg;
}

static inline struct world *world_new(const struct topo_cfg *cfg)
{
	struct world *w = calloc(1, sizeof(*w));
	char why[160] = "";
	uint8_t mac[6];

	assert_non_null(w);
	w->sim = sim_new(1);
	assert_non_null(w->sim);
	w->topo = topo_new(w->sim, cfg, why, sizeof(why));
	if (!w->topo)
		fail_msg("%s", why);
	for (unsigned int i = 0; i < cfg->hosts; i++) {
		struct fab_port *port = topo_port(w->topo, i);

		w->site[i].sim = w->sim;
		port->rx = site_rx;
		port->arg = &w->site[i];
		site_mac(i, mac);
		assert_int_equal(topo_learn(w->topo, i, mac), 0);
	}
	return w;
}

static inline void world_free(struct world *w)
{
	topo_free(w->topo);
	sim_free(w->sim);
	free(w);
}

static inline void world_forget(struct world *w)
{
	for (unsigned int i = 0; i < topo_hosts(w->topo); i++)
		w->site[i] = (struct site){ .sim = w->sim };
}

static inline void world_run(struct world *w)
{
	assert_true(sim_run_idle(w->sim, sim_now(w->sim) + VT_S));
}

static inline int send_frame(struct world *w, unsigned int from, const uint8_t mac[6], size_t bytes)
{
	struct frame *f = frame_alloc(bytes);

	assert_non_null(f);
	memcpy(f->data, mac, 6);
	f->data[bytes - 1] = from;
	return fab_send(topo_port(w->topo, from), f);
}

static inline int send_to(struct world *w, unsigned int from, unsigned int to, size_t bytes)
{
	uint8_t mac[6];

	site_mac(to, mac);
	return send_frame(w, from, mac, bytes);
}

#endif
