// SPDX-License-Identifier: BSD-2-Clause
// Division of AVG: divides each element of a word by the number of ranks, after the sum over all
// ranks is complete. docs/alu.md has the rules.
//
// A word may enter in each clock. Each word has its own type and divisor. It leaves
// tally_alu_pkg::ScaleLatency clocks later with its tag. The block never stalls, so its user must
// have room for each result. A reset discards the words inside. type_i must have AVG; results of
// other types are undefined. down_i and inverse_i represent the divisor: a tally_scale_inverse
// computed them when the group was created.
//
// Zeros behind the end of a vector give zeros and raise no flag. flags_o is an error vector: the OR
// over the elements.
//
// A lane at each byte divides the elements that may begin there. Of eight lanes, one has 64 bits,
// one 32, two 16 and four 8.
module tally_scale #(
  parameter int unsigned Width = 512,  // bits of a word: a multiple of 64
  parameter int unsigned TagW = 1,
  localparam int unsigned DownW = $clog2(tally_alu_pkg::DivisorW),
  localparam int unsigned InverseW = tally_alu_pkg::InverseW
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                valid_i,
  input  logic [7:0]          type_i,  // tally_pkg::type_e
  input  logic [Width-1:0]    a_i,     // sums
  input  logic [DownW-1:0]    down_i,
  input  logic [InverseW-1:0] inverse_i,
  input  logic [TagW-1:0]     tag_i,

  output logic                valid_o,
  output logic [Width-1:0]    result_o,
  output logic [15:0]         flags_o,
  output logic [TagW-1:0]     tag_o
);
  localparam int unsigned Latency = tally_alu_pkg::ScaleLatency;
  localparam int unsigned Lanes = Width / 8;

  logic [Latency-1:0] valid_q;
  logic [Latency-1:0][TagW-1:0] tag_q;
  logic [Latency-2:0][3:0] size_q;  // one-hot size of the elements
  logic [3:0] size0, size_end;

  always_comb begin
    for (int unsigned s = 0; s < 4; s++) size0[s] = type_i[3:0] == 4'(s);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= '0;
    else valid_q <= {valid_q[Latency-2:0], valid_i};
  end

  always_ff @(posedge clk_i) begin
    tag_q <= {tag_q[Latency-2:0], tag_i};
    size_q <= {size_q[Latency-3:0], size0};
  end
  assign size_end = size_q[Latency-2];
  assign valid_o = valid_q[Latency-1];
  assign tag_o = tag_q[Latency-1];

  // Results for elements of 1, 2, 4 and 8 bytes.
  logic [3:0][Width-1:0] by_size;
  logic [Lanes-1:0][tally_alu_pkg::FlagsW-1:0] lane_flags;

  for (genvar i = 0; i < Lanes; i++) begin : gen_lane
    localparam int unsigned W = i % 8 == 0 ? 64 : i % 4 == 0 ? 32 : i % 2 == 0 ? 16 : 8;
`ifdef FORMAL
    // Arbitrary results of the lanes. The proof of the lanes covers their arithmetic.
    (* anyseq *) logic [W-1:0] result;
    (* anyseq *) tally_alu_pkg::flags_t flags;
    assign lane_flags[i] = flags;
`else
    logic [W-1:0] result;
    tally_scale_lane #(.W(W)) u_lane (
      .clk_i, .type_i, .a_i(a_i[8*i +: W]), .down_i, .inverse_i, .result_o(result),
      .flags_o(lane_flags[i])
    );
`endif
    for (genvar s = 0; s < 4; s++) begin : gen_size
      if (8 << s <= W) begin : gen_here
        assign by_size[s][8*i +: 8 << s] = result[(8<<s)-1:0];
      end
    end
  end

  logic [Width-1:0] result;
  tally_alu_pkg::flags_t raised;

  always_comb begin
    result = '0;
    raised = '0;
    for (int unsigned s = 0; s < 4; s++) result |= {Width{size_end[s]}} & by_size[s];
    for (int unsigned i = 0; i < Lanes; i++) raised |= lane_flags[i];
  end

  always_ff @(posedge clk_i) begin
    result_o <= result;
    flags_o <= 16'(raised);
  end

`ifdef FORMAL
  `include "scale_proof.svh"
`endif
endmodule
