// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary request and an arbitrary lane of the words that it touches. The
// byte of the request for this lane is there, with its strobe; a lane without a byte of the request
// has none. The request ends once, after those before it, with its tag, and with an error if and
// only if one of its bursts had one. Each burst has as many words as its address says, and they
// come after it. Offers stay, unchanged, until they are taken.
// No request continues another one here; the bench has those.
`include "tally_proof.svh"

localparam int unsigned CountW = 7;           // enough for a bounded run
(* anyconst *) logic [1:0] which;             // number of the request
(* anyconst *) logic [LenW:0] place;          // byte, counted from the beginning of its first word
(* anyconst *) logic [7:0] value;
(* anyconst *) logic [CountW-1:0] which_burst;

// ---- The user ----
logic [AddrW:0] last_byte;
logic [CountW-1:0] requests_q, req_words, req_beats;
logic takes, mine, begun_q;
assign last_byte = (AddrW + 1)'(req_addr_i) + (AddrW + 1)'(req_len_i) - 1'b1;
assign takes = req_valid_i && req_ready_o;
assign mine = takes && requests_q == CountW'(which);
assign req_words = (CountW'(req_len_i) + CountW'(Bytes - 1)) >> LaneW;
assign req_beats = ((CountW'(req_addr_i[LaneW-1:0]) + CountW'(req_len_i) - 1'b1) >> LaneW) + 1'b1;

// Words of the stream and on the bus before those of the followed request; its first byte and its
// length.
logic [CountW-1:0] words_q, beats_q, in_q, out_q;
logic [LaneW-1:0] first_lane_q;
logic [LenW-1:0] len_q;
logic [TagW-1:0] mine_tag_q;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    requests_q <= '0;
    begun_q <= 1'b0;
    words_q <= '0;
    beats_q <= '0;
    in_q <= '0;
    out_q <= '0;
  end else begin
    if (takes) requests_q <= requests_q + 1'b1;
    if (mine) begun_q <= 1'b1;
    if (takes && !mine && !begun_q) begin
      words_q <= words_q + req_words;
      beats_q <= beats_q + req_beats;
    end
    if (in_valid_i && in_ready_o) in_q <= in_q + 1'b1;
    if (wvalid_o && wready_i) out_q <= out_q + 1'b1;
  end
  if (mine) begin
    first_lane_q <= req_addr_i[LaneW-1:0];
    len_q <= req_len_i;
    mine_tag_q <= req_tag_i;
  end
end

// The followed byte: its place in the request, in the stream, and on the bus.
logic [LenW+1:0] nth;
logic covered, comes, leaves;
assign nth = (LenW + 2)'(place) - (LenW + 2)'(first_lane_q);
assign covered = (LenW + 2)'(place) >= (LenW + 2)'(first_lane_q) && nth < (LenW + 2)'(len_q);
assign comes = begun_q && covered && in_valid_i && in_q == words_q + CountW'(nth >> LaneW);
assign leaves = begun_q && wvalid_o && out_q == beats_q + CountW'(place >> LaneW) &&
                (LenW + 2)'(place >> LaneW) <= ((LenW + 2)'(first_lane_q) +
                                                (LenW + 2)'(len_q) - 1'b1) >> LaneW;

// ---- The memory: it answers bursts whose data it has ----
logic [CountW-1:0] aws_q, ws_q, bs_q, dones_q, burst_words_q, burst_len_q;
logic failed_q;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    aws_q <= '0;
    ws_q <= '0;
    bs_q <= '0;
    dones_q <= '0;
    burst_words_q <= '0;
    failed_q <= 1'b0;
  end else begin
    if (burst) aws_q <= aws_q + 1'b1;
    if (burst && aws_q == which_burst) burst_len_q <= CountW'(awlen_o);
    if (wvalid_o && wready_i) begin
      burst_words_q <= wlast_o ? '0 : burst_words_q + 1'b1;
      ws_q <= ws_q + CountW'(wlast_o);
    end
    if (answer) bs_q <= bs_q + 1'b1;
    if (done_valid_o && done_ready_i) dones_q <= dones_q + 1'b1;
    if (answer) failed_q <= !done_valid_o && (failed_q || bad);
  end
end
always_comb begin
  if (started_q) begin
    assume (!req_more_i);
    assume (!req_valid_i || (req_len_i != '0 && !last_byte[AddrW]));
    assume (!bvalid_i || bs_q != ws_q);
    if (comes) assume (in_data_i[8*nth[LaneW-1:0] +: 8] == value);
  end
end

logic aw_waits_q = 1'b0, w_waits_q = 1'b0;
logic [AddrW+7:0] aw_q;
logic [9*Bytes:0] w_q;
always_ff @(posedge clk_i) begin
  aw_waits_q <= started_q && awvalid_o && !awready_i;
  w_waits_q <= started_q && wvalid_o && !wready_i;
  aw_q <= {awaddr_o, awlen_o};
  w_q <= {wlast_o, wstrb_o, wdata_o};
end

always_comb begin
  if (started_q) begin
    if (leaves) begin
      assert (wstrb_o[place[LaneW-1:0]] == covered);
      if (covered) assert (wdata_o[8*place[LaneW-1:0] +: 8] == value);
    end
    assert (!wvalid_o || aws_q != ws_q);
    if (wvalid_o && ws_q == which_burst) assert (wlast_o == (burst_words_q == burst_len_q));
    assert (!bvalid_i || order_valid);
    assert (aws_q - bs_q <= CountW'(Outstanding));
    assert (dones_q <= requests_q);
    if (done_valid_o) begin
      assert (dones_q != requests_q && done_error_o == (failed_q || bad));
      if (dones_q == CountW'(which)) assert (begun_q && done_tag_o == mine_tag_q);
    end
    if (aws_q == bs_q && !burst_valid) assert (dones_q == requests_q);
    cover (leaves && covered && which == 2'd1 && place > (LenW + 1)'(Bytes));
    cover (leaves && !covered);
    cover (done_valid_o && failed_q && dones_q == CountW'(1));
  end
  if (aw_waits_q) assert (awvalid_o && {awaddr_o, awlen_o} == aw_q);
  if (w_waits_q) assert (wvalid_o && {wlast_o, wstrb_o, wdata_o} == w_q);
end
