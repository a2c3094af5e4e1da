// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary request and an arbitrary byte of memory. The byte leaves at its
// place in the request, with the value that memory gave for it, whatever the order of the answers.
// The words of the request are its bytes and no more, with its tag, and with an error if and only
// if one of its words had one. No ID is used twice at a time. Offers stay, unchanged, until they
// are taken.
// No request continues another one here; the bench has those.
`include "tally_proof.svh"

localparam int unsigned CountW = 7;           // enough for a bounded run
localparam int unsigned WordW = AddrW - LaneW;
(* anyconst *) logic [1:0] which;             // number of the request
(* anyconst *) logic [AddrW-1:0] place;       // address of the byte
(* anyconst *) logic [7:0] value;

// ---- The user ----
logic [AddrW:0] req_end;
logic [CountW-1:0] requests_q, req_words, words_q, out_q;
logic takes, mine, begun_q;
logic [AddrW-1:0] addr_q;
logic [LenW-1:0] len_q;
logic [TagW-1:0] mine_tag_q;
assign req_end = (AddrW + 1)'(req_addr_i) + (AddrW + 1)'(req_len_i) - 1'b1;
assign takes = req_valid_i && req_ready_o;
assign mine = takes && requests_q == CountW'(which);
assign req_words = (CountW'(req_len_i) + CountW'(Bytes - 1)) >> LaneW;
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    requests_q <= '0;
    begun_q <= 1'b0;
    words_q <= '0;
    out_q <= '0;
  end else begin
    if (takes) requests_q <= requests_q + 1'b1;
    if (mine) begun_q <= 1'b1;
    if (takes && !mine && !begun_q) words_q <= words_q + req_words;
    if (out_valid_o && out_ready_i) out_q <= out_q + 1'b1;
  end
  if (mine) begin
    addr_q <= req_addr_i;
    len_q <= req_len_i;
    mine_tag_q <= req_tag_i;
  end
end

// ---- The memory: each outstanding burst has the address of its next word, and its request ----
logic [Slots-1:0] busy_q, of_mine_q;
logic [Slots-1:0][WordW-1:0] word_q;
logic [Slots-1:0][7:0] more_q;                // words behind the next one
logic burst_is_mine, mine_failed_q;
// bursts so far that were the last one of their request
logic [CountW-1:0] last_bursts_q;
assign burst_is_mine = last_bursts_q == CountW'(which);
always_ff @(posedge clk_i) begin
  if (!started_q) begin
    busy_q <= '0;
    mine_failed_q <= 1'b0;
    last_bursts_q <= '0;
  end else begin
    if (rvalid_i) begin
      busy_q[rid_i] <= more_q[rid_i] != '0;
      if (of_mine_q[rid_i] && rresp_i != 2'b00) mine_failed_q <= 1'b1;
    end
    if (burst) begin
      busy_q[arid_o] <= 1'b1;
      last_bursts_q <= last_bursts_q + CountW'(burst_last);
    end
  end
  if (rvalid_i) begin
    word_q[rid_i] <= word_q[rid_i] + 1'b1;
    more_q[rid_i] <= more_q[rid_i] - 1'b1;
  end
  if (burst) begin
    word_q[arid_o] <= araddr_o[AddrW-1:LaneW];
    more_q[arid_o] <= arlen_o;
    of_mine_q[arid_o] <= burst_is_mine;
  end
end
always_comb begin
  if (started_q) begin
    assume (!req_more_i);
    assume (!req_valid_i || (req_len_i != '0 && !req_end[AddrW]));
    assume (!rvalid_i || busy_q[rid_i]);
    if (rvalid_i && word_q[rid_i] == place[AddrW-1:LaneW])
      assume (rdata_i[8*place[LaneW-1:0] +: 8] == value);
  end
end

// ---- The words of the followed request ----
logic [CountW-1:0] nth_word, words;
logic [AddrW-1:0] nth;
logic here, last_word, covered;
assign nth_word = out_q - words_q;
assign words = (CountW'(len_q) + CountW'(Bytes - 1)) >> LaneW;
assign here = begun_q && out_valid_o && out_q >= words_q && nth_word < words;
assign last_word = nth_word + 1'b1 == words;
assign nth = place - addr_q;
assign covered = place >= addr_q && nth < AddrW'(len_q);
logic [LaneW:0] bytes_here;
assign bytes_here = last_word ? (LaneW + 1)'(len_q - LenW'(nth_word << LaneW)) :
                    (LaneW + 1)'(Bytes);

logic ar_waits_q = 1'b0, out_waits_q = 1'b0;
logic [AddrW+SlotW+7:0] ar_q;
logic [9*Bytes+TagW+1:0] out_was_q;
always_ff @(posedge clk_i) begin
  ar_waits_q <= started_q && arvalid_o && !arready_i;
  out_waits_q <= started_q && out_valid_o && !out_ready_i;
  ar_q <= {arid_o, araddr_o, arlen_o};
  out_was_q <= {out_tag_o, out_error_o, out_last_o, out_keep_o, out_data_o};
end

always_comb begin
  if (started_q) begin
    if (here) begin
      assert (out_last_o == last_word && out_tag_o == mine_tag_q);
      assert (out_keep_o == ~({Bytes{1'b1}} << bytes_here));
      if (covered && CountW'(nth >> LaneW) == nth_word)
        assert (out_data_o[8*nth[LaneW-1:0] +: 8] == value);
      if (last_word) assert (out_error_o == mine_failed_q);
    end
    assert (!arvalid_o || !busy_q[arid_o]);
    assert (!out_valid_o || begun_q || requests_q != '0);
    cover (here && covered && CountW'(nth >> LaneW) == nth_word && nth_word == CountW'(1));
    cover (here && which == 2'd1 && last_word && mine_failed_q);
  end
  if (ar_waits_q) assert (arvalid_o && {arid_o, araddr_o, arlen_o} == ar_q);
  if (out_waits_q)
    assert (out_valid_o && {out_tag_o, out_error_o, out_last_o, out_keep_o, out_data_o} ==
            out_was_q);
end
