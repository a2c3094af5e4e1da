// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_trigger_fired: random descriptors with what they take, which agrees or differs in a field, compared with the engine's
// fire() and fill_tch().
#include <cstring>

#include "Vdut.h"
#include "bench.h"
#include "trigger_bits.h"
#include "trigger_fired_model.h"

extern "C" {
#include "alu/alu.h"
}

namespace {

struct Kind {
	uint8_t op, dtype;
};

const Kind kinds[] = {
	{ TALLY_OP_NONE, TALLY_TYPE_NONE },	 { TALLY_OP_NONE, TALLY_TYPE_FP32 },	{ TALLY_OP_SUM, TALLY_TYPE_INT8 },
	{ TALLY_OP_SUM, TALLY_TYPE_FP16 },	 { TALLY_OP_MAX, TALLY_TYPE_INT32 },	{ TALLY_OP_SUM, TALLY_TYPE_INT32 },
	{ TALLY_OP_PROD, TALLY_TYPE_FP64 },	 { TALLY_OP_MINLOC, TALLY_TYPE_INT8 },	{ TALLY_OP_MINLOC, TALLY_TYPE_INT32 },
	{ TALLY_OP_MAXLOC, TALLY_TYPE_INT32 },	 { TALLY_OP_MAXLOC, TALLY_TYPE_FP64 },	{ TALLY_OP_MIN, TALLY_TYPE_FP64 },
};

uint8_t log2_of(unsigned int n)
{
	return __builtin_ctz(n);
}

} // namespace

class Fired {
public:
	Fired(int argc, char **argv) : bench("trigger_fired", argc, argv), dut(*bench.dut), rng(bench.rng) {}
	int run();

private:
	const Kind &any() { return kinds[rng.below(sizeof(kinds) / sizeof(*kinds))]; }
	void choose();
	void drive();
	void check();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	bits::Request r = {};
	fired_descriptor d = {};
	fired_sum s = {};
	uint64_t spoilt = 0, agreed = 0;
};

void Fired::choose()
{
	const Kind k = any(), other = any();

	d.opcode = TALLY_OPCODE_REDUCE_MP + rng.below(3);
	d.op = k.op;
	d.dtype = k.dtype;
	d.elem = alu_elem_size(k.op, k.dtype);
	d.count = rng.below(TALLY_MAX_MTU / d.elem + 1);
	d.branch = rng.next();
	d.dest_counter = rng.next();
	d.dest_port = rng.next();
	d.err_vector = rng.one_in(6) ? rng.next() : rng.next() & 0xf;
	d.flags = rng.next();
	d.mid = rng.next();
	d.node_mask = rng.next();
	d.has_result = rng.one_in(2);
	const bool same = !rng.one_in(4);

	s.op = same || rng.one_in(2) ? k.op : other.op;
	s.dtype = same || rng.one_in(2) ? k.dtype : other.dtype;
	if (!alu_elem_size(s.op, s.dtype)) // nobody can send it
		s.op = TALLY_OP_NONE;
	s.count = same || rng.one_in(2) ? d.count : rng.one_in(2) ? d.count ^ 1u << rng.below(32) : rng.next();
	s.messages = rng.one_in(2) ? 1 : 1 + rng.below(66);
	s.err_vector = rng.one_in(6) ? rng.next() : rng.next() & 0xf;
	s.disagree = rng.next();
}

void Fired::drive()
{
	uint32_t words[bits::request_words];

	for (uint32_t &w : words)
		w = rng.next();
	words[bits::request_words - 1] &= (1u << bits::request_bits % 32) - 1;
	r = {};
	r.opcode = d.opcode;
	r.op = d.op;
	r.dtype = d.dtype;
	r.elem_log = log2_of(d.elem);
	r.count = d.count;
	r.branch = d.branch;
	r.dest_counter = d.dest_counter;
	r.dest_port = d.dest_port;
	r.err_vector = d.err_vector;
	r.flags = d.flags;
	r.mid = d.mid;
	r.node_mask = d.node_mask;
	r.num_result = d.has_result;
	bits::put_request(words, r);
	std::memcpy(&dut.req_i, words, sizeof(words));
	dut.fire_swaps_i = !!(d.flags & TALLY_WQE_F_SWP_FLAG);
	dut.fire_many_i = s.messages > 1;
	dut.fire_op_i = s.op;
	dut.fire_dtype_i = s.dtype;
	dut.fire_count_i = s.count;
	dut.fire_disagree_i = s.disagree;
	dut.fire_err_vector_i = s.err_vector;
}

void Fired::check()
{
	const fired f = fired_follow(&d, &s);
	uint32_t message[bits::message_words];

	std::memcpy(message, &dut.message_o, sizeof(message));
	bits::Fields m(message, bits::message_bits);
	CHECK(dut.spoilt_o == f.spoilt, "spoilt %d, not %d", dut.spoilt_o, f.spoilt);
	CHECK(dut.writes_o == f.writes, "writes %d, not %d", dut.writes_o, f.writes);
	CHECK((dut.receivers_o[0] | uint64_t(dut.receivers_o[1]) << 32) == f.contributors, "other contributors");
	CHECK(dut.receivers_o[2] == static_cast<uint32_t>(f.parent | f.self << 1), "parent and this node %x", dut.receivers_o[2]);
	CHECK(dut.disagree_o == f.disagree, "others disagree");
	CHECK(m.take(1) == !!(f.flags & TALLY_TCH_F_SWP_MP) && m.take(1) == !!(f.flags & TALLY_TCH_F_CP), "other flags");
	CHECK(m.take(8) == f.branch && m.take(8) == f.op && m.take(8) == f.dtype, "another kind");
	CHECK(m.take(32) == f.count && f.count == f.total, "not %u elements", f.count);
	CHECK(m.take(16) == f.err_vector, "not the error vector %x", f.err_vector);
	CHECK(m.take(13) == f.bytes && m.take(8) == f.counter, "not %u bytes for counter %u", f.bytes, f.counter);
	CHECK(dut.port_o == f.port && dut.opcode_o == f.opcode && dut.mid_o == f.mid, "another port, operation or message");
	spoilt += f.spoilt;
	agreed += !f.spoilt;
}

int Fired::run()
{
	bench.reset();
	CHECK(!dut.writes_o && !dut.spoilt_o && !dut.receivers_o[0] && !dut.receivers_o[1] && !dut.receivers_o[2], "something after a reset");
	for (uint64_t left = bench.times(100000); left; left--) {
		choose();
		drive();
		bench.tick();
		check();
	}
	CHECK(spoilt > 1000 && agreed > 1000, "%llu are spoilt, %llu agree", static_cast<unsigned long long>(spoilt),
	      static_cast<unsigned long long>(agreed));
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Fired(argc, argv).run();
}
