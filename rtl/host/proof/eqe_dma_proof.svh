// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary event that has a place in its ring, and an arbitrary bit of it.
// The event is written once, at its address, with this bit and with strobes for its 32 bytes alone,
// or it is not written because its page list has no page for it. It is answered once, after those
// before it, and with an error if and only if it was not written or memory refused it. When nothing
// is inside and memory owes nothing, all events have been answered. Offers on the bus stay,
// unchanged, until they are taken, and no burst has data before its address.
`include "tally_proof.svh"

localparam int unsigned CountsW = 5;         // enough for a bounded run
localparam int unsigned PlaceW = $clog2(tally_pkg::EqeBytes);
(* anyconst *) logic [CountsW-1:0] which;
(* anyconst *) logic [$clog2(EqeW)-1:0] place_bit;

// ---- Counts of all events, and of writes and reads ----
logic begins, finds, ends, aw, w, b, ar, r;
logic [CountsW-1:0] begins_q, finds_q, ends_q, aws_q, ws_q, bs_q, owed_q;
logic [Slots-1:0] reading_q;
assign begins = wr_valid && wr_ready;
assign finds = place_valid && place_take;
assign ends = done_valid && done_ready;
assign aw = awvalid_o && awready_i;
assign w = wvalid_o && wready_i;
assign b = bvalid_i && bready_o;
assign ar = arvalid_o && arready_i;
assign r = rvalid_i && rready_o;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    begins_q <= '0;
    finds_q <= '0;
    ends_q <= '0;
    aws_q <= '0;
    ws_q <= '0;
    bs_q <= '0;
    owed_q <= '0;
    reading_q <= '0;
  end else begin
    begins_q <= begins_q + CountsW'(begins);
    finds_q <= finds_q + CountsW'(finds);
    ends_q <= ends_q + CountsW'(ends);
    aws_q <= aws_q + CountsW'(aw);
    ws_q <= ws_q + CountsW'(w);
    bs_q <= bs_q + CountsW'(b);
    owed_q <= owed_q + CountsW'(finds && place_ok) - CountsW'(b);
    if (ar) reading_q[arid_o] <= 1'b1;
    if (r) reading_q[rid_i] <= 1'b0;
  end
end

// ---- The followed event ----
logic begun_q, found_q, found_ok_q, bad_q, value_q, flat_q;
logic [AddrW-1:0] start_q, its_addr_q;
logic [CountsW-1:0] good_q, nth_q;           // writes before it: so far, and in the end
logic mine_ends;
assign mine_ends = ends && ends_q == which;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    begun_q <= 1'b0;
    found_q <= 1'b0;
    good_q <= '0;
    bad_q <= 1'b0;
  end else begin
    if (begins && begins_q == which) begun_q <= 1'b1;
    if (finds) good_q <= good_q + CountsW'(place_ok);
    if (finds && finds_q == which) found_q <= 1'b1;
    if (b && found_q && found_ok_q && bs_q == nth_q) bad_q <= bresp_i[1];
  end
  if (begins && begins_q == which) begin
    value_q <= wr_data[place_bit];
    flat_q <= walk_levels == '0;
    start_q <= wr_start;
  end
  if (finds && finds_q == which) begin
    found_ok_q <= place_ok;
    its_addr_q <= place_addr;
    nth_q <= good_q;
  end
end

// ---- The memory, and the owner of the queues ----
logic cfg_waits_q = 1'b0, b_waits_q = 1'b0;
logic [RingW+AddrW+LogW+VectorW+EqnW:0] cfg_q, cfg_now;
logic [1:0] bresp_q;
assign cfg_now = {cfg_ring_i, cfg_first_i, cfg_log_depth_i, cfg_vector_i, cfg_eqn_i, cfg_enable_i};
always_ff @(posedge clk_i) begin
  cfg_waits_q <= started_q && cfg_valid_i && !cfg_ready_o;
  cfg_q <= cfg_now;
  b_waits_q <= started_q && bvalid_i && !bready_o;
  bresp_q <= bresp_i;
end
always_comb begin
  if (started_q) begin
    assume (!bvalid_i || bs_q != ws_q);
    assume (!rvalid_i || reading_q[rid_i]);
    assume (bresp_i[0] == 1'b0);
    // a ring begins at a multiple of an entry
    if (cfg_valid_i) begin
      assume (32'(cfg_log_depth_i) <= $clog2(MaxDepth) && cfg_first_i[PlaceW-1:0] == '0);
    end
    if (cfg_waits_q) assume (cfg_valid_i && cfg_now == cfg_q);
    if (b_waits_q) assume (bvalid_i && bresp_i == bresp_q);
  end
end

// ---- What waits on the bus ----
logic aw_waits_q = 1'b0, w_waits_q = 1'b0, ar_waits_q = 1'b0;
logic [AddrW+7:0] aw_was_q;
logic [AddrW+SlotW+7:0] ar_was_q;
logic [64:0] w_was_q;
always_ff @(posedge clk_i) begin
  aw_waits_q <= started_q && awvalid_o && !awready_i;
  w_waits_q <= started_q && wvalid_o && !wready_i;
  ar_waits_q <= started_q && arvalid_o && !arready_i;
  aw_was_q <= {awaddr_o, awlen_o};
  ar_was_q <= {arid_o, araddr_o, arlen_o};
  w_was_q <= {wlast_o, wstrb_o};
end

logic [$clog2(2*EqeW)-1:0] lane;
logic [tally_pkg::EqeBytes-1:0] strobes;
assign lane = {its_addr_q[PlaceW], place_bit};
assign strobes = {tally_pkg::EqeBytes{1'b1}};
always_comb begin
  if (started_q) begin
    assert (finds_q <= begins_q && ends_q <= finds_q && bs_q <= aws_q && ws_q <= aws_q);
    if (found_q && flat_q) assert (found_ok_q && its_addr_q == start_q);
    if (found_q && found_ok_q && aw && aws_q == nth_q) begin
      assert (awaddr_o[AddrW-1:PlaceW+1] == its_addr_q[AddrW-1:PlaceW+1] && awlen_o == '0);
    end
    if (found_q && found_ok_q && w && ws_q == nth_q) begin
      assert (wlast_o && wdata_o[lane] == value_q);
      assert (wstrb_o == (its_addr_q[PlaceW] ? {strobes, ~strobes} : {~strobes, strobes}));
    end
    if (mine_ends) begin
      assert (begun_q && found_q && (!found_ok_q || bs_q == nth_q));
      assert (done_error == (!found_ok_q || (b ? bresp_i[1] : bad_q)));
    end
    if (!busy_o && owed_q == '0 && reading_q == '0 && !bvalid_i) assert (ends_q == begins_q);
    cover (mine_ends && found_ok_q && which == CountsW'(1));
    cover (mine_ends && !found_ok_q);
    cover (w && found_q && found_ok_q && ws_q == nth_q && its_addr_q[PlaceW] && !flat_q);
  end
  if (aw_waits_q) assert (awvalid_o && {awaddr_o, awlen_o} == aw_was_q);
  if (w_waits_q) assert (wvalid_o && {wlast_o, wstrb_o} == w_was_q);
  if (ar_waits_q) assert (arvalid_o && {arid_o, araddr_o, arlen_o} == ar_was_q);
end
