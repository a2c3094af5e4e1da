// SPDX-License-Identifier: BSD-2-Clause
// A word leaves Latency clocks after it entered, with its tag, and no other word leaves. Its bytes
// are those of the lanes at the first bytes of its elements. Its flags are the OR of the lanes'
// flags. The proof of the lanes covers their arithmetic.
`include "tally_proof.svh"

(* anyconst *) logic [TagW-1:0] followed;
logic [Latency-1:0] seen_q = '0;     // a word with the followed tag
logic [Latency-1:0] entered_q = '0;  // any word
logic [Latency-1:0][1:0] log_q;      // log2 of the bytes of an element
logic [3:0][Width-1:0] by_size_then;
logic [Lanes-1:0][tally_alu_pkg::FlagsW-1:0] lane_flags_then;
tally_alu_pkg::flags_t any;

always_comb assume (type_i[3:0] < 4'd4);

always_ff @(posedge clk_i) begin
  seen_q <= {seen_q[Latency-2:0], started_q && valid_i && tag_i == followed};
  entered_q <= {entered_q[Latency-2:0], started_q && valid_i};
  log_q <= {log_q[Latency-2:0], type_i[1:0]};
  by_size_then <= by_size;
  lane_flags_then <= lane_flags;
end

always_comb begin
  any = '0;
  for (int unsigned i = 0; i < Lanes; i++) any |= lane_flags_then[i];
  if (started_q) begin
    assert (valid_o == entered_q[Latency-1]);
    assert ((valid_o && tag_o == followed) == seen_q[Latency-1]);
    if (valid_o) begin
      assert (result_o == by_size_then[log_q[Latency-1]]);
      assert (flags_o == 16'(any));
    end
    cover (valid_o && tag_o == followed && log_q[Latency-1] == 2'd3);
    cover (valid_o && &entered_q);
  end
end
