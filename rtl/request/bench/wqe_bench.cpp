// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_wqe: whole entries, good and hostile ones, fetched or pushed, some of which cannot be read. The parser of
// the engine is the reference.
#include "Vdut.h"
#include "bench.h"
#include "wqe_ports.h"
#include "wqe_requests.h"

struct Entry {
	model_around around;
	model_request want;
	bool unread;	 // some word cannot be read, or the fixed part is incomplete
	size_t missing;	 // words that the request needs
};

// The statuses that the parser can give.
static const unsigned int statuses[] = { 0,  1,	 2,  3,	 4,  5,	 6,  7,	 8,  9,	 10, 11, 12, 13, 14, 15,
					 16, 17, 18, 19, 20, 23, 24, 25, 26, 27, 28, 30, 32, 33, 34 };

class Parser {
public:
	Parser(int argc, char **argv) : bench("wqe", argc, argv), dut(*bench.dut), ports(bench), requests(bench.rng) {}

	int run();

private:
	void push_entry();
	void cycle();
	void check();
	bool all_seen() const;
	uint64_t latency(uint8_t opcode, uint64_t count, bool inlined);

	tally::Bench<Vdut> bench;
	Vdut &dut;
	Ports<Vdut> ports;
	Requests requests;
	std::deque<Entry> inside;
	tally::Throttle req{ bench.rng };
	uint64_t seen[128] = {}, done = 0, offered_since = 0;
	bool offered = false;
	uint64_t chunks = 0;
};

void Parser::push_entry()
{
	std::vector<uint8_t> entry;
	Entry e = {};
	tally_wqe w;

	if (bench.rng.one_in(8))
		requests.other_group();
	requests.around.index++;
	entry = requests.entry();
	e.around = requests.around;
	std::memcpy(&w, entry.data(), sizeof(w));
	model_parse(&e.want, &e.around, entry.data());

	size_t data = (uint64_t(w.inline_len) + 15) / 16, lists = is_bare(e.want) ? 0 : w.num_gather + w.num_result;
	size_t used = 8 + data + lists;
	size_t need = std::min((used + 3) / 4, entry.size() / 64), last = entry.size() / 64;

	if (bench.rng.one_in(3))
		last = need; // as a pushed request
	if (bench.rng.one_in(20))
		last = 1 + bench.rng.below(last);
	e.missing = need <= last ? 0 : need - last;
	e.unread = last < 2;
	size_t bad = bench.rng.one_in(20) ? bench.rng.below(last) : last;
	for (size_t i = 0; i < last; i++) {
		Word word = { {}, i == last - 1, i == bad };

		std::memcpy(word.data, &entry[64 * i], 64);
		ports.words.push_back(word);
		e.unread |= i == bad;
	}
	inside.push_back(e);
}

void Parser::check()
{
	const Entry &e = inside.front();
	model_request want = e.want;
	unsigned int width = width_of(request_fields(want));
	uint16_t status = get_bits(dut.req_o, width - 16, 16);

	if (e.unread) {
		std::memset(&want, 0, sizeof(want));
		want.status = TALLY_COLL_WQE_FETCH;
		want.index = e.around.index;
		check_fields(dut.req_o, request_fields(want), 6);
	} else {
		if (e.missing && status == TALLY_COLL_WQE_FETCH)
			want.status = status;
		CHECK(!e.missing || status, "a request without all its words is good");
		// Flags: those of the completion. The parent's destination may have been named already.
		if (status)
			want.flags = (want.flags & ~TALLY_WQE_F_TO_PARENT) |
				     (get_bits(dut.req_o, width - 56, 32) & TALLY_WQE_F_TO_PARENT);
		check_fields(dut.req_o, request_fields(want), status ? 6 : valid_fields(want));
		if (!status)
			ports.check(want);
	}
	seen[status]++;
	chunks += !status && want.chunks > 1;
	done++;
}

void Parser::cycle()
{
	if (ports.words.size() < 4)
		push_entry();
	put_fields(dut.group_i, group_fields(inside.front().around));
	put_fields(dut.qp_i, qp_fields(inside.front().around));
	dut.index_i = inside.front().around.index;
	ports.drive();
	dut.in_last_i = ports.words.front().last;
	dut.in_error_i = ports.words.front().error;
	dut.req_ready_i = !ports.stalls || req.go();
	bench.settle();
	CHECK(dut.busy_o || !(dut.chk_valid_o || dut.data_valid_o || dut.entry_valid_o || dut.req_valid_o), "an offer without busy_o");
	ports.take();
	CHECK(!offered || dut.req_valid_o, "a request is taken back");
	offered = dut.req_valid_o && !dut.req_ready_i;
	if (dut.req_valid_o)
		check();
	if (dut.req_valid_o && dut.req_ready_i) {
		inside.pop_front();
		ports.next_request();
		offered_since = bench.cycle();
	}
	CHECK(bench.cycle() - offered_since < 40000, "no request for a long time");
	bench.tick();
}

// Returns the clocks from the second word of a request of one rank until it is offered. Accesses are answered in the next
// clock.
uint64_t Parser::latency(uint8_t opcode, uint64_t count, bool inlined)
{
	tally_wqe w = {};
	uint64_t began = 0;

	w.opcode = opcode;
	w.op = opcode == TALLY_OPCODE_BARRIER ? TALLY_OP_NONE : TALLY_OP_SUM;
	w.dtype = opcode == TALLY_OPCODE_BARRIER ? TALLY_TYPE_NONE : TALLY_TYPE_INT64;
	w.mode = TALLY_MODE_TREE;
	w.count = count;
	w.rank_mask = 1;
	w.flags = inlined ? TALLY_WQE_F_INLINE : 0;
	w.inline_len = inlined ? 8 * count : 0;
	w.num_gather = count && !inlined;
	w.num_result = count != 0;
	requests.around = {};
	requests.around.mtu = 4096;
	requests.around.max_segs = requests.around.total_ranks = requests.around.num_nodes = 1;
	requests.around.mode = requests.around.modes = 1;
	requests.around.rank_mask = requests.around.ranks = 1;
	requests.around.parent = 0xff;
	requests.around.stride = 256;
	put_fields(dut.group_i, group_fields(requests.around));
	put_fields(dut.qp_i, qp_fields(requests.around));
	dut.index_i = 0;
	ports.stalls = false;
	ports.next_request();
	for (unsigned int i = 0; i < 4; i++) {
		Word word = { {}, i == 3, false };
		tally_sge s = { .addr = 64, .length = static_cast<uint32_t>(8 * count), .lkey = 64 };

		if (i < 2)
			std::memcpy(word.data, reinterpret_cast<const uint8_t *>(&w) + 64 * i, 64);
		for (unsigned int k = 0; i == 2 && k < 4; k++)
			std::memcpy(word.data + 16 * k, &s, sizeof(s));
		ports.words.push_back(word);
	}
	dut.req_ready_i = 1;
	for (bool is_offered = false; !is_offered; bench.tick()) {
		ports.drive();
		dut.in_last_i = ports.words.size() == 1;
		dut.in_error_i = 0;
		bench.settle();
		if (ports.take() && ports.words.size() == 2)
			began = bench.cycle();
		is_offered = dut.req_valid_o;
		CHECK(!is_offered || !get_bits(dut.req_o, width_of(request_fields({})) - 16, 16), "the request is refused");
	}
	return bench.cycle() - 1 - began;
}

bool Parser::all_seen() const
{
	for (unsigned int status : statuses)
		if (!seen[status])
			return false;
	return true;
}

int Parser::run()
{
	ports.idle();
	dut.req_ready_i = 0;
	requests.other_group();
	bench.reset();
	ports.next_request();
	// Some statuses are rare: a few seeds need more requests to have them all.
	for (uint64_t n = bench.times(6000); done < n || (done < 4 * n && !all_seen());) {
		ports.stalls = done % 64 < 48;
		cycle();
	}
	for (unsigned int status : statuses)
		CHECK(seen[status], "no request had status %u", status);
	CHECK(chunks, "no request had several chunks");
	ports.forget();
	bench.reset();
	bench.report_cycles("barrier", latency(TALLY_OPCODE_BARRIER, 0, false));
	bench.report_cycles("inline", latency(TALLY_OPCODE_ALLREDUCE, 1, true));
	bench.report_cycles("lists", latency(TALLY_OPCODE_ALLREDUCE, 1, false));
	bench.report_cycles("chunks", latency(TALLY_OPCODE_ALLREDUCE, 100000, false));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Parser(argc, argv).run();
}
