// SPDX-License-Identifier: BSD-2-Clause
// Control of tally_encap: the AXI4-Stream rules at the output, one frame or one error for each
// header, and the rules that the proof of tally_encap_ring assumes for its user.
`include "tally_proof.svh"

// ---- Assumption: offers stay until they are taken ----
logic pay_kept_q = 1'b0;
logic pay_tlast_kept_q;
always_ff @(posedge clk_i) begin
  pay_kept_q <= started_q && pay_tvalid_i && !pay_tready_o;
  pay_tlast_kept_q <= pay_tlast_i;
end
always_comb if (pay_kept_q) assume (pay_tvalid_i && pay_tlast_i == pay_tlast_kept_q);

// ---- Output; two bits stand for all bits of the data ----
logic held_q = 1'b0;   // an offer was not taken
logic inside_q = 1'b0; // a frame has begun and not ended
logic tlast_kept_q;
logic [Bytes-1:0] tkeep_kept_q;
logic [1:0] tdata_kept_q;
logic ready_kept_q = 1'b0;
always_ff @(posedge clk_i) begin
  held_q <= started_q && frame_tvalid_o && !frame_tready_i;
  tlast_kept_q <= frame_tlast_o;
  tkeep_kept_q <= frame_tkeep_o;
  tdata_kept_q <= {frame_tdata_o[Bits-1], frame_tdata_o[0]};
  if (!started_q) inside_q <= 1'b0;
  else if (frame_tvalid_o && frame_tready_i) inside_q <= !frame_tlast_o;
  ready_kept_q <= started_q && frame_tvalid_o && frame_tready_i;
end
always_comb begin
  if (started_q) begin
    if (held_q) begin
      assert (frame_tvalid_o && frame_tlast_o == tlast_kept_q && frame_tkeep_o == tkeep_kept_q);
    end
    if (held_q) assert ({frame_tdata_o[Bits-1], frame_tdata_o[0]} == tdata_kept_q);
    if (inside_q) assert (frame_tvalid_o);  // no gap inside a frame
    if (frame_tvalid_o) begin
      assert (frame_tkeep_o[0] && (frame_tkeep_o & (frame_tkeep_o + 1'b1)) == '0);
      if (!frame_tlast_o) assert (&frame_tkeep_o);
    end
    cover (held_q && inside_q && frame_tlast_o);
  end
end

// ---- Checksums: arbitrary values at the times of tally_encap_sums ----
localparam int unsigned Latency = tally_net_pkg::EncapSumsLatency;
(* anyseq *) logic [31:0] any_icrc;
(* anyseq *) logic [15:0] any_sum;
logic [Latency-1:0] under_way_q = '0;
always_ff @(posedge clk_i) under_way_q <= rst_ni ?
                                          {under_way_q[Latency-2:0], word_valid_q && word_end_q} :
                                          '0;
assign sums_push = under_way_q[Latency-1];
assign icrc = any_icrc;
assign udp_checksum = any_sum;

// ---- One frame or error for each header: inside are those that entered and have not left ----
//
// The sum counts the header, the current packet, the complete frames, a frame whose last word is
// between RAM and output, one whose last word is at the output, and an error that is reported in
// this cycle.
localparam int unsigned OpenW = $clog2(Frames + 6);
logic [OpenW-1:0] open_q, open;
assign open = OpenW'(rec_valid_q) + OpenW'(cur_valid_q) + OpenW'(lens_used) +
              OpenW'(ram_valid_q && ram_last_q) +
              OpenW'(frame_tvalid_o && frame_tlast_o) + OpenW'(err_valid_o);
always_ff @(posedge clk_i) begin
  if (!started_q) open_q <= '0;
  else open_q <= open_q + OpenW'(hdr_valid_i && hdr_ready_o) - OpenW'(err_valid_o) -
                 OpenW'(frame_tvalid_o && frame_tready_i && frame_tlast_o);
end
always_comb begin
  if (started_q) begin
    assert (open_q == open);
    cover (err_valid_o && open_q == OpenW'(3));
    cover (frame_tvalid_o && frame_tready_i && frame_tlast_o && open_q == OpenW'(3));
  end
end

// ---- Each frame gets its checksums, and they find their place ----
logic past_end;  // the current packet lacks only its last word, after its checksums
logic [3:0] on_the_way;
assign past_end = cur_valid_q && !bad_q && straddle_q && last_word;
always_comb begin
  on_the_way = 4'(word_valid_q && word_end_q);
  for (int unsigned i = 0; i < Latency; i++) on_the_way = on_the_way + 4'(under_way_q[i]);
end
always_comb begin
  if (started_q) begin
    assert (5'(sums_used) + 5'(on_the_way) == 5'(lens_used) + 5'(past_end));
    if (cur_valid_q && !bad_q && !first_q) assert (lens_room);
    if (sums_push) assert (sums_room);
    // A word that leaves together with the arrival of its checksums is a first one without ICRC.
    if (fetch && !sums_valid) begin
      assert (fetch_first_q && !fetch_last && !icrc_starts);
    end
    cover (fetch && !sums_valid);
    // The payload ends before the words after it.
    if (cur_valid_q && !bad_q) begin
      assert (8'(words_q) >= 8'(pay_words_q) + 8'(straddle_q) + 8'(first_q) +
              8'(ip6_q && (first_q || second_q)));
      assert (words_q != '0 && !(first_q && second_q));
    end
  end
end

// ---- Each packet, good or bad, takes its payload up to the last word, and no other ----
logic wants_q, took_q;
always_ff @(posedge clk_i) begin
  if (load) begin
    wants_q <= rec_q.payload_len != '0;
    took_q <= 1'b0;
  end else if (pay_take && pay_last_q && pay_valid_q) begin
    took_q <= 1'b1;
  end
end
always_comb begin
  if (started_q) begin
    if (pay_valid_q && pay_take) assert (cur_valid_q && wants_q && !took_q);
    if (finish) assert (!wants_q || took_q || (pay_valid_q && pay_take && pay_last_q));
  end
end

// ---- Assumption of tally_encap_ring: only words of complete frames are fetched ----
//
// The proof tracks the number of these words, and the words of each frame in the order of the FIFO.
function automatic logic [6:0] words_of(input logic [12:0] len);
  words_of = len[12:6] + 7'd1;
endfunction

logic [Frames-1:0][6:0] sizes_q;
logic [6:0] written_q, head_left;
logic [9:0] final_q, final_left;
assign head_left = !lens_valid ? '0 : fetch_first_q ? sizes_q[0] : fetch_left_q;
always_comb begin
  final_left = 10'(head_left);
  for (int unsigned i = 1; i < Frames; i++) begin
    if (i < 32'(lens_used)) final_left = final_left + 10'(sizes_q[i]);
  end
end
always_ff @(posedge clk_i) begin
  if (load || abandon) written_q <= '0;
  else if (emit) written_q <= written_q + 1'b1;
  if (!started_q) final_q <= '0;
  else final_q <= final_q + (lens_push ? 10'(written_q) + 10'd1 : '0) - 10'(fetch);
  for (int unsigned i = 0; i < Frames; i++) begin
    if (fetch && fetch_last) sizes_q[i] <= i + 1 < Frames && i + 1 < 32'(lens_used) ?
                                           sizes_q[(i+1)%Frames] :
                                           written_q + 1'b1;
    else if (i == 32'(lens_used)) sizes_q[i] <= written_q + 1'b1;
  end
end
always_comb begin
  if (started_q) begin
    if (emit) assert (ram_room && !abandon);
    if (lens_push) assert (lens_room);
    if (cur_valid_q && !bad_q) assert (written_q + words_q == words_of(len_q));
    if (lens_valid) assert (words_of(len_out) == sizes_q[0]);
    if (!fetch_first_q) assert (complete && fetch_left_q != '0 && fetch_left_q < sizes_q[0]);
    assert (final_q == final_left);
    if (fetch) assert (final_q != '0);
  end
end
