// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rmq_words: compares it with plain words. The jobs, reads and writes come with stalls; the ALU adds and
// reports the lowest bits of its result as events. Words must enter without a pause unless an older one of the same place
// is on its way. The block is reset amid traffic, and its registers begin with random values.
#include <array>
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

namespace {

enum Kind { Drop, Fill, Combine, Token };

constexpr unsigned int word_bytes = 8, way = AluLatency + 2;
static_assert(DataW == 64, "as the bench has it");

struct Job {
	Kind kind;
	unsigned int place, len, op;

	unsigned int words() const { return kind == Token ? 0 : (len + word_bytes - 1) / word_bytes; }
};

struct Place {
	std::array<uint64_t, Words> words = {};
	unsigned int events = 0;
	bool filled = false;
	uint64_t taken[Words] = {}; // cycle in which a word was taken last
	bool known[Words] = {};	    // it has been written
};

struct Read {
	uint64_t at, value;
	bool known;
};

struct Write { // a word on its way
	uint64_t at;
	unsigned int place, word;
	uint64_t value;
};

} // namespace

class WordsBench : public tally::Bench<Vdut> {
public:
	WordsBench(int argc, char **argv) : Bench("rmq_words", argc, argv) {}
	int run();

private:
	void restart();
	void make_job();
	void drive();
	void drive_memory();
	void check_alu();
	void take_word();
	bool combines() const;
	void check_ready();
	void note_memory();
	void note();
	uint64_t mask(const Job &job) const;

	tally::Throttle job_{ rng }, data_{ rng }, read_{ rng }, write_{ rng };
	std::vector<Place> places_, settled_; // with all words on their way; with the words that are written
	std::deque<Job> jobs_;
	std::deque<Write> writes_;
	std::deque<std::pair<uint64_t, unsigned int>> tokens_; // cycle, events
	std::deque<Read> reads_;
	std::deque<std::array<uint64_t, 2>> alu_;		// results: value, events
	Job new_ = {};
	unsigned int lens_[Places] = {}; // of the messages of a place
	bool offered_ = false, data_offered_ = false, writing_ = false, reading_ = false;
	unsigned int word_ = 0, used_ = 1, longest_ = 1;
	uint64_t begun_ = 0; // cycle of the first job's first word, at the earliest
};

void WordsBench::restart()
{
	dut->job_valid_i = dut->data_valid_i = dut->rd_valid_i = dut->wr_valid_i = 0;
	reset();
	places_.assign(Places, Place());
	settled_ = places_;
	jobs_.clear();
	writes_.clear();
	tokens_.clear();
	reads_.clear();
	alu_.assign(AluLatency, {});
	offered_ = data_offered_ = writing_ = reading_ = false;
	word_ = 0;
}

void WordsBench::make_job()
{
	if (rng.one_in(100)) {
		used_ = 1 + rng.below(Places - 1);
		longest_ = rng.one_in(2) ? Words * word_bytes : rng.below(3) * word_bytes;
	}
	new_.place = rng.below(used_);
	const Place &p = places_[new_.place];
	new_.kind = static_cast<Kind>(rng.one_in(8) ? Drop : rng.one_in(6) ? Token : rng.one_in(4) || !p.filled ? Fill : Combine);
	if (new_.kind == Token && !p.filled)
		new_.kind = Fill;
	new_.len = new_.kind == Combine ? lens_[new_.place] : rng.below(longest_ + 1);
	if (new_.kind == Fill)
		lens_[new_.place] = new_.len;
	new_.op = rng.below(256);
	offered_ = true;
}

uint64_t WordsBench::mask(const Job &job) const
{
	unsigned int left = job.len - word_ * word_bytes;

	return job.words() ? left >= word_bytes ? ~0ULL : (1ULL << left * 8) - 1 : 0;
}

void WordsBench::drive()
{
	if (!offered_ && job_.go())
		make_job();
	dut->job_valid_i = offered_;
	dut->job_kind_i = new_.kind;
	dut->job_place_i = new_.place;
	dut->job_len_i = new_.len;
	dut->job_op_i = new_.op;
	dut->job_dtype_i = new_.op ^ 255;
	if (!data_offered_ && !jobs_.empty() && data_.go()) {
		data_offered_ = true;
		dut->data_i = rng.next();
	}
	dut->data_valid_i = data_offered_;
	dut->alu_result_i = alu_.front()[0];
	dut->alu_flags_i = alu_.front()[1];
}

// The last place is no message's: reads and writes of it are compared, too.
void WordsBench::drive_memory()
{
	if (!reading_ && read_.go()) {
		reading_ = true;
		dut->rd_place_i = rng.one_in(2) ? Places - 1 : rng.below(Places);
		dut->rd_word_i = rng.below(Words);
	}
	if (!writing_ && write_.go()) {
		writing_ = true;
		dut->wr_place_i = Places - 1;
		dut->wr_word_i = rng.below(Words);
		dut->wr_data_i = rng.next();
	}
	dut->rd_valid_i = reading_;
	dut->wr_valid_i = writing_;
}

void WordsBench::check_alu()
{
	std::array<uint64_t, 2> result = { rng.next(), 15 };

	alu_.pop_front();
	if (dut->alu_valid_o) {
		CHECK((dut->alu_op_o ^ dut->alu_dtype_o) == 255, "op %u and type %u do not belong together", dut->alu_op_o,
		      dut->alu_dtype_o);
		result[0] = dut->alu_a_o + (dut->alu_b_o ^ dut->alu_op_o);
		result[1] = result[0] & 15;
	}
	alu_.push_back(result);
}

// A word of the first job is taken, or an empty job.
void WordsBench::take_word()
{
	const Job job = jobs_.front();
	Place &p = places_[job.place];
	uint64_t data = (job.words() ? dut->data_i : 0) & mask(job);
	bool last = word_ + 1 >= job.words();

	if (job.kind == Combine) {
		data = p.words[word_] + (data ^ job.op);
		p.events |= data & 15;
	} else if (job.kind == Fill && word_ == 0) {
		p.events = 0;
		p.filled = false;
	}
	if (job.kind == Token)
		tokens_.push_back({ cycle() + way, p.events });
	if (job.kind == Fill || job.kind == Combine) {
		writes_.push_back({ cycle() + way, job.place, word_, data });
		p.words[word_] = data;
		p.taken[word_] = cycle();
		p.filled = p.filled || (job.kind == Fill && last);
	}
	word_ = last ? 0 : word_ + 1;
	if (last)
		jobs_.pop_front();
	begun_ = cycle() + 1;
}

// Whether a word is read for the ALU in this cycle.
bool WordsBench::combines() const
{
	if (jobs_.empty() || cycle() < begun_)
		return false;
	const Job &job = jobs_.front();
	uint64_t taken = places_[job.place].taken[word_];

	return job.kind == Combine && (!taken || cycle() > taken + way) && (data_offered_ || !job.words());
}

// A read or write of the user waits only for the same memory.
void WordsBench::check_ready()
{
	bool odd_read = (dut->rd_place_i ^ dut->rd_word_i) & 1, odd_write = (dut->wr_place_i ^ dut->wr_word_i) & 1;
	bool reads = combines() && ((jobs_.front().place ^ word_) & 1) == odd_read;
	bool writes = !writes_.empty() && writes_.front().at == cycle() &&
		      ((writes_.front().place ^ writes_.front().word) & 1) == odd_write;

	CHECK(dut->rd_ready_o == !reads && dut->wr_ready_o == !writes, "rd_ready_o is %d, wr_ready_o is %d", dut->rd_ready_o,
	      dut->wr_ready_o);
}

void WordsBench::note_memory()
{
	while (!writes_.empty() && writes_.front().at < cycle()) {
		const Write &w = writes_.front();

		settled_[w.place].words[w.word] = w.value;
		settled_[w.place].known[w.word] = true;
		writes_.pop_front();
	}
	check_ready();
	CHECK(dut->rdata_valid_o == (!reads_.empty() && reads_.front().at == cycle()), "rdata_valid_o is %d",
	      dut->rdata_valid_o);
	if (dut->rdata_valid_o) {
		CHECK(!reads_.front().known || dut->rdata_o == reads_.front().value, "a wrong word is read");
		reads_.pop_front();
	}
	if (reading_ && dut->rd_ready_o) {
		const Place &p = settled_[dut->rd_place_i];

		reads_.push_back({ cycle() + 2, p.words[dut->rd_word_i], p.known[dut->rd_word_i] });
		reading_ = false;
	}
	if (writing_ && dut->wr_ready_o) {
		settled_[Places - 1].words[dut->wr_word_i] = dut->wr_data_i;
		settled_[Places - 1].known[dut->wr_word_i] = true;
		writing_ = false;
	}
}

void WordsBench::note()
{
	bool waits = !jobs_.empty() && cycle() >= begun_;

	CHECK(dut->idle_o == (jobs_.empty() && writes_.empty() && tokens_.empty()), "idle_o is %d", dut->idle_o);
	CHECK(dut->done_valid_o == (!tokens_.empty() && tokens_.front().first == cycle()), "done_valid_o is %d", dut->done_valid_o);
	if (dut->done_valid_o) {
		CHECK(dut->done_flags_o == tokens_.front().second, "events %#x, not %#x", dut->done_flags_o, tokens_.front().second);
		tokens_.pop_front();
	}
	if (waits) {
		const Job &job = jobs_.front();
		uint64_t taken = places_[job.place].taken[word_];
		bool free = job.kind != Combine || !taken || cycle() > taken + way;

		CHECK(dut->data_ready_o == (free && job.words()), "data_ready_o is %d for word %u of %u", dut->data_ready_o, word_,
		      job.words());
		if (free && (data_offered_ || !job.words())) {
			data_offered_ = data_offered_ && !job.words();
			take_word();
		}
	} else {
		CHECK(!dut->data_ready_o, "data are taken without a job");
	}
	if (offered_ && dut->job_ready_o) {
		if (jobs_.empty())
			begun_ = std::max<uint64_t>(begun_, cycle() + 2);
		jobs_.push_back(new_);
		offered_ = false;
	}
}

int WordsBench::run()
{
	restart();
	for (uint64_t left = times(300000); left; left--) {
		if (rng.one_in(20000))
			restart();
		drive();
		drive_memory();
		settle();
		CHECK(!offered_ || dut->job_ready_o || jobs_.size() >= Jobs, "a job is not taken");
		note_memory();
		note();
		check_alu();
		tick();
	}
	return finish();
}

int main(int argc, char **argv)
{
	return WordsBench(argc, argv).run();
}
