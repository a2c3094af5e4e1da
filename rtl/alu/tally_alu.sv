// SPDX-License-Identifier: BSD-2-Clause
// The reduce ALU: result = a op b, element by element, on words of 512 bits. docs/alu.md has the
// rules.
//
// A word may enter in each clock. Each word has its own operation and type. It leaves
// tally_alu_pkg::Latency clocks later with its tag. The ALU never stalls, so its user must have
// room for each result. A reset discards the words inside.
//
// Elements are little-endian from bit 0 up, and have alu_elem_size() bytes. They are values or, for
// MINLOC and MAXLOC, pairs. The last word of a vector is padded with zeros, which give zeros and
// raise no flag. AVG is a sum; tally_scale turns it into an average. flags_o is an error vector:
// the OR over the elements of the word.
//
// error_o means that no unit has op_i on type_i (alu_check() is not OK). The result is then zero,
// without flags.
module tally_alu #(
  parameter int unsigned Width = 512,  // bits of a word: a multiple of 128
  parameter int unsigned TagW = 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             valid_i,
  input  logic [7:0]       op_i,    // tally_pkg::op_e, or any other code
  input  logic [7:0]       type_i,  // tally_pkg::type_e, or any other code
  input  logic [Width-1:0] a_i,     // accumulated value
  input  logic [Width-1:0] b_i,
  input  logic [TagW-1:0]  tag_i,

  output logic             valid_o,
  output logic             error_o,
  output logic [Width-1:0] result_o,
  output logic [15:0]      flags_o,
  output logic [TagW-1:0]  tag_o
);
  // Indices of the units.
  localparam int unsigned Int = 0, Loc = 1, Fp16 = 2, Fp32 = 3, Fp64 = 4, Bf16 = 5, Units = 6;

  logic [Units-1:0] start, done;
  logic [Units-1:0][Width-1:0] result;
  tally_alu_pkg::flags_t [Units-1:0] flags;
  tally_alu_pkg::flags_t raised;

  tally_alu_ctl #(.TagW(TagW)) u_ctl (
    .clk_i, .rst_ni, .valid_i, .op_i, .type_i, .tag_i,
    .start_int_o(start[Int]), .start_loc_o(start[Loc]), .start_fp16_o(start[Fp16]),
    .start_fp32_o(start[Fp32]),
    .start_fp64_o(start[Fp64]), .start_bf16_o(start[Bf16]),
    .valid_o, .error_o, .tag_o
  );

  tally_alu_int #(.Lanes(Width / 64)) u_int (
    .clk_i, .rst_ni, .valid_i(start[Int]), .op_i, .type_i, .a_i, .b_i,
    .valid_o(done[Int]), .result_o(result[Int])
  );
  assign flags[Int] = '0;

  tally_alu_loc #(.Lanes(Width / 128)) u_loc (
    .clk_i, .rst_ni, .valid_i(start[Loc]), .op_i, .type_i, .a_i, .b_i,
    .valid_o(done[Loc]), .result_o(result[Loc]), .flags_o(flags[Loc])
  );

  tally_alu_fp #(.ExpW(5), .FracW(10), .Width(Width)) u_fp16 (
    .clk_i, .rst_ni, .valid_i(start[Fp16]), .op_i, .a_i, .b_i,
    .valid_o(done[Fp16]), .result_o(result[Fp16]), .flags_o(flags[Fp16])
  );
  tally_alu_fp #(.ExpW(8), .FracW(23), .Width(Width)) u_fp32 (
    .clk_i, .rst_ni, .valid_i(start[Fp32]), .op_i, .a_i, .b_i,
    .valid_o(done[Fp32]), .result_o(result[Fp32]), .flags_o(flags[Fp32])
  );
  tally_alu_fp #(.ExpW(11), .FracW(52), .Width(Width)) u_fp64 (
    .clk_i, .rst_ni, .valid_i(start[Fp64]), .op_i, .a_i, .b_i,
    .valid_o(done[Fp64]), .result_o(result[Fp64]), .flags_o(flags[Fp64])
  );
  tally_alu_fp #(.ExpW(8), .FracW(7), .Width(Width)) u_bf16 (
    .clk_i, .rst_ni, .valid_i(start[Bf16]), .op_i, .a_i, .b_i,
    .valid_o(done[Bf16]), .result_o(result[Bf16]), .flags_o(flags[Bf16])
  );

  // All units have the same latency, so at most one of them is done. None is done if the word was
  // refused.
  always_comb begin
    result_o = '0;
    raised = '0;
    for (int unsigned i = 0; i < Units; i++) begin
      result_o |= {Width{done[i]}} & result[i];
      raised |= {tally_alu_pkg::FlagsW{done[i]}} & flags[i];
    end
  end
  assign flags_o = 16'(raised);
endmodule
