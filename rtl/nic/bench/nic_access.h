// SPDX-License-Identifier: BSD-2-Clause
// Memory regions in the bench of tally_nic: registers, a write and a read that need a page list, a refusal, and a removal that
// waits for a read. The bench of tally_regions has the rest.
#ifndef TALLY_NIC_ACCESS_H
#define TALLY_NIC_ACCESS_H

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <endian.h>

#include "Vdut.h"
#include "bench.h"
#include "rtl/axi_lite.h"

extern "C" {
#include "gen/tally_fw_hw.h"
#include "gen/tally_hw.h"
}

class Accesses {
public:
	explicit Accesses(tally::Bench<Vdut> &bench) : bench_(bench), dut_(*bench.dut) {}

	static void idle_inputs(Vdut &dut)
	{
		dut.acc_valid_i = dut.acw_valid_i = dut.acr_ready_i = dut.ace_ready_i = 0;
	}

	void run()
	{
		CHECK(!set(offsetof(struct tally_fw_region, go), 0), "a command for no region");
		CHECK(enter(), "a region is refused");
		idle("after a region was entered");
		write();
		read();
		refuse();
		remove_amid_a_read();
	}

	// For requests with accesses: a region of protection domain `pd`, and a part of it.
	static constexpr uint32_t pd = 3;

	bool enter()
	{
		return set(offsetof(struct tally_fw_region, lkey), lkey) && set64(offsetof(struct tally_fw_region, iova), iova) &&
		       set64(offsetof(struct tally_fw_region, addr), list) && set64(offsetof(struct tally_fw_region, length), region_len) &&
		       set(offsetof(struct tally_fw_region, offset), offset) && set(offsetof(struct tally_fw_region, levels), 1) &&
		       set(offsetof(struct tally_fw_region, page_shift), TALLY_MIN_PAGE_SHIFT) &&
		       set(offsetof(struct tally_fw_region, pd), pd) &&
		       set(offsetof(struct tally_fw_region, access), TALLY_ACCESS_LOCAL_WRITE) &&
		       set(offsetof(struct tally_fw_region, go), TALLY_FW_REGION_ENTER);
	}

	static struct tally_sge last_bytes(uint32_t len)
	{
		return { .addr = htole64(iova + region_len - len), .length = htole32(len), .lkey = htole32(lkey) };
	}

private:
	static constexpr uint32_t lkey = 0x305, region_len = 0x400;
	static constexpr uint64_t iova = 0x7000000000, list = 0x55000, page = 0x1234567000;
	static constexpr uint64_t offset = 0x31, place = offset + 0x20;	// in the page; of the accesses
	static constexpr unsigned int length = 60;			// of the write, in two words of memory
	static constexpr uint64_t content = 0x0011223344556677;		// of memory
	static constexpr unsigned int regions = 2;			// the master's write ID
	tally::Bench<Vdut> &bench_;
	Vdut &dut_;

	bool set(size_t at, uint32_t value)
	{
		return tally::axil_write(dut_, TALLY_FW_REGION_BASE + at, value, [this] { bench_.tick(); });
	}

	bool set64(size_t at, uint64_t value) { return set(at, uint32_t(value)) && set(at + 4, value >> 32); }

	// What has happened in the regions counts for two clocks.
	void idle(const char *when)
	{
		for (unsigned int i = 0; bench_.settle(), !dut_.idle_o && i < 2; i++)
			bench_.tick();
		CHECK(dut_.idle_o, "idle_o is low %s", when);
	}

	// `input`: the hardware waits for an input that is offered, so it may say that it is idle.
	template <typename Signal> void until(const Signal &signal, const char *what, bool input = false)
	{
		for (unsigned int i = 0; bench_.settle(), !signal; i++, bench_.tick())
			CHECK(i < 100 && (input || !dut_.idle_o), "%s does not come", what);
	}

	void ask(bool write, uint32_t key, uint32_t len, unsigned int tag)
	{
		dut_.acc_valid_i = 1;
		dut_.acc_pd_i = pd;
		dut_.acc_lkey_i = key;
		dut_.acc_addr_i = iova + place - offset;
		dut_.acc_len_i = len;
		dut_.acc_write_i = write;
		dut_.acc_tag_i = tag;
		bench_.settle();
		CHECK(dut_.acc_ready_o, "an access is not taken");
		bench_.tick();
		dut_.acc_valid_i = 0;
	}

	// Takes a read of a word, and returns its ID.
	unsigned int take_read(uint64_t addr)
	{
		dut_.dma_arready_i = 1;
		until(dut_.dma_arvalid_o, "a read");
		CHECK(dut_.dma_araddr_o == addr && !dut_.dma_arlen_o, "a read at %llx", (unsigned long long)dut_.dma_araddr_o);
		unsigned int id = dut_.dma_arid_o;
		bench_.tick();
		dut_.dma_arready_i = 0;
		return id;
	}

	// `value` is bytes 8k to 8k + 7 of the word.
	void give_word(unsigned int id, uint64_t value)
	{
		dut_.dma_rvalid_i = 1;
		dut_.dma_rid_i = id;
		dut_.dma_rresp_i = 0;
		for (unsigned int k = 0; k < 8; k++)
			std::memcpy(reinterpret_cast<uint8_t *>(&dut_.dma_rdata_i) + 8 * k, &value, 8);
		bench_.settle();
		CHECK(dut_.dma_rready_o, "a word is not taken");
		bench_.tick();
		dut_.dma_rvalid_i = 0;
	}

	void answer_read(uint64_t addr, uint64_t value)
	{
		unsigned int id = take_read(addr);

		idle("while the memory is due");
		give_word(id, value);
	}

	void write()
	{
		ask(true, lkey, length, 77);
		dut_.acw_valid_i = 1;
		std::memset(&dut_.acw_data_i, 0x5a, sizeof(dut_.acw_data_i));
		answer_read(list, page);
		dut_.dma_awready_i = dut_.dma_wready_i = 1;
		until(dut_.dma_awvalid_o, "a write");
		CHECK(dut_.dma_awaddr_o == page + place / 64 * 64 && dut_.dma_awid_o == regions, "a write at %llx",
		      (unsigned long long)dut_.dma_awaddr_o);
		until(dut_.acw_ready_o, "the turn of the data", true);
		bench_.tick();
		dut_.acw_valid_i = 0;
		for (unsigned int word = 0; word < 2; word++) {
			until(dut_.dma_wvalid_o, "a word");
			CHECK(dut_.dma_wstrb_o == (word ? (1ull << (place % 64 + length - 64)) - 1 : ~0ull << place % 64), "strobes %llx",
			      (unsigned long long)dut_.dma_wstrb_o);
			bench_.tick();
		}
		dut_.dma_awready_i = dut_.dma_wready_i = 0;
		idle("while the answer to a write is due");
		dut_.dma_bvalid_i = 1;
		dut_.dma_bid_i = regions;
		dut_.dma_bresp_i = 0;
		bench_.settle();
		CHECK(dut_.dma_bready_o, "an answer is not taken");
		bench_.tick();
		dut_.dma_bvalid_i = 0;
		end(77, TALLY_COLL_OK);
	}

	void end(unsigned int tag, unsigned int status)
	{
		until(dut_.ace_valid_o, "an end");
		CHECK(dut_.ace_tag_o == tag && dut_.ace_status_o == status, "access %u ends with %u", dut_.ace_tag_o, dut_.ace_status_o);
		dut_.ace_ready_i = 1;
		bench_.tick();
		dut_.ace_ready_i = 0;
		idle("after an end");
	}

	void take_word(unsigned int tag)
	{
		until(dut_.acr_valid_o, "a word that was read");
		CHECK(dut_.acr_tag_o == tag && dut_.acr_last_o && !dut_.acr_error_o && dut_.acr_keep_o == 0xff, "another word");
		CHECK(reinterpret_cast<uint8_t *>(&dut_.acr_data_o)[0] == 0x77 - place % 8 * 0x11, "another byte");
		dut_.acr_ready_i = 1;
		bench_.tick();
		dut_.acr_ready_i = 0;
	}

	void read()
	{
		ask(false, lkey, 8, 78);
		answer_read(list, page);
		answer_read(page + place / 64 * 64, content);
		take_word(78);
		idle("after a read");
	}

	void refuse()
	{
		ask(false, lkey ^ 1, 8, 79);
		end(79, TALLY_COLL_BAD_LKEY);
	}

	// The removal has been carried out only when the word has been taken.
	void remove_amid_a_read()
	{
		CHECK(set(offsetof(struct tally_fw_region, lkey), lkey), "a register of regions is refused");
		ask(false, lkey, 8, 80);
		answer_read(list, page);
		unsigned int id = take_read(page + place / 64 * 64);

		dut_.axil_awvalid_i = dut_.axil_wvalid_i = 1;
		dut_.axil_awaddr_i = TALLY_FW_REGION_BASE + offsetof(struct tally_fw_region, go);
		dut_.axil_wdata_i = TALLY_FW_REGION_REMOVE;
		dut_.axil_wstrb_i = 15;
		until(dut_.axil_awready_o, "the turn of a register", true);
		bench_.tick();
		dut_.axil_awvalid_i = dut_.axil_wvalid_i = 0;
		dut_.axil_bready_i = 1;
		for (unsigned int i = 0; i < 50; i++, bench_.tick())
			CHECK((bench_.settle(), !dut_.axil_bvalid_o && !dut_.idle_o), "a region is removed amid a read");
		give_word(id, content);
		take_word(80);
		until(dut_.axil_bvalid_o, "the answer to a removal");
		CHECK(!dut_.axil_bresp_o, "a removal is refused");
		bench_.tick();
		dut_.axil_bready_i = 0;
		ask(false, lkey, 8, 81);
		end(81, TALLY_COLL_BAD_LKEY);
	}
};

#endif
