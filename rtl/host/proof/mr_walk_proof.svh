// SPDX-License-Identifier: BSD-2-Clause
// Each request is answered once. The pieces of an access are all of its bytes, each within a page,
// and where the answer for the page of its number says. An access without a walk, or with an entry
// that is no good, has no pieces. One entry is read at a time, for a walk alone, and the first of a
// piece is in the root.
`include "tally_proof.svh"

logic load, fails_q, walks_q, reading_q, leaf_known_q;
logic [LenW-1:0] len_q;
logic [LenW:0] given_q;
logic [15:0] verdict_q;
logic [TagW-1:0] its_tag_q;
logic [FrameW-1:0] leaf_page_q, leaf_number_q, its_root_q, its_unit_q;
logic [PageW-1:0] its_first_q;
logic [LevelW-1:0] its_levels_q;
logic [ShiftW-1:0] its_shift_q;
logic [3:0] pieces_q;

assign load = in_valid_i && in_ready_o;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    reading_q <= 1'b0;
  end else begin
    if (load) begin
      fails_q <= 1'b0;
      walks_q <= in_walk_i;
      len_q <= in_len_i;
      given_q <= '0;
      pieces_q <= '0;
      verdict_q <= in_status_i;
      its_tag_q <= in_tag_i;
      its_root_q <= in_root_i;
      {its_unit_q, its_first_q} <= in_start_i;
      its_levels_q <= in_levels_i;
      its_shift_q <= in_shift_i;
      leaf_known_q <= 1'b0;
    end
    if (rd_valid_o && rd_ready_i) reading_q <= 1'b1;
    if (rsp_valid_i) reading_q <= 1'b0;
    if (answer && bad) fails_q <= 1'b1;
    if (answer && leaf) begin
      leaf_known_q <= 1'b1;
      leaf_page_q <= page;
      leaf_number_q <= unit_q >> shift_q;
    end
    if (give) begin
      given_q <= given_q + (LenW + 1)'(out_len_o);
      pieces_q <= pieces_q + 1'b1;
    end
  end
end

always_comb begin
  assume (!rsp_valid_i || reading_q);
  if (in_valid_i && in_walk_i) begin
    assume (in_status_i == tally_pkg::CollOk && in_len_i != '0);
    assume (32'(in_levels_i) <= tally_pkg::MemLevels);
    assume (32'(in_shift_i) <= tally_pkg::MaxPageShift - tally_pkg::MinPageShift);
  end
end

always_comb begin
  if (started_q) begin
    assert (!(rd_valid_o && reading_q));
    assert (!rd_valid_o || (walks_q && its_levels_q != '0));
    if (rd_valid_o && level_q == its_levels_q) assert (rd_addr_o[AddrW-1:PageW] == its_root_q);
    // Where a piece is.
    if (found && flat) assert (frame == its_unit_q + FrameW'(at_q));
    if (found && !flat) begin
      if (answer) assert (frame == (page | (unit_q & mask)));
      else begin
        assert (leaf_known_q && leaf_number_q == unit_q >> shift_q);
        assert (frame == (leaf_page_q | (unit_q & mask)));
      end
      assert (unit_q == its_unit_q + FrameW'(at_q));
    end
    if (out_valid_o) begin
      assert (out_tag_o == its_tag_q && !reading_q);
      assert (out_len_o <= {1'b1, {PageW{1'b0}}} - (PageW + 1)'(out_addr_o[PageW-1:0]));
      if (!walks_q) assert (out_status_o == verdict_q && out_len_o == '0 && out_last_o);
      if (fails_q) assert (out_status_o == DmaError && out_len_o == '0 && out_last_o);
      if (walks_q && out_status_o == tally_pkg::CollOk) begin
        assert (out_len_o != '0);
        assert (pieces_q < 4'(Pieces));
        assert (out_addr_o[PageW-1:0] == (pieces_q == '0 ? its_first_q : '0));
        assert (out_last_o == (given_q + (LenW + 1)'(out_len_o) == (LenW + 1)'(len_q)));
      end
    end
    cover (out_valid_o && out_last_o && pieces_q == 4'(Pieces - 1) && its_levels_q == LevelW'(2));
    cover (out_valid_o && fails_q && at_q != '0);
    cover (found && goes_on && !flat);
  end
end
