// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_head: packets of all kinds that it forms, with random rows, chunks, windows and numbers. Each header must be
// that of the C model, bit by bit. Some chunks may not leave, some packets get no number, and some edges are closed; the
// block must ask in this order, and only for what may leave. All sides stall.
#include <cstring>
#include <optional>

#include "Vdut.h"
#include "bench.h"
#include "head_model.h"
#include "rtl/record.h"

extern "C" {
#include "alu/alu.h"
#include "nic/tx_header.h"
}

// tally_head_pkg::end_e, and of tally_edge_pkg::state_op_e what it uses
enum { SENT, WAITS, DROPPED };
enum { ASK = 5, TELL = 6, ASK_MESSAGE = 7 };

// Fields of a packed structure, the first one in the highest bits.
class Packer {
public:
	Packer(uint32_t *words, size_t bits) : words_(words), at_(bits) { std::memset(words, 0, (bits + 31) / 32 * 4); }
	void put(unsigned int bits, uint64_t value)
	{
		while (bits--) {
			at_--;
			words_[at_ / 32] |= uint32_t(value >> bits & 1) << at_ % 32;
		}
	}
	void bytes(const uint8_t *from, size_t n)
	{
		while (n--)
			put(8, *from++);
	}

private:
	uint32_t *words_;
	size_t at_;
};

struct Job {
	unsigned int row, context, edge, ref;
	uint8_t kind;
	bool chunk, message, numbered, again;
	uint32_t seq, before;	// in the source; the number of the message before it
	struct head_model_chunk c;
	struct head_model_message m;
	bool may, number, open;	// what the others will answer
	struct head_model_packet packet;
	unsigned int end;
};

class Head {
public:
	Head(int argc, char **argv) : bench("head", argc, argv), dut(*bench.dut), rng(bench.rng), ins(rng), ops(rng), asks(rng), outs(rng) {}
	int run();

private:
	void restart();
	void write_row(unsigned int row);
	void write_group(unsigned int group);
	void scribble();
	void restore();
	void choose();
	void choose_kind(Job &j);
	void choose_chunk(struct head_model_chunk &c);
	void choose_message(struct head_model_message &m);
	void put_message(Packer &p, const Job &j);
	void model(Job &j);
	void offer(const Job &j);
	void state_side();
	void number_side();
	void check_out();
	void finish(const Job &j);
	void cycle();

	tally::Bench<Vdut> bench;
	Vdut &dut;
	tally::Rng &rng;
	tally::Throttle ins, ops, asks, outs;
	struct head_model_edge rows[Rows];
	struct head_model_group groups[Groups];
	std::optional<Job> job;
	unsigned int asked = 0, told = 0, numbers = 0;	// questions for this packet
	bool begun = false;	// its rows have been read
	bool changed = false;
	std::optional<unsigned int> question;		// that waits for its answer
	unsigned int wait = 0;				// clocks until the answer
	uint64_t ends[3] = {}, messages[3] = {};
};

void Head::write_row(unsigned int row)
{
	struct head_model_edge &e = rows[row];

	rng.fill(&e, sizeof(e));
	if (rng.one_in(2))
		std::memcpy(e.addr.gid, "\0\0\0\0\0\0\0\0\0\0\xff\xff", 12);
	Packer p(&dut.edge_i[0], 240);
	p.bytes(e.addr.mac, 6);
	p.bytes(e.addr.gid, 16);
	p.put(32, e.peer_key);
	p.put(8, e.remote_index);
	p.put(16, tx_source_port(e.addr.gid, htobe32(groups[row % Groups].jid)));
	p.put(8, e.round);
	dut.edge_write_i = 1;
	dut.edge_row_i = row;
	bench.tick();
	dut.edge_write_i = 0;
	rng.fill(&dut.edge_i, sizeof(dut.edge_i));
}

void Head::write_group(unsigned int group)
{
	struct head_model_group &g = groups[group];

	g.jid = rng.next();
	g.epoch = rng.next();
	g.ordered = rng.one_in(2);
	Packer p(&dut.group_i[0], 65);
	p.put(32, g.jid);
	p.put(32, g.epoch);
	p.put(1, g.ordered);
	dut.group_write_i = 1;
	dut.group_index_i = group;
	bench.tick();
	dut.group_write_i = 0;
}

// A row may change while a header is formed: it is that of the rows as they were.
void Head::scribble()
{
	bool change = job && begun && rng.one_in(8);

	dut.edge_write_i = change;
	dut.edge_row_i = change ? job->row : 0;
	dut.group_write_i = change;
	dut.group_index_i = change ? job->context : 0;
	changed |= change;
}

// What was written while a packet was inside is replaced.
void Head::restore()
{
	dut.edge_write_i = dut.group_write_i = 0;
	if (!changed)
		return;
	for (unsigned int i = 0; i < Groups; i++)
		write_group(i);
	for (unsigned int i = 0; i < Rows; i++)
		write_row(i);
	changed = false;
}

void Head::restart()
{
	dut.in_valid_i = dut.op_ready_i = dut.answer_valid_i = dut.ask_ready_i = dut.out_ready_i = 0;
	dut.edge_write_i = dut.group_write_i = 0;
	job.reset();
	question.reset();
	begun = changed = false;
	bench.reset();
	for (unsigned int i = 0; i < Groups; i++)
		write_group(i);
	for (unsigned int i = 0; i < Rows; i++)
		write_row(i);
}

void Head::choose_chunk(struct head_model_chunk &c)
{
	static const uint8_t types[] = { TALLY_TYPE_NONE, TALLY_TYPE_INT8, TALLY_TYPE_UINT16, TALLY_TYPE_FP32, TALLY_TYPE_FP64,
					 TALLY_TYPE_INT64, TALLY_TYPE_BF16 };
	bool loc = rng.one_in(3);

	c = {};
	c.mode = TALLY_MODE_TREE + rng.below(3);
	c.opcode = 1 + rng.below(8);
	c.op = loc ? (rng.one_in(2) ? +TALLY_OP_MINLOC : +TALLY_OP_MAXLOC) : +TALLY_OP_SUM;
	c.dtype = loc ? types[3 + rng.below(2)] : types[rng.below(7)];
	c.root_rank = rng.next();
	c.root_node = rng.next();
	c.err_vector = rng.next();
	c.num = rng.next();
	c.mid = rng.next();
	c.sid = rng.next();
	c.count = rng.one_in(4) ? 256 : rng.below(257);
	c.first = rng.next();
	c.total = c.first + c.count + (rng.one_in(2) ? 0 : rng.next());
}

void Head::choose_message(struct head_model_message &m)
{
	static const uint8_t types[] = { TALLY_TYPE_INT8, TALLY_TYPE_UINT16, TALLY_TYPE_FP32, TALLY_TYPE_FP64 };

	m = {};
	m.opcode = rng.next();
	m.dtype = types[rng.below(4)];
	m.op = m.dtype == TALLY_TYPE_FP32 && rng.one_in(3) ? +TALLY_OP_MINLOC : +TALLY_OP_SUM;
	m.branch = rng.next();
	m.counter = rng.next();
	m.port = rng.next();
	m.err_vector = rng.one_in(3) ? rng.next() : rng.next() & ~TALLY_ERR_MISMATCH;
	m.mid = rng.next();
	m.count = rng.below(513);
	m.cp = rng.one_in(2);
	m.swp_mp = !rng.one_in(4);
}

void Head::choose_kind(Job &j)
{
	static const uint8_t kinds[] = { TALLY_KIND_REDUCE, TALLY_KIND_RESULT, TALLY_KIND_QUERY, TALLY_KIND_ACK, TALLY_KIND_BUSY,
					 TALLY_KIND_NOTIFY, TALLY_KIND_TRIGGER };

	j.kind = kinds[rng.one_in(2) ? rng.below(2) : rng.below(7)];
	j.message = j.kind == TALLY_KIND_TRIGGER;
	j.numbered = j.message || j.kind == TALLY_KIND_REDUCE || j.kind == TALLY_KIND_RESULT;
	j.chunk = (j.numbered && !j.message) || (j.kind == TALLY_KIND_QUERY && rng.one_in(2));
	j.again = j.numbered && rng.one_in(3);
	choose_chunk(j.c);
	choose_message(j.m);
	if (j.chunk)
		return;
	// nothing but a QUERY has any of the chunk's fields
	const struct head_model_chunk c = j.c;
	bool query = j.kind == TALLY_KIND_QUERY;

	j.c.num = query ? c.num : 0;
	j.c.mid = query ? c.mid : 0;
}

void Head::choose()
{
	Job j = {};

	j.row = rng.below(Rows);
	j.context = j.row % Groups;
	j.edge = rng.below(65);
	j.ref = rng.below(65536);
	choose_kind(j);
	j.seq = j.again || j.kind == TALLY_KIND_ACK || j.kind == TALLY_KIND_BUSY ? rng.next() : 0;
	j.may = j.again || !rng.one_in(4);
	j.number = !rng.one_in(4);
	j.open = !rng.one_in(8);
	job = j;
	asked = told = numbers = 0;
}

void Head::model(Job &j)
{
	struct head_model_group &g = groups[j.context];
	uint32_t seq = j.again ? j.seq : rng.next();

	g.done = rng.next();
	g.limit = g.done + rng.below(65536);
	head_model_group(&g);
	head_model_edge(0, &rows[j.row]);
	j.before = seq - (rng.one_in(2) ? 0 : rng.below(TALLY_EDGE_WINDOW));
	j.end = SENT;
	if (j.message)
		j.end = !head_model_message(0, &j.m, seq, j.before, j.may, &j.packet) ? WAITS : SENT;
	else if (j.numbered)
		j.end = !head_model_send(0, j.kind, &j.c, seq, j.may, &j.packet) ? WAITS : SENT;
	else if (j.chunk)
		head_model_query(0, &j.c, &j.packet);
	else
		head_model_plain(0, j.kind, j.c.num, j.c.mid, j.seq, &j.packet);
	if (j.end == SENT && j.numbered && !j.number)
		j.end = j.again ? DROPPED : WAITS;
	else if (j.end == SENT && !j.open)
		j.end = DROPPED;
}

// trigger_t of tally_head_pkg, in the low bits of the chunk's place.
void Head::put_message(Packer &p, const Job &j)
{
	const struct head_model_message &m = j.m;
	const uint32_t count = m.swp_mp && !(m.err_vector & TALLY_ERR_MISMATCH) ? m.count : 0;

	for (unsigned int bits = 248 - 135; bits; bits--)
		p.put(1, rng.one_in(2));
	for (uint8_t field : { m.opcode, m.op, m.dtype, m.branch })
		p.put(8, field);
	p.put(32, m.mid);
	p.put(32, count);
	p.put(8, m.counter);
	p.put(16, m.port);
	p.put(1, m.cp);
	p.put(1, m.swp_mp);
	p.put(13, count * alu_elem_size(m.op, m.dtype));
	p.put(16, m.err_vector);
}

void Head::offer(const Job &j)
{
	Packer p(&dut.in_i[0], 346);

	p.put(8, j.kind);
	p.put(1, j.chunk);
	p.put(1, j.again);
	p.put(16, j.context);
	p.put(8, j.edge);
	p.put(16, j.ref);
	p.put(32, j.seq);
	dut.in_valid_i = 1;
	dut.in_row_i = j.row;
	if (j.message)
		return put_message(p, j);
	p.put(8, j.c.mode);
	p.put(8, j.c.opcode);
	p.put(8, j.c.op);
	p.put(8, j.c.dtype);
	p.put(8, j.c.root_rank);
	p.put(16, j.c.root_node);
	p.put(32, j.c.num);
	p.put(32, j.c.mid);
	p.put(32, j.c.sid);
	p.put(32, j.c.total);
	p.put(32, j.c.first);
	p.put(32, j.c.count);
	p.put(16, j.c.err_vector);
}

// tally_edge_state takes a question, and answers it some clocks later.
void Head::state_side()
{
	dut.answer_valid_i = question && !wait;
	dut.op_ready_i = (!question || dut.answer_valid_i) && ops.go();
	dut.answer_open_i = rng.one_in(2);
	dut.answer_may_i = rng.one_in(2);
	dut.answer_done_i = rng.next();
	dut.answer_limit_i = rng.next();
	if (!dut.answer_valid_i)
		return;
	if (*question != TELL) {
		dut.answer_may_i = job->may;
	} else {
		dut.answer_open_i = job->open;
		dut.answer_done_i = groups[job->context].done;
		dut.answer_limit_i = groups[job->context].limit - groups[job->context].done;
	}
}

void Head::number_side()
{
	dut.ask_ready_i = asks.go();
	dut.ask_ok_i = job && job->number;
	dut.ask_before_i = job && job->message && job->number ? job->before : rng.next();
	dut.ask_seq_i = job && job->numbered && job->number ? be32toh(job->packet.tch.edge_seq) : rng.next();
}

void Head::check_out()
{
	const Job &j = *job;
	uint32_t expected[(tally::tx_bits + 31) / 32];

	CHECK(j.end == SENT && told == 1, "a header leaves");
	CHECK(!j.numbered || (numbers == 1 && asked == !j.again), "a header leaves without a number");
	tally::write_header(expected, j.packet.hdr, j.packet.tch, j.packet.len);
	for (size_t i = 0; i < sizeof(expected) / 4; i++)
		CHECK(dut.out_o[i] == expected[i], "kind %u: word %zu of the header is %08x, not %08x", j.kind, i, dut.out_o[i], expected[i]);
}

void Head::finish(const Job &j)
{
	CHECK(dut.in_end_o == j.end, "the end is %u, not %u", dut.in_end_o, j.end);
	CHECK((j.end == SENT) == (dut.out_valid_o && dut.out_ready_i), "it ends without a header");
	if (j.end == SENT)
		CHECK(dut.in_seq_o == be32toh(j.packet.tch.edge_seq), "another number is told");
	CHECK(numbers == (j.numbered && j.may), "%u numbers were asked for", numbers);
	ends[j.end]++;
	messages[j.end] += j.message;
	job.reset();
	dut.in_valid_i = 0;
}

void Head::cycle()
{
	if (!job && rng.one_in(20)) {
		write_row(rng.below(Rows));
		return;
	}
	scribble();
	if (!job && ins.go()) {
		choose();
		model(*job);
		offer(*job);
	}
	state_side();
	number_side();
	dut.out_ready_i = outs.go();
	bench.settle();
	CHECK(job || (!dut.op_valid_o && !dut.ask_valid_o && !dut.out_valid_o && !dut.in_ready_o && !dut.busy_o), "it is not idle");
	CHECK(!(asked || told || numbers) || !job || dut.busy_o, "not busy with a packet");
	if (dut.out_valid_o)
		check_out();
	bool taken = dut.in_valid_i && dut.in_ready_o;

	if (dut.answer_valid_i)
		question.reset();
	else if (question)
		wait--;
	if (dut.ask_valid_o && dut.ask_ready_i) {
		unsigned __int128 a = 0;

		for (int i = 3; i >= 0; i--)
			a = a << 32 | dut.ask_o[i];
		CHECK(job->numbered && (job->again || asked) && !numbers, "a number is asked for");
		CHECK((a >> 114 & 1) && (a >> 98 & 0xffff) == job->row && (a >> 97 & 1) == job->again && (a >> 81 & 0xffff) == job->context && (a >> 73 & 0xff) == job->edge &&
		      (a >> 57 & 0xffff) == job->ref && (a >> 25 & UINT32_MAX) == job->seq && (a >> 24 & 1) == job->message &&
		      (!job->message || (a & 0xffffff) == (uint32_t(job->m.port) << 8 | job->m.counter)), "for another packet");
		numbers++;
	}
	if (dut.op_valid_o && dut.op_ready_i) {
		bool ask = dut.op_o == (job->message ? ASK_MESSAGE : ASK);

		CHECK(ask || dut.op_o == TELL, "operation %u", dut.op_o);
		CHECK(!ask || (job->numbered && !job->again && (job->message || dut.op_num_o == job->c.num) && !numbers), "it asks for another chunk");
		CHECK(ask || !job->numbered || (numbers && job->number), "it tells something without a number");
		(ask ? asked : told)++;
		question = dut.op_o;
		wait = rng.below(3);
	}
	if (taken)
		finish(*job);
	begun = job.has_value();
	bench.tick();
	if (!job)
		restore();
}

int Head::run()
{
	uint8_t mac[6], gid[16];
	uint64_t address = 0;

	rng.fill(mac, sizeof(mac));
	rng.fill(gid, sizeof(gid));
	head_model_init(mac, gid);
	for (uint8_t byte : mac)
		address = address << 8 | byte;
	dut.mac_i = address;
	Packer(&dut.gid_i[0], 128).bytes(gid, 16);
	bench.live(bench.times(60000), [this] { restart(); }, [this] { cycle(); });
	CHECK(ends[SENT] > 1000 && ends[WAITS] > 300 && ends[DROPPED] > 300, "%llu sent, %llu wait, %llu dropped",
	      (unsigned long long)ends[SENT], (unsigned long long)ends[WAITS], (unsigned long long)ends[DROPPED]);
	CHECK(messages[SENT] > 100 && messages[WAITS] > 30 && messages[DROPPED] > 10, "%llu messages sent, %llu wait, %llu dropped",
	      (unsigned long long)messages[SENT], (unsigned long long)messages[WAITS], (unsigned long long)messages[DROPPED]);
	return bench.finish();
}

int main(int argc, char **argv)
{
	return Head(argc, argv).run();
}
