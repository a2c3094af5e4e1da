// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary row of the table and one arbitrary request for it: its answer
// comes in its turn, with its tag and the verdict of sim/nic/mr.c on the row as it was when the
// request was taken. No answer is made up. A region that was entered has an address for each of its
// bytes, the pieces of one that is contiguous are within it, and none leaves after the region was
// removed.
`include "tally_proof.svh"

(* anyconst *) logic [IndexW-1:0] followed;
(* anyseq *) logic pick;

// ---- The row ----
logic used_q, has_write_q;
logic [KeyW-1:0] key_q;
logic [PdW-1:0] pd_q;
logic [AddrW-1:0] iova_q, addr_q, length_q;
logic [7:0] levels_q;
logic entered;
assign entered = cfg_valid_i && cfg_ready_o && !cfg_bad_o &&
    cfg_lkey_i[31:KeyW] == (32 - KeyW)'(followed);
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    used_q <= 1'b0;
  end else if (entered) begin
    used_q <= cfg_enable_i;
    key_q <= cfg_lkey_i[KeyW-1:0];
    pd_q <= cfg_pd_i;
    has_write_q <= cfg_write_i;
    iova_q <= cfg_iova_i;
    addr_q <= cfg_addr_i;
    length_q <= cfg_length_i;
    levels_q <= cfg_levels_i;
  end
end

// ---- The verdict on the request ----
logic [15:0] verdict, verdict_q;
logic [AddrW-1:0] place, its_place_q;
logic its_row, its_find_q, its_flat_q;
logic [AddrW-1:0] its_addr_q, its_length_q;
logic [LenW-1:0] its_len_q;
logic [TagW-1:0] its_tag_q;
assign its_row = in_lkey_i[31:KeyW] == (32 - KeyW)'(followed);
assign place = in_addr_i - iova_q;
always_comb begin
  if (!used_q || in_lkey_i[KeyW-1:0] != key_q || in_pd_i != pd_q) verdict = tally_pkg::CollBadLkey;
  else if (in_addr_i < iova_q || place > length_q || AddrW'(in_len_i) > length_q - place)
    verdict = tally_pkg::CollMrRange;
  else if (in_write_i && !has_write_q) verdict = tally_pkg::CollMrAccess;
  else verdict = tally_pkg::CollOk;
end

// ---- Its turn ----
logic picked_q, done_q, ends, mine;
logic [3:0] before_q, inside_q;               // answers that come before it; requests inside
logic [LenW:0] given_q;
assign ends = out_valid_o && out_ready_i && out_last_o;
assign mine = picked_q && !done_q && before_q == '0;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    picked_q <= 1'b0;
    done_q <= 1'b0;
    inside_q <= '0;
  end else begin
    inside_q <= inside_q + 4'(take) - 4'(ends);
    if (take && pick && its_row && !picked_q) begin
      picked_q <= 1'b1;
      before_q <= inside_q - 4'(ends);
      verdict_q <= verdict;
      its_place_q <= place;
      its_find_q <= in_find_i && in_len_i != '0;
      its_flat_q <= levels_q == '0;
      its_addr_q <= addr_q;
      its_length_q <= length_q;
      its_len_q <= in_len_i;
      its_tag_q <= in_tag_i;
      given_q <= '0;
    end
    if (picked_q && !done_q && ends) begin
      if (before_q == '0) done_q <= 1'b1;
      else before_q <= before_q - 1'b1;
    end
    if (mine && out_valid_o && out_ready_i) given_q <= given_q + (LenW + 1)'(out_len_o);
  end
end

// ---- The memory and the owner of the table ----
logic [Walks-1:0] reading_q;
logic cfg_waits_q;
logic [3*AddrW+PdW+81:0] cfg_q, cfg_now;
assign cfg_now = {cfg_enable_i, cfg_lkey_i, cfg_pd_i, cfg_write_i, cfg_iova_i, cfg_addr_i,
    cfg_length_i, cfg_offset_i, cfg_levels_i, cfg_page_shift_i};
always_ff @(posedge clk_i) begin
  cfg_waits_q <= started_q && cfg_valid_i && !cfg_ready_o;
  cfg_q <= cfg_now;
  if (!started_q) begin
    reading_q <= '0;
  end else begin
    if (rd_valid_o && rd_ready_i) reading_q[rd_tag_o] <= 1'b1;
    if (rsp_valid_i) reading_q[rsp_tag_i] <= 1'b0;
  end
end
always_comb begin
  if (started_q) begin
    assume (!rsp_valid_i || reading_q[rsp_tag_i]);
    if (cfg_waits_q) assume (cfg_valid_i && cfg_now == cfg_q);
    // A region is entered where none is, and keeps its place until it is removed.
    if (cfg_valid_i && cfg_enable_i && cfg_lkey_i[31:KeyW] == (32 - KeyW)'(followed)) begin
      assume (!used_q);
    end
  end
end

logic [AddrW:0] end_iova, end_bus;
assign end_iova = (AddrW + 1)'(iova_q) + (AddrW + 1)'(length_q) - 1'b1;
assign end_bus = (AddrW + 1)'(addr_q) + (AddrW + 1)'(length_q) - 1'b1;

always_comb begin
  if (started_q) begin
    if (used_q) assert (length_q != '0 && !end_iova[AddrW] && (levels_q != '0 || !end_bus[AddrW]));
    assert (!out_valid_o || inside_q != '0);
    if (cfg_valid_i && cfg_ready_o && !cfg_enable_i) assert (inside_q == '0 && !take);
    if (mine && out_valid_o) begin
      assert (out_tag_o == its_tag_q);
      if (verdict_q != tally_pkg::CollOk || !its_find_q)
        assert (out_status_o == verdict_q && out_len_o == '0 && out_last_o);
      else
        assert (out_status_o == tally_pkg::CollOk || out_status_o == tally_pkg::CollDmaError);
      if (out_len_o != '0 && its_flat_q) begin
        assert (out_addr_o - its_addr_q == its_place_q + AddrW'(given_q));
        assert (AddrW'(out_len_o) <= its_length_q - its_place_q - AddrW'(given_q));
      end
      if (out_len_o != '0 && out_last_o) begin
        assert (given_q + (LenW + 1)'(out_len_o) == (LenW + 1)'(its_len_q));
      end
    end
    cover (mine && out_valid_o && out_len_o != '0 && its_flat_q);
    cover (mine && out_valid_o && verdict_q == tally_pkg::CollMrAccess);
  end
end
