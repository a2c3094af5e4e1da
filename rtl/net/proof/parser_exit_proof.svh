// SPDX-License-Identifier: BSD-2-Clause
// There is room for each word and record of any parser that keeps to the rules of the block's
// header. Both outputs keep the AXI4-Stream rules. The proofs of tally_packet_fifo and tally_fifo
// show that a kept word leaves once, in its place.
`include "tally_proof.svh"

// ---- Model of the parser: words that entered and may still cause a word or an end ----
localparam int unsigned Most = UnderWay - 2;
localparam int unsigned MostW = $clog2(Most + 2);
// a word enters; a word inside causes no word; it causes no end
(* anyseq *) logic enters, no_word, no_end;
logic [MostW-1:0] words_q = '0, ends_q = '0;

always_ff @(posedge clk_i) begin
  if (started_q) begin
    words_q <= words_q + MostW'(enters) - MostW'(word_valid_i || no_word);
    ends_q <= ends_q + MostW'(enters) - MostW'(end_i || no_end);
  end
end
always_comb begin
  if (started_q) begin
    assume (!enters || room_o);
    assume (words_q <= MostW'(Most) && ends_q <= MostW'(Most));
    assume (!(word_valid_i && no_word) && !(end_i && no_end));
    assume (words_q != '0 || !(word_valid_i || no_word));
    assume (ends_q != '0 || !(end_i || no_end));
  end
end

always_comb begin
  if (started_q) begin
    if (word_valid_i) assert (free != '0);
    if (end_i) assert (records_ready);
    // Invariant: each word inside has its place, and there is one more if another word may enter.
    assert (32'(free) >= 32'(words_q) + 32'(room_q));
    assert (32'(Records) >= 32'(used) + 32'(ends_q) + 32'(room_q));
    cover (free == '0);
    cover (used == UsedW'(Records));
    cover (room_q && used != '0 && free != FreeW'(Words));
  end
end

// ---- Outputs: an offer stays until it is taken; tkeep is ones from bit 0 up ----
logic out_held_q = 1'b0, hdr_held_q = 1'b0, tlast_q;
logic [Width-1:0] tdata_q;
logic [Bytes-1:0] tkeep_q;
logic [RecordW-1:0] hdr_q;
always_ff @(posedge clk_i) begin
  out_held_q <= started_q && out_tvalid_o && !out_tready_i;
  hdr_held_q <= started_q && hdr_valid_o && !hdr_ready_i;
  tlast_q <= out_tlast_o;
  tdata_q <= out_tdata_o;
  tkeep_q <= out_tkeep_o;
  hdr_q <= hdr_o;
end
always_comb begin
  if (started_q) begin
    if (out_held_q) begin
      assert (out_tvalid_o && out_tlast_o == tlast_q && out_tkeep_o == tkeep_q &&
              out_tdata_o == tdata_q);
    end
    if (hdr_held_q) assert (hdr_valid_o && hdr_o == hdr_q);
    if (out_tvalid_o) assert (out_tkeep_o[0] && (out_tkeep_o & (out_tkeep_o + 1'b1)) == '0);
    cover (out_held_q && hdr_held_q);
  end
end
