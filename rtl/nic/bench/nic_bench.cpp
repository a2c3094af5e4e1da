// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_nic: frames of all kinds come in while packets of all kinds leave, with stalls on every side. It compares
// records, admissions, payloads, frames and refusals with the C model, as the benches of the blocks do, and in each cycle
// whether the block may say that it is idle. Registers and tables are read and written between the runs; the counters must
// have counted everything.
#include <algorithm>
#include <cstddef>
#include <cstring>
#include <deque>
#include <map>
#include <set>
#include <vector>

#include "encap_packets.h"
#include "parser_frames.h"
#include "Vdut.h"
#include "bench.h"
#include "nic_access.h"
#include "nic_cycles.h"
#include "nic_firmware.h"
#include "nic_messages.h"
#include "nic_numbers.h"
#include "nic_pressure.h"
#include "nic_requests.h"
#include "parser_record.h"
#include "rtl/axi_lite.h"

extern "C" {
#include "admission_model.h"
#include "gen/tally_fw_hw.h"
}

struct Arrived {	// a frame of which the first word has entered
	enum tally_rx verdict;
	struct model_rx rx;
	std::vector<uint8_t> data;
};

struct Event {		// a packet for the firmware
	struct engine_admission admission;
	struct tally_tch tch;
	std::vector<uint8_t> payload;
};

struct Named {		// a packet to be sent, which may be numbered
	Packet packet;
	bool named;
	EdgeName edge;
	unsigned int ref;
};

struct Armed {		// an edge that is to be acknowledged: when something of it was stored or came again
	uint64_t first, last;
	bool sure;	// else what was stored last may have been acknowledged
};

struct Flight {		// a numbered packet beyond the boundary
	struct engine_admission admission;
	uint32_t seq;
};

constexpr uint64_t clock_ps = 4000, delay_ps = 1000ull * TALLY_FW_ACK_DELAY;
constexpr uint64_t ack_clocks = 5;	// from when an edge is due until its acknowledgement is offered
constexpr uint64_t end_clocks = 4;	// from an end until the edge is armed, at most
constexpr unsigned int least_rested = 3;	// numbers that are acknowledged at rest
constexpr unsigned int reply_clocks = 200;	// for an acknowledgement of some numbers
constexpr unsigned int max_writes = 2000, most_tries = 1000, ack_tries = 40, longest_drop = 600;	// clocks in which payloads of frames are dropped, or edges visited that have nothing to send again

class Nic {
public:
	Nic(int argc, char **argv)
		: bench("nic", argc, argv), dut(*bench.dut), frames(bench.rng), rx(bench.rng), rec(bench.rng), pay(bench.rng),
		  end(bench.rng), ack(bench.rng), hdr(bench.rng), dat(bench.rng), tx(bench.rng), told(bench.rng), numbers(bench.rng, Groups)
	{
		dut.axil_awvalid_i = dut.axil_wvalid_i = dut.axil_arvalid_i = dut.axil_bready_i = dut.axil_rready_i = 0;
		dut.rx_tvalid_i = dut.rec_ready_i = dut.pay_tready_i = dut.hdr_valid_i = dut.dat_tvalid_i = dut.tx_tready_i = dut.end_valid_i = dut.ack_ready_i = 0;
		dut.cpl_valid_i = dut.evt_valid_i = dut.dma_awready_i = dut.dma_wready_i = dut.dma_bvalid_i = 0;
		dut.dma_arready_i = dut.dma_rvalid_i = dut.irq_ready_i = 0;
		Accesses::idle_inputs(dut);
		Requests::idle_inputs(dut);
		dut.cmd_valid_i = 0;	// in the runs, nothing is for the segment store
		dut.ans_ready_i = 1;
		dut.random_valid_i = 0;
		dut.far_sgot_valid_i = dut.far_word_valid_i = dut.far_sge_ready_i = dut.far_read_ready_i = 0;
		dut.exc_valid_i = dut.drained_valid_i = 0;
		dut.now_i = dut.now_ns_i = 0;
		dut.acked_ready_i = dut.again_ready_i = dut.expired_ready_i = 0;
		model_init(bench.options.seed, Groups, Tombs);
		frames.edit = [this](struct roce_hdr &h, struct tally_tch &t) { meant(h, t); };
		restart();
		write_an_event();
		Accesses(bench).run();
		Requests(bench).run();
		Messages(bench).run();
		restart();
		FirmwarePackets(bench).run();
		restart();
		LeafCycles(bench).run();
		restart();
		InnerCycles(bench).run();
		restart();
		Pressure(bench).run();
		restart();
	}

	int run();

private:
	void restart()
	{
		bench.reset();
		while (bench.settle(), !dut.idle_o)
			bench.tick();
	}
	void meant(struct roce_hdr &h, struct tally_tch &t);
	void write_an_event();
	void change();
	uint32_t get(size_t at);
	void put(size_t at, const uint8_t *bytes, size_t n);
	void be_at(bool ip6);
	Frame some_frame();
	Frame some_ack(bool ip6);
	void some_packet();
	void offer_frame();
	void offer_packet();
	void offer_end();
	void inputs();
	void check_idle();
	void record();
	void admission(const Arrived &a);
	void take_off(const struct engine_admission &a, uint32_t seq);
	void arm(const struct engine_admission &a, uint64_t at);
	void has_passed();
	void ended();
	size_t to_acknowledge() const;
	void acknowledgement();
	void reply(const Arrived &a, const struct engine_admission &says);
	void sent();
	void write(uint32_t reg, uint32_t value);
	bool becomes_event(const Arrived &a);
	uint32_t read_event(size_t at);
	void compare_event(uint32_t next);
	void read_begins();
	void read_events();
	void drop_events(uint32_t reg, uint32_t value);
	void too_many_events();
	void payload();
	void leaving();
	void cycle();
	void drain();
	void rest();
	void reply_at_rest();
	void count(size_t at, uint64_t expected, const char *what);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	Frames frames;
	tally::Throttle rx, rec, pay, end, ack, hdr, dat, tx, told;
	bool stalls = true;
	// received
	std::deque<Frame> coming;
	size_t at = 0;			// offset in the first one
	bool rx_offered = false;
	std::deque<Arrived> inside;
	std::deque<std::vector<uint8_t>> payloads;
	size_t payload_at = 0;
	std::map<unsigned int, Flight> flights;
	bool end_offered = false;
	std::map<std::pair<unsigned int, unsigned int>, Armed> armed;	// by context and edge
	uint64_t ack_since = 0;		// when the acknowledgement that is offered was
	bool ack_offered = false;
	bool rec_offered = false;
	uint64_t acks = 0;
	// sent
	std::deque<Named> packets;	// whose header has not been taken
	std::deque<Word> words;		// of those whose header has been taken
	std::deque<Bytes> expected;
	std::deque<Err> errors;
	bool hdr_offered = false, dat_offered = false;
	Numbers numbers;
	uint16_t ports = 0;
	bool again_offered = false;
	uint8_t kind_meant = 0;
	Bytes got;
	unsigned int dropping = 0;	// clocks in which nothing else has been inside
	uint64_t verdicts[TALLY_FW_ADMISSION_TURN + 1] = {};
	uint64_t flown = 0, dropped = 0, rested = 0;
	// for the firmware
	std::deque<Event> events;	// those that have entered, and have not been read
	std::set<uint32_t> begun;	// groups with an event BEGIN
	uint64_t begins_read = 0, begins_before = 0, events_read = 0, events_dropped = 0, lost = 0, marks = 0, marked = 0;
	uint64_t rx_frames = 0, rx_bad = 0, tx_frames = 0, tx_refused = 0;
};

// Whether a packet is admitted to a group that lives.
static bool lives(const struct engine_admission &a)
{
	return a.verdict == TALLY_FW_ADMISSION_OK && model_alive(&a);
}

// The packet becomes one that is for one of the groups, or nearly; every second one is probably from an open edge.
void Nic::meant(struct roce_hdr &h, struct tally_tch &t)
{
	static unsigned int turn;
	struct model_packet m;
	struct engine_admission a;
	unsigned int tries = turn++ % 2 ? most_tries : 1;
	uint32_t newest = 0;
	bool right;

	do {
		model_packet(&m);
		a = model_admit(&m);
		right = t.kind == TALLY_KIND_ACK ? lives(a) && numbers.newest({ a.group, a.edge }, newest) : model_judge(&m).numbered;
	} while (--tries && !right);
	if (t.kind == TALLY_KIND_ACK && bench.rng.one_in(2))
		t.flags &= ~htobe16(TALLY_TCH_F_MULTICAST);
	std::memcpy(h.sgid, m.sgid, sizeof(h.sgid));
	t.contributor = m.tch.contributor;
	t.jid = m.tch.jid;
	t.epoch = m.tch.epoch;
	t.key = m.tch.key;
	t.edge_seq = m.tch.edge_seq;
	t.num = m.tch.num;
	kind_meant = t.kind;
	if (t.kind == TALLY_KIND_ACK && numbers.newest({ a.group, a.edge }, newest))
		t.edge_seq = htobe32(newest);
}

void Nic::write(uint32_t reg, uint32_t value)
{
	// what was due before is told meanwhile
	auto tick = [this] {
		dut.now_i += clock_ps;
		dut.acked_ready_i = dut.again_ready_i = dut.expired_ready_i = 1;
		bench.settle();
		sent();
		bench.tick();
		dut.acked_ready_i = dut.again_ready_i = dut.expired_ready_i = 0;
	};

	CHECK(tally::axil_write(dut, reg, value, tick), "the write of register %x is refused", reg);
	numbers.written(reg, value);
	drop_events(reg, value);
}

// The registers of queues, the way to memory, and the interrupt; bench/queues_bench.cpp has the rest.
void Nic::write_an_event()
{
	constexpr uint64_t ring = 0x123456789a0;
	struct tally_eqe eqe;
	auto set = [this](size_t at, uint32_t value) {
		return tally::axil_write(dut, TALLY_FW_QUEUE_BASE + at, value, [this] { bench.tick(); });
	};
	auto until = [this](const auto &signal) {
		for (unsigned int i = 0; bench.settle(), !signal; i++, bench.tick())
			CHECK(i < 100 && !dut.idle_o, "an event is not written");
	};

	CHECK(set(offsetof(struct tally_fw_queue, addr), uint32_t(ring)) && set(offsetof(struct tally_fw_queue, addr) + 4, ring >> 32) &&
		      set(offsetof(struct tally_fw_queue, vector), 6) && set(offsetof(struct tally_fw_queue, log_depth), 3),
	      "a register of queues is refused");
	CHECK(!set(offsetof(struct tally_fw_queue, go), 0) && set(offsetof(struct tally_fw_queue, go), TALLY_FW_QUEUE_CREATE_EQ | 2 << 16),
	      "commands for queues");
	bench.settle();
	CHECK(dut.idle_o, "idle_o is low without work");
	dut.evt_valid_i = 1;
	dut.evt_eqn_i = 2;
	dut.evt_type_i = TALLY_EQE_PORT;
	dut.evt_id_i = bench.rng.next();
	dut.evt_data_i = bench.rng.next();
	bench.settle();
	CHECK(dut.evt_ready_o, "an event is not taken");
	bench.tick();
	dut.evt_valid_i = 0;
	dut.dma_awready_i = dut.dma_wready_i = 1;
	until(dut.dma_awvalid_o);
	CHECK(dut.dma_awaddr_o == (ring & ~63ull) && dut.dma_awid_o == 1, "an event is written to %llx", (unsigned long long)dut.dma_awaddr_o);
	bench.tick();
	until(dut.dma_wvalid_o);
	CHECK(dut.dma_wstrb_o == 0xffffffffull << ring % 64, "strobes %llx", (unsigned long long)dut.dma_wstrb_o);
	std::memcpy(&eqe, reinterpret_cast<const uint8_t *>(&dut.dma_wdata_o[0]) + ring % 64, sizeof(eqe));
	CHECK(eqe.etype == TALLY_EQE_PORT && le32toh(eqe.id) == dut.evt_id_i && le64toh(eqe.data) == dut.evt_data_i, "another event is written");
	bench.tick();
	bench.settle();
	CHECK(dut.idle_o, "idle_o is low while the memory is due");
	dut.dma_bvalid_i = 1;
	dut.dma_bid_i = 1;
	dut.dma_bresp_i = 0;
	bench.settle();
	CHECK(dut.dma_bready_o, "an answer is not taken");
	bench.tick();
	dut.dma_bvalid_i = 0;
	dut.irq_ready_i = 1;
	until(dut.irq_valid_o);
	CHECK(dut.irq_vector_o == 6 && dut.irq_eqn_o == 2, "interrupt %d of EQ %d", dut.irq_vector_o, dut.irq_eqn_o);
	bench.tick();
	bench.settle();
	CHECK(dut.idle_o, "idle_o stays low");
}

void Nic::change()
{
	std::vector<struct model_write> list(max_writes);

	list.resize(model_change(list.data(), max_writes));
	for (const struct model_write &w : list)
		write(w.reg, w.value);
	for (unsigned int tries = 0; tries < most_tries; tries++) {
		struct model_packet m;

		model_packet(&m);
		struct engine_admission a = model_admit(&m);

		if (!lives(a))
			continue;
		for (const RegisterWrite &w : numbers.open(a.group, a.edge))
			write(w.reg, w.value);
		break;
	}
	write(TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), TALLY_FW_CMD_BEGIN | bench.rng.below(Groups) << 16);
	CHECK(!tally::axil_write(dut, TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go), TALLY_FW_CMD_BEGIN | Groups << 16,
				 [this] { bench.tick(); }), "a tombstone begins");
	CHECK(!tally::axil_write(dut, TALLY_FW_GROUP_BASE + offsetof(struct tally_fw_group, level), 0, [this] { bench.tick(); }),
	      "a register of no unit is written");
}

static struct engine_admission admission_of(const struct model_rx &rx)
{
	struct model_packet m = {};

	std::memcpy(m.sgid, rx.hdr.sgid, sizeof(m.sgid));
	std::memcpy(&m.tch, rx.tch, sizeof(m.tch));
	std::memcpy(m.payload, rx.payload, std::min(sizeof(m.payload), rx.payload_len));
	return model_judge(&m);
}

uint32_t Nic::get(size_t at)
{
	auto value = tally::axil_read(dut, TALLY_FW_NET_BASE + at, [this] { bench.tick(); });

	CHECK(value, "the read of register %zx is refused", at);
	return *value;
}

void Nic::put(size_t at, const uint8_t *bytes, size_t n)
{
	for (size_t i = 0; i < n; i += 4) {
		uint32_t word = 0;

		std::memcpy(&word, bytes + i, n - i < 4 ? n - i : 4);
		CHECK(tally::axil_write(dut, TALLY_FW_NET_BASE + at + i, word, [this] { bench.tick(); }),
		      "the write of register %zx is refused", at + i);
		CHECK(get(at + i) == word, "register %zx does not keep its value", at + i);
	}
}

void Nic::be_at(bool ip6)
{
	frames.at_ip6 = ip6;
	put(offsetof(struct tally_fw_net, mac), frames.mac, sizeof(frames.mac));
	put(offsetof(struct tally_fw_net, gid), ip6 ? frames.gid6 : frames.gid4, 16);
}

Frame Nic::some_frame()
{
	bool ip6 = bench.rng.one_in(8) ? !frames.at_ip6 : frames.at_ip6;

	switch (bench.rng.below(8)) {
	case 0:
		return frames.other(ip6);
	case 1:
		return frames.mutated(ip6);
	case 2:
		return frames.garbage();
	case 3:
		return some_ack(ip6);
	default:
		return frames.good(ip6, bench.rng.one_in(8) ? bench.rng.below(4097) : bench.rng.below(130));
	}
}

// A switch marks a frame for congestion, by bits that no check covers in IPv6.
static Frame marked_frame(Frame f)
{
	constexpr size_t type = 12, flow = 15;

	if (f.data.size() > flow && f.data[type] == 0x86 && f.data[type + 1] == 0xdd)
		f.data[flow] |= 0x30;
	return f;
}

// A packet without data, of any kind, or perhaps an acknowledgement.
Frame Nic::some_ack(bool ip6)
{
	Frame f = frames.good(ip6, 0);

	for (unsigned int tries = 0; tries < ack_tries && kind_meant != TALLY_KIND_ACK; tries++)
		f = frames.good(ip6, 0);
	return f;
}

void Nic::some_packet()
{
	Packet p = packet(bench.rng, bench.rng.one_in(2), bench.rng.one_in(8) ? bench.rng.below(Mtu + 1) : bench.rng.below(130));

	if (bench.rng.one_in(6))
		spoil(bench.rng, p);
	Named n = { p, false, {}, unsigned(bench.rng.below(16384)) };	// others are of the store, and of descriptors

	n.named = !verdict(p) && bench.rng.one_in(2) && numbers.some_edge(n.edge);
	if (n.named)	// no two TRIGGERs have the same
		n.packet.tch.port = htobe16(ports++);
	packets.push_back(n);
}

void Nic::offer_frame()
{
	if (!rx_offered)
		rx_offered = !coming.empty() && (!stalls || rx.go());
	dut.rx_tvalid_i = rx_offered;
	if (!rx_offered)
		return;
	const Frame &f = coming.front();
	size_t n = std::min<size_t>(word_bytes, f.data.size() - at);

	std::memset(&dut.rx_tdata_i, 0xee, word_bytes);
	std::memcpy(&dut.rx_tdata_i, &f.data[at], n);
	dut.rx_tkeep_i = all >> (word_bytes - n);
	dut.rx_tlast_i = at + n == f.data.size();
	dut.rx_terror_i = dut.rx_tlast_i && f.mac_error;
}

void Nic::offer_packet()
{
	if (!hdr_offered)
		hdr_offered = !packets.empty() && (!stalls || hdr.go());
	dut.hdr_valid_i = hdr_offered;
	if (hdr_offered)
		::record(packets.front().packet).get(dut.hdr_i);
	if (hdr_offered) {
		const Named &n = packets.front();

		dut.name_i = uint64_t(n.named) << 41 | uint64_t(n.edge.first) << 24 | uint64_t(n.edge.second) << 16 | n.ref;
	}
	if (!dat_offered)
		dat_offered = !words.empty() && (!stalls || dat.go());
	dut.dat_tvalid_i = dat_offered;
	if (!dat_offered)
		return;
	std::memcpy(&dut.dat_tdata_i, words.front().data, word_bytes);
	dut.dat_tkeep_i = words.front().keep;
	dut.dat_tlast_i = words.front().last;
}

void Nic::offer_end()
{
	if (!end_offered && !flights.empty() && end.go()) {
		auto at = flights.begin();

		std::advance(at, bench.rng.below(flights.size()));
		end_offered = true;
		dut.end_flight_i = at->first;
		dut.end_stored_i = !bench.rng.one_in(4);
	}
	dut.end_valid_i = end_offered;
}

// Notes what enters at this edge.
void Nic::inputs()
{
	if (dut.rx_tvalid_i && dut.rx_tready_o) {
		rx_offered = false;
		if (!at) {
			Arrived a = { TALLY_RX_OK, {}, coming.front().data };

			inside.push_back(a);
			Arrived &in = inside.back();
			in.verdict = model_rx(&in.rx, in.data.data(), in.data.size(), frames.mac, frames.at_ip6 ? frames.gid6 : frames.gid4);
			if (coming.front().mac_error)
				in.verdict = TALLY_RX_MAC_ERROR;
			if (becomes_event(in))
				inside.pop_back();
		}
		at += word_bytes;
		if (dut.rx_tlast_i) {
			coming.pop_front();
			at = 0;
		}
	}
	if (dut.dat_tvalid_i && dut.dat_tready_o) {
		words.pop_front();
		dat_offered = false;
	}
	if (dut.hdr_valid_i && dut.hdr_ready_o) {
		Packet &p = packets.front().packet;
		Err err = verdict(p);
		uint32_t seq = 0;
		bool leaves = !packets.front().named || numbers.take(packets.front().edge, packets.front().ref, seq);

		words.insert(words.end(), p.payload.begin(), p.payload.end());
		if (packets.front().named && leaves) {
			p.tch.edge_seq = htobe32(seq);
			p.h.psn = seq & 0xffffff;
			if (p.tch.kind == TALLY_KIND_TRIGGER)
				p.tch.num = htobe32(seq);
		}
		if (!leaves)
			dropped++;
		else if (err)
			errors.push_back(err);
		else
			expected.push_back(built(p));
		packets.pop_front();
		hdr_offered = false;
	}
}

void Nic::check_idle()
{
	bool idle = inside.empty() && !dut.ack_valid_o && !dut.acked_valid_o && !dut.again_valid_o && !dut.expired_valid_o &&
		    payloads.empty() && expected.empty() && errors.empty();

	// When a packet for the firmware becomes an event is not seen, unless it is the first one.
	CHECK(!dut.idle_o || at || events.empty() || dut.fw_wait_o, "idle_o is high, and no event waits of %zu", events.size());
	dropping = idle && !at && !dut.idle_o ? dropping + 1 : 0;
	CHECK(idle ? dropping < longest_drop : !dut.idle_o, "idle_o is %d with %zu frames, %zu payloads, %zu packets and %zu refusals inside", dut.idle_o,
	      inside.size(), payloads.size(), expected.size(), errors.size());
}

void Nic::take_off(const struct engine_admission &a, uint32_t seq)
{
	for (const auto &[number, f] : flights)
		CHECK(number != dut.rec_flight_o && (f.admission.group != a.group || f.admission.edge != a.edge),
		      "two packets of an edge, or with the same flight, at a time");
	flights[dut.rec_flight_o] = { a, seq };
	flown++;
}

// The tables are those of when the packet came; no other packet of its edge is in flight, so its window is that of now.
void Nic::admission(const Arrived &a)
{
	struct engine_admission says = admission_of(a.rx);
	bool passes = says.numbered && says.verdict == TALLY_FW_ADMISSION_OK;
	struct tally_tch tch;

	std::memcpy(&tch, a.rx.tch, sizeof(tch));
	CHECK(dut.adm_o >> 24 == says.verdict, "the admission is %u, not %u", dut.adm_o >> 24, says.verdict);
	CHECK((says.verdict && !says.numbered) || (dut.adm_o & 0xffffff) == (says.group << 8 | says.edge),
	      "it is admitted to %x", dut.adm_o);
	CHECK(dut.rec_flight_valid_o == passes, "rec_flight_valid_o is %d", dut.rec_flight_valid_o);
	verdicts[says.verdict]++;
	if (passes)
		take_off(says, be32toh(tch.edge_seq));
	if (a.rx.payload_len && says.verdict == TALLY_FW_ADMISSION_OK)
		payloads.push_back({ a.rx.payload, a.rx.payload + a.rx.payload_len });
	reply(a, says);
}

// An acknowledgement of packets that were sent.
void Nic::reply(const Arrived &a, const struct engine_admission &says)
{
	struct tally_tch tch;
	uint64_t seen = 0;

	std::memcpy(&tch, a.rx.tch, sizeof(tch));
	if (says.verdict != TALLY_FW_ADMISSION_OK || !model_alive(&says) || tch.kind != TALLY_KIND_ACK ||
	    be16toh(tch.flags) & (TALLY_TCH_F_KILL_ACK | TALLY_TCH_F_MULTICAST))
		return;
	for (unsigned int i = 0; i < sizeof(seen); i++)
		seen = seen << 8 | a.rx.payload[i];
	numbers.acknowledged({ says.group, says.edge }, be32toh(tch.edge_seq), seen);
}

// ---- Events for the firmware ----

// The tables stay as long as a frame is inside.
bool Nic::becomes_event(const Arrived &a)
{
	Event e = {};

	if (a.verdict != TALLY_RX_OK)
		return false;
	e.admission = admission_of(a.rx);
	std::memcpy(&e.tch, a.rx.tch, sizeof(e.tch));
	bool of_end = e.tch.kind == TALLY_KIND_ACK && be16toh(e.tch.flags) & TALLY_TCH_F_KILL_ACK;

	if (e.admission.verdict != TALLY_FW_ADMISSION_OK || !(of_end || e.tch.kind == TALLY_KIND_OPEN || e.tch.kind == TALLY_KIND_KILL))
		return false;
	e.payload.assign(a.rx.payload, a.rx.payload + a.rx.payload_len);
	e.payload.resize(4 * TALLY_FW_DATA_WORDS);
	events.push_back(e);
	verdicts[e.admission.verdict]++;
	rx_frames++;
	marks += (a.rx.hdr.traffic_class & 3) == 3;
	return true;
}

uint32_t Nic::read_event(size_t at)
{
	auto value = tally::axil_read(dut, TALLY_FW_EVENT_BASE + at, [this] { bench.tick(); });

	CHECK(value, "the read of register %zx of an event is refused", at);
	return *value;
}

void Nic::compare_event(uint32_t next)
{
	const Event &e = events.front();
	const bool open = e.tch.kind == TALLY_KIND_OPEN;
	uint32_t type = open ? TALLY_FW_EV_OPEN : e.tch.kind == TALLY_KIND_KILL ? TALLY_FW_EV_KILL : TALLY_FW_EV_KILL_ACK, said = 0;

	CHECK(next == (type | e.admission.edge << 8 | e.admission.group << 16), "event %x is read, not one of type %u of edge %u of context %u",
	      next, type, e.admission.edge, e.admission.group);
	CHECK(read_event(offsetof(struct tally_fw_event, epoch)) == be32toh(e.tch.epoch), "an event is of another epoch");
	CHECK(read_event(offsetof(struct tally_fw_event, mid)) == be32toh(e.tch.mid), "an event has another mid");
	for (size_t i = 0; i < e.payload.size(); i += 4) {
		uint32_t word;

		std::memcpy(&word, &e.payload[i], 4);
		CHECK(read_event(offsetof(struct tally_fw_event, data) + i) == word, "an event has another payload");
	}
	if (open && be16toh(e.tch.flags) & TALLY_TCH_F_CONFIRM)
		said |= TALLY_FW_OPEN_CONFIRM;
	if (open && e.tch.epoch)
		said |= TALLY_FW_OPEN_EPOCH;
	// The rest is what is compared with the tables, which other benches have.
	const uint32_t found = read_event(offsetof(struct tally_fw_event, open));

	CHECK((open ? found & (TALLY_FW_OPEN_CONFIRM | TALLY_FW_OPEN_EPOCH) : found) == said, "open tells %x, which is not %x", found, said);
}

// The begins of epochs come before all packets.
void Nic::read_begins()
{
	while (!begun.empty()) {
		const uint32_t next = read_event(offsetof(struct tally_fw_event, next)), group = next >> 16;

		CHECK((next & 0xffff) == (TALLY_FW_EV_BEGIN | TALLY_FW_NO_EDGE << 8) && begun.erase(group),
		      "event %x is read, while %zu groups begin", next, begun.size());
		begins_read++;
		begins_before += !events.empty();
	}
}

// At rest: all events are read.
void Nic::read_events()
{
	read_begins();
	while (!events.empty()) {
		CHECK(dut.fw_wait_o, "%zu events do not wait", events.size());
		compare_event(read_event(offsetof(struct tally_fw_event, next)));
		events.pop_front();
		events_read++;
	}
	CHECK(!dut.fw_wait_o && !read_event(offsetof(struct tally_fw_event, next)), "an event that no packet has brought");
}

void Nic::drop_events(uint32_t reg, uint32_t value)
{
	const uint32_t code = value & 0xff, context = value >> 16;
	const bool drops = code == TALLY_FW_CMD_BEGIN || code == TALLY_FW_CMD_RELEASE;
	const bool begins = (code == TALLY_FW_CMD_BEGIN || code == TALLY_FW_CMD_CREATE) && context < Groups;
	const size_t before = events.size();

	if (reg != TALLY_FW_COMMAND_BASE + offsetof(struct tally_fw_command, go) || (!drops && !begins))
		return;
	for (auto e = events.begin(); drops && e != events.end();)
		e = e->admission.group == context ? events.erase(e) : std::next(e);
	events_dropped += before - events.size();
	if (begins)
		begun.insert(context);
	else
		begun.erase(context);
	bench.settle();
	CHECK(!begun.empty() || dut.fw_wait_o == !events.empty(), "behind a drop, fw_wait_o is %d with %zu events", dut.fw_wait_o,
	      events.size());
}

// More packets than there are places: the last ones are lost.
void Nic::too_many_events()
{
	constexpr unsigned int more = 5;
	const uint64_t before = lost;

	drain();
	read_events();
	while (events.size() < TALLY_FW_EVENT_DEPTH + more) {
		if (coming.empty())
			coming.push_back(frames.good(frames.at_ip6, 0));
		cycle();
	}
	drain();
	CHECK(lost == before + more, "%llu packets are lost", (unsigned long long)(lost - before));
	events.resize(TALLY_FW_EVENT_DEPTH);
	read_events();
}

static struct engine_sent sent_of(const uint32_t *words)
{
	Fields f(words, 72);
	struct engine_sent s = {};

	s.group = f.number(16);
	s.edge = f.number(8);
	s.ref = f.number(16);
	s.seq = f.number(32);
	return s;
}

// What becomes of packets with a number.
void Nic::sent()
{
	if (dut.acked_valid_o && dut.acked_ready_i)
		numbers.acked(sent_of(&dut.acked_o[0]));
	if (dut.again_valid_o && !again_offered)	// while it waits, it may be acknowledged
		numbers.again(sent_of(&dut.again_o[0]));
	again_offered = dut.again_valid_o && !dut.again_ready_i;
	if (dut.expired_valid_o && dut.expired_ready_i)
		numbers.expired({ uint32_t(dut.expired_o >> 18 & 0xffff), uint32_t(dut.expired_o >> 10 & 0xff),
				  uint32_t(dut.expired_o >> 1 & 0x1ff), bool(dut.expired_o & 1) });
}

void Nic::ended()
{
	if (!dut.end_valid_i || !dut.end_ready_o)
		return;
	const Flight &f = flights.at(dut.end_flight_i);

	if (dut.end_stored_i) {
		model_store(&f.admission, f.seq);
		arm(f.admission, dut.now_i);
	}
	flights.erase(dut.end_flight_i);
	end_offered = false;
}

void Nic::arm(const struct engine_admission &a, uint64_t at)
{
	Armed &edge = armed.insert({ { a.group, a.edge }, { at, at, true } }).first->second;

	edge.last = at;
	edge.sure = true;
}

size_t Nic::to_acknowledge() const
{
	return std::count_if(armed.begin(), armed.end(), [](const auto &edge) { return edge.second.sure; });
}

// What is stored once the edge was due is acknowledged by a further one.
void Nic::acknowledgement()
{
	if (!dut.ack_valid_o)
		return;
	if (!ack_offered)
		ack_since = dut.now_i - ack_clocks * clock_ps;
	ack_offered = !dut.ack_ready_i;
	if (ack_offered)
		return;
	Fields f(&dut.ack_o[0], 120);
	unsigned int group = f.number(16), edge = f.number(8);
	uint32_t top = f.number(32);
	auto at = armed.find({ group, edge });

	CHECK(at != armed.end() && ack_since >= at->second.first + delay_ps, "an acknowledgement for edge %u of context %u", edge, group);
	CHECK(model_has(group, edge, top, f.number(64)), "what has not been stored is acknowledged");
	at->second.first = ack_since;
	at->second.sure = at->second.last >= ack_since;
	if (at->second.last + end_clocks * clock_ps < ack_since)
		armed.erase(at);
	acks++;
}

// A record is offered, which the gate has given away a clock before. What it has seen already is to be acknowledged again.
void Nic::has_passed()
{
	if (inside.empty() || inside.front().verdict != TALLY_RX_OK)
		return;
	const struct engine_admission says = admission_of(inside.front().rx);

	if (says.verdict == TALLY_FW_ADMISSION_DUPLICATE)
		arm(says, dut.now_i - clock_ps);
}

void Nic::record()
{
	if (dut.rec_valid_o && !rec_offered)
		has_passed();
	rec_offered = dut.rec_valid_o && !dut.rec_ready_i;
	if (!dut.rec_valid_o || !dut.rec_ready_i)
		return;
	CHECK(!inside.empty(), "a record without a frame");
	const Arrived &a = inside.front();

	check_record(&dut.rec_o[0], a.verdict, a.rx, a.data);
	if (a.verdict == TALLY_RX_OK)
		admission(a);
	rx_frames++;
	rx_bad += a.verdict != TALLY_RX_OK;
	inside.pop_front();
}

void Nic::payload()
{
	if (!dut.pay_tvalid_o || !dut.pay_tready_i)
		return;
	CHECK(!payloads.empty(), "a payload without a good frame");
	const std::vector<uint8_t> &p = payloads.front();
	size_t n = std::min<size_t>(word_bytes, p.size() - payload_at);

	CHECK(dut.pay_tkeep_o == all >> (word_bytes - n), "wrong pay_tkeep_o");
	CHECK(dut.pay_tlast_o == (payload_at + n == p.size()), "wrong pay_tlast_o");
	CHECK(!std::memcmp(&dut.pay_tdata_o, &p[payload_at], n), "wrong payload at byte %zu", payload_at);
	payload_at += n;
	if (!dut.pay_tlast_o)
		return;
	payloads.pop_front();
	payload_at = 0;
}

void Nic::leaving()
{
	if (dut.err_valid_o) {
		CHECK(!errors.empty() && dut.err_o == errors.front(), "unexpected refusal %d", dut.err_o);
		errors.pop_front();
		tx_refused++;
	}
	if (!dut.tx_tvalid_o || !dut.tx_tready_i)
		return;
	for (unsigned int k = 0; k < word_bytes && dut.tx_tkeep_o >> k & 1; k++)
		got.push_back(reinterpret_cast<uint8_t *>(&dut.tx_tdata_o)[k]);
	if (!dut.tx_tlast_o)
		return;
	CHECK(!expected.empty() && got == expected.front(), "a wrong frame leaves");
	expected.pop_front();
	got.clear();
	tx_frames++;
}

void Nic::cycle()
{
	offer_frame();
	offer_packet();
	offer_end();
	dut.now_i += clock_ps;
	dut.ack_ready_i = !stalls || ack.go();
	dut.rec_ready_i = !stalls || rec.go();
	dut.pay_tready_i = !stalls || pay.go();
	dut.tx_tready_i = !stalls || tx.go();
	dut.acked_ready_i = !stalls || told.go();
	dut.again_ready_i = !stalls || told.go();
	dut.expired_ready_i = !stalls || told.go();
	bench.settle();
	check_idle();
	payload();
	acknowledgement();
	ended();
	sent();
	record();
	leaving();
	lost += dut.event_lost_o;
	marked += dut.event_marked_o;
	inputs();
	bench.tick();
}

void Nic::drain()
{
	uint64_t limit = bench.cycle() + 50000;

	while (!coming.empty() || !packets.empty() || !words.empty() || !dut.idle_o || !flights.empty() ||
	       dut.deadline_valid_o) {
		CHECK(bench.cycle() < limit, "the block is stuck");
		cycle();
	}
	dut.rec_ready_i = dut.pay_tready_i = dut.tx_tready_i = dut.end_valid_i = dut.ack_ready_i = 0;
	dut.acked_ready_i = dut.again_ready_i = dut.expired_ready_i = 0;
	CHECK(!to_acknowledge(), "%zu edges are not acknowledged", to_acknowledge());
	armed.clear();
	numbers.drained();
}

// Until nothing happens before a time-out.
void Nic::rest()
{
	uint64_t limit = bench.cycle() + 50000;

	while (!coming.empty() || !inside.empty() || !packets.empty() || !words.empty() || !flights.empty() || to_acknowledge() || !dut.idle_o) {
		CHECK(bench.cycle() < limit, "the block does not come to rest");
		cycle();
	}
}

// An acknowledgement that comes alone, while what it is for waits for a time-out far away: its number is told at once.
void Nic::reply_at_rest()
{
	uint64_t before;

	for (unsigned int n = 0; n < 4; n++)
		some_packet();
	rest();
	coming.push_back(some_ack(frames.at_ip6));
	while (!coming.empty() || !inside.empty())
		cycle();
	if (dut.deadline_valid_o && dut.deadline_o < dut.now_i + clock_ps * reply_clocks)
		return;
	before = numbers.acks;
	for (unsigned int n = 0; !dut.idle_o; n = dut.again_valid_o ? 0 : n + 1) {	// it may have hurried some numbers
		CHECK(n < reply_clocks, "a reply waits");
		cycle();
	}
	rested += numbers.acks - before;
}

void Nic::count(size_t at, uint64_t expected, const char *what)
{
	uint64_t low = get(at), high = get(at + 4);

	CHECK((high << 32 | low) == expected, "%s is %llx, not %llx", what, (unsigned long long)(high << 32 | low),
	      (unsigned long long)expected);
}

int Nic::run()
{
	CHECK(get(offsetof(struct tally_fw_net, id)) == TALLY_FW_NET_ID, "wrong id");
	CHECK(get(offsetof(struct tally_fw_net, units)) == (TALLY_FW_UNIT_PARSER | TALLY_FW_UNIT_ENCAP | TALLY_FW_UNIT_ADMISSION |
	       TALLY_FW_UNIT_EDGE_RX | TALLY_FW_UNIT_EDGE_ACK | TALLY_FW_UNIT_EDGE_TX | TALLY_FW_UNIT_QUEUES |
	       TALLY_FW_UNIT_SEGMENTS | TALLY_FW_UNIT_MEMORY | TALLY_FW_UNIT_REQUESTS | TALLY_FW_UNIT_STATUS |
	       TALLY_FW_UNIT_LOCAL | TALLY_FW_UNIT_SENDER |
	       TALLY_FW_UNIT_TRIGGER | TALLY_FW_UNIT_POOL | TALLY_FW_UNIT_FW_SEND | TALLY_FW_UNIT_EVENTS |
	       TALLY_FW_UNIT_EXCEPTIONS | TALLY_FW_UNIT_OPEN), "wrong units");
	for (unsigned int round = 0; round < 4; round++) {
		for (unsigned int n = 0; n < 2 * (Groups + Tombs); n++)
			change();
		be_at(round % 2);
		stalls = round / 2;
		for (uint64_t left = bench.times(700); left; left--) {
			coming.push_back(bench.rng.one_in(4) ? marked_frame(some_frame()) : some_frame());
			some_packet();
			while (coming.size() > 3 || packets.size() > 3)
				cycle();
			if (!bench.rng.one_in(20))
				continue;
			for (unsigned int n = 0; !stalls && n < 8; n++)
				reply_at_rest();
			drain();
			if (events.size() > TALLY_FW_EVENT_DEPTH / 4 || bench.rng.one_in(3))	// others are dropped perhaps
				read_events();
			change();
		}
		// A few seeds need more of them.
		for (unsigned int n = 0; round == 1 && rested <= least_rested && n < 400; n++)
			reply_at_rest();
		drain();
		read_events();
		count(offsetof(struct tally_fw_net, rx_frames), rx_frames, "rx_frames");
		count(offsetof(struct tally_fw_net, rx_bad), rx_bad, "rx_bad");
		count(offsetof(struct tally_fw_net, tx_frames), tx_frames, "tx_frames");
		count(offsetof(struct tally_fw_net, tx_refused), tx_refused, "tx_refused");
	}
	too_many_events();
	CHECK(begins_read > 10 && begins_before, "%llu epochs begin, %llu before packets", (unsigned long long)begins_read,
	      (unsigned long long)begins_before);
	CHECK(events_read > 60 && events_dropped && marked && marked == marks,
	      "%llu events are read, %llu dropped, %llu marked of %llu", (unsigned long long)events_read,
	      (unsigned long long)events_dropped, (unsigned long long)marked, (unsigned long long)marks);
	for (unsigned int v = 0; v <= TALLY_FW_ADMISSION_TURN; v++)
		CHECK(verdicts[v], "no packet has verdict %u", v);
	CHECK(acks > 20, "%llu acknowledgements", (unsigned long long)acks);
	CHECK(numbers.numbered > 100 && numbers.acks > 4 && numbers.repeats > 20 && numbers.expiries > 20 && dropped > 5,
	      "%llu packets got a number, %llu none, %llu were acknowledged and %llu sent again, after %llu time-outs",
	      (unsigned long long)numbers.numbered, (unsigned long long)dropped, (unsigned long long)numbers.acks,
	      (unsigned long long)numbers.repeats, (unsigned long long)numbers.expiries);
	CHECK(rested > least_rested, "%llu numbers are acknowledged at rest", (unsigned long long)rested);
	CHECK(flown > 20, "%llu numbers have passed", (unsigned long long)flown);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Nic(argc, argv).run();
}
