// SPDX-License-Identifier: BSD-2-Clause
// Bench of tally_rmq_words: compares it with a list of cells. Messages of all lengths are stored, taken at once or
// later, forgotten while their words arrive, and held. Words must enter and leave without a pause.
#include <cstring>
#include <deque>
#include <vector>

#include "Vdut.h"
#include "bench.h"

constexpr unsigned int word_bytes = 8;
using Data = std::vector<uint8_t>;

struct Message {
	unsigned int cell = 0, note = 0, owner = 0;
	uint64_t header = 0;
	bool end = false;
	Data data;

	size_t words() const { return (data.size() + word_bytes - 1) / word_bytes; }
};

class WordsBench : public tally::Bench<Vdut> {
public:
	WordsBench(int argc, char **argv) : Bench("rmq_words", argc, argv) {}
	int run();

private:
	void make_store();
	void make_take();
	void drive();
	void check_out();
	void check_speed();
	void note_transfers();
	void note_stored();

	tally::Throttle store_{ rng }, take_{ rng }, data_{ rng }, out_{ rng }, hold_{ rng };
	std::deque<unsigned int> free_ = { 0, 1, 2, 3, 4 };
	std::vector<Message> stored_;
	std::deque<Message> taken_, leaving_; // cell not given back; last word not yet out
	std::deque<Data> words_; // words of stored messages, to be written
	Message new_, go_;
	bool storing_ = false, taking_ = false, data_offered_ = false;
	bool out_held_ = false, out_amid_ = false, held_ = false;
	size_t word_ = 0;
	unsigned int longest_ = 64;
};

static_assert(Cells == 5 && Words == 8 && DataW == 64, "as the bench has them");

void WordsBench::make_store()
{
	if (rng.one_in(200))
		longest_ = rng.one_in(2) ? Words * word_bytes : rng.below(3) * word_bytes;
	storing_ = !free_.empty() && !dut->full_o && store_.go();
	if (!storing_)
		return;
	new_.cell = free_.front();
	new_.note = rng.below(1 << NoteW);
	new_.owner = rng.below(1 << OwnerW);
	new_.header = rng.next() >> (64 - HeaderW);
	new_.data.resize(rng.below(longest_ + 1));
	rng.fill(new_.data.data(), new_.data.size());
}

// A take stays until it is ready. The cell of a forgotten message is free at once.
void WordsBench::make_take()
{
	if (taking_ || stored_.empty())
		return;
	size_t at = rng.below(stored_.size());
	bool forget = rng.one_in(10);

	if (!forget && !take_.go())
		return;
	go_ = stored_[at];
	stored_.erase(stored_.begin() + at);
	go_.end = rng.one_in(3);
	taking_ = !forget;
	if (forget)
		free_.push_back(go_.cell);
}

void WordsBench::drive()
{
	make_take();
	make_store();
	dut->store_valid_i = storing_;
	dut->store_cell_i = storing_ ? new_.cell : rng.below(Cells);
	dut->store_len_i = storing_ ? new_.data.size() : rng.below(Words * word_bytes + 1);
	dut->store_header_i = new_.header;
	dut->take_valid_i = taking_;
	dut->take_cell_i = go_.cell;
	dut->take_end_i = go_.end;
	dut->take_len_i = go_.data.size();
	dut->take_note_i = go_.note;
	dut->take_owner_i = go_.owner;
	data_offered_ = data_offered_ || (!words_.empty() && data_.go());
	dut->data_valid_i = data_offered_;
	if (data_offered_)
		std::memcpy(&dut->data_i, words_.front().data(), word_bytes);
	dut->hold_i = !hold_.go();
	dut->out_ready_i = out_.go();
}

void WordsBench::check_out()
{
	if (!dut->out_valid_o) {
		CHECK(!out_held_, "an offered word is withdrawn");
		return;
	}
	CHECK(!leaving_.empty(), "a message leaves that was not taken");
	const Message &m = leaving_.front();
	bool last = word_ + 1 >= m.words();

	CHECK(dut->out_last_o == last && dut->out_end_o == m.end, "last is %d, end %d", dut->out_last_o, dut->out_end_o);
	CHECK(dut->out_note_o == m.note && dut->out_len_o == m.data.size() && dut->out_header_o == m.header,
	      "a wrong message leaves");
	if (m.words()) {
		size_t at = word_ * word_bytes;
		CHECK(!std::memcmp(&dut->out_data_o, &m.data[at], std::min<size_t>(word_bytes, m.data.size() - at)),
		      "wrong word %zu of %zu", word_, m.words());
	}
}

// Checks that the block accepts the words that are due, and that a message leaves without a pause unless it is held.
void WordsBench::check_speed()
{
	CHECK(dut->data_ready_o == !words_.empty(), "data_ready_o is %d with %zu words due", dut->data_ready_o, words_.size());
	CHECK(!out_amid_ || dut->out_valid_o || held_, "a pause within a message");
}

void WordsBench::note_stored()
{
	for (size_t i = 0; i < new_.words(); i++) {
		Data word(word_bytes, 0xa5);
		size_t at = i * word_bytes;

		std::memcpy(word.data(), &new_.data[at], std::min<size_t>(word_bytes, new_.data.size() - at));
		words_.push_back(word);
	}
	free_.pop_front();
	stored_.push_back(new_);
}

void WordsBench::note_transfers()
{
	if (dut->give_valid_o) {
		CHECK(!dut->hold_i, "a word is read in spite of hold_i");
		CHECK(!taken_.empty() && dut->give_cell_o == taken_.front().cell && dut->give_owner_o == taken_.front().owner,
		      "cell %u is given back unexpectedly", dut->give_cell_o);
		free_.push_back(taken_.front().cell);
		taken_.pop_front();
	}
	if (data_offered_ && dut->data_ready_o) {
		words_.pop_front();
		data_offered_ = false;
	}
	if (storing_)
		note_stored();
	if (taking_ && dut->take_ready_o) {
		taken_.push_back(go_);
		leaving_.push_back(go_);
		taking_ = false;
	}
	out_held_ = dut->out_valid_o && !dut->out_ready_i;
	out_amid_ = dut->out_valid_o && !dut->out_last_o;
	held_ = dut->hold_i;
	if (dut->out_valid_o && dut->out_ready_i) {
		word_ = dut->out_last_o ? 0 : word_ + 1;
		if (dut->out_last_o)
			leaving_.pop_front();
	}
}

int WordsBench::run()
{
	dut->store_valid_i = dut->take_valid_i = dut->data_valid_i = dut->hold_i = dut->out_ready_i = 0;
	reset();
	for (uint64_t left = times(200000); left; left--) {
		settle();
		drive();
		settle();
		check_out();
		check_speed();
		note_transfers();
		tick();
	}
	return finish();
}

int main(int argc, char **argv)
{
	return WordsBench(argc, argv).run();
}
