// SPDX-License-Identifier: BSD-2-Clause
// The proof follows an arbitrary word of a stream. The word leaves once, unchanged, as a word of
// its stream, after all words that entered before it. Words of other streams leave only between
// packets. A stream that offers a packet is granted after at most Num - 1 packets of others. The
// proof assumes that an input keeps its offer until it is taken.
`include "tally_proof.svh"

(* anyconst *) logic [IndexW-1:0] who;
(* anyconst *) logic [9*Bytes:0] followed;
(* anyseq *) logic pick;
always_comb assume (who < Num);

// Assumes the valid-ready rules at the inputs.
logic [Num-1:0] kept_q = '0;
logic [Num*8*Bytes-1:0] data_q;
logic [Num*Bytes-1:0] keep_q;
logic [Num-1:0] last_q;
always_ff @(posedge clk_i) begin
  kept_q <= started_q ? in_tvalid_i & ~in_tready_o : '0;
  data_q <= in_tdata_i;
  keep_q <= in_tkeep_i;
  last_q <= in_tlast_i;
end
always_comb begin
  for (int unsigned i = 0; i < Num; i++) begin
    if (kept_q[i])
      assume (in_tvalid_i[i] && in_tlast_i[i] == last_q[i] &&
              in_tdata_i[i*8*Bytes +: 8*Bytes] == data_q[i*8*Bytes +: 8*Bytes] &&
              in_tkeep_i[i*Bytes +: Bytes] == keep_q[i*Bytes +: Bytes]);
  end
end

// Words that enter and leave, and the place of the followed word.
logic [Num-1:0] entering;
logic enters, leaves;
logic [9*Bytes:0] word_in, word_out;
logic [1:0] used_q;
logic inside_q = 1'b0;
logic ahead_q;
assign entering = in_tvalid_i & in_tready_o;
assign enters = entering[who];
assign leaves = out_tvalid_o && out_tready_i;
assign word_in = {in_tlast_i[who], in_tkeep_i[who*Bytes +: Bytes],
                  in_tdata_i[who*8*Bytes +: 8*Bytes]};
assign word_out = {out_tlast_o, out_tkeep_o, out_tdata_o};

always_ff @(posedge clk_i) begin
  used_q <= started_q ? used_q + 2'(entering != '0) - 2'(leaves) : '0;
  if (!inside_q) begin
    inside_q <= started_q && enters && pick && word_in == followed;
    ahead_q <= used_q - 2'(leaves) != '0;
  end else if (leaves) begin
    inside_q <= ahead_q;
    ahead_q <= 1'b0;
  end
end

// State of the packet at the output, and the number of other packets that entered since the stream
// offers one.
logic amid_q = 1'b0;            // the last word that left was not the end of its packet
logic [IndexW-1:0] amid_from_q;
logic first_q = 1'b1;           // the next word of the stream begins a packet
logic [IndexW:0] others_q;
always_ff @(posedge clk_i) begin
  if (started_q && leaves) amid_q <= !out_tlast_o;
  if (leaves) amid_from_q <= out_from_o;
  if (started_q && enters) first_q <= in_tlast_i[who];
  if (!started_q || !in_tvalid_i[who] || enters || !first_q) others_q <= '0;
  else if (entering != '0 && !within_q) others_q <= others_q + 1'b1;
end

always_comb begin
  if (started_q) begin
    assert ((entering & (entering - 1'b1)) == '0);
    assert (used_q != 2'd3 && out_tvalid_o == (used_q != '0));
    if (inside_q && !ahead_q) assert (out_tvalid_o && out_from_o == who && word_out == followed);
    if (inside_q && ahead_q) assert (used_q == 2'd2);
    if (amid_q && out_tvalid_o) assert (out_from_o == amid_from_q);
    assert (others_q < (IndexW + 1)'(Num));
    cover (inside_q && ahead_q && leaves && amid_q);
    cover (others_q == (IndexW + 1)'(Num - 1) && enters);
  end
end

// Valid-ready rules at the output: an offered word stays, unchanged, until it is taken.
logic offered_q = 1'b0;
logic [9*Bytes+IndexW:0] offer_q;
always_ff @(posedge clk_i) begin
  offered_q <= started_q && out_tvalid_o && !out_tready_i;
  offer_q <= {out_from_o, word_out};
end
always_comb if (offered_q) assert (out_tvalid_o && {out_from_o, word_out} == offer_q);
