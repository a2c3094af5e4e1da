// SPDX-License-Identifier: BSD-2-Clause
// Operations on tally_edge_state from all who have some: packets that have come (heard_*:
// StateHeard), registers (reg_*), and tally_head (head_*), in this order. So what arrives waits for
// nobody but a walk. A packet takes more than one clock, so the others get their turn.
//
// op_*, answer_*: see tally_edge_state, which answers two clocks after it has taken an operation.
// head_answer_o: the answer is for tally_head. raised_o: the limit of some neighbour has risen, or
// an edge was settled, so what waits may try again. What is offered to tally_edge_state stays until
// it is taken.
module tally_edge_ops #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  parameter int unsigned NumW = 32,
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       busy_o,

  input  logic                       heard_valid_i,
  output logic                       heard_ready_o,
  input  logic [RowW-1:0]            heard_row_i,
  input  logic [NumW-1:0]            heard_done_i,
  input  logic [NumW-1:0]            heard_limit_i,

  input  logic                       reg_valid_i,
  output logic                       reg_ready_o,
  input  tally_edge_pkg::state_op_e  reg_op_i,  // StateClose, Renew, Open, Settle
  input  logic [RowW-1:0]            reg_row_i,
  input  logic [GroupW-1:0]          reg_group_i,
  input  logic [NumW-1:0]            reg_limit_i,
  input  logic                       reg_gives_i,

  input  logic                       head_valid_i,
  output logic                       head_ready_o,
  input  tally_edge_pkg::state_op_e  head_op_i,  // StateAsk, StateTell
  input  logic [RowW-1:0]            head_row_i,
  input  logic [GroupW-1:0]          head_group_i,
  input  logic [NumW-1:0]            head_num_i,
  output logic                       head_answer_o,
  output logic                       raised_o,

  output logic                       op_valid_o,
  input  logic                       op_ready_i,
  output tally_edge_pkg::state_op_e  op_o,
  output logic [RowW-1:0]            op_row_o,
  output logic [GroupW-1:0]          op_group_o,
  output logic [NumW-1:0]            op_done_o,
  output logic [NumW-1:0]            op_limit_o,
  output logic                       op_gives_o,
  input  logic                       answer_valid_i,
  input  logic                       answer_raised_i
);
  typedef enum logic [1:0] {
    Heard = 2'd0,
    Reg = 2'd1,
    Head = 2'd2
  } whose_e;

  whose_e first, whose, held_q, whose_q1, whose_q2;
  logic holds_q, taken_q, settles_q1, settles_q2;

  assign first = heard_valid_i ? Heard : reg_valid_i ? Reg : Head;
  assign whose = holds_q ? held_q : first;
  assign op_valid_o = heard_valid_i || reg_valid_i || head_valid_i;
  assign heard_ready_o = op_ready_i && whose == Heard;
  assign reg_ready_o = op_ready_i && whose == Reg;
  assign head_ready_o = op_ready_i && whose == Head;

  always_comb begin
    op_limit_o = reg_limit_i;
    unique case (whose)
      Heard: begin
        op_o = tally_edge_pkg::StateHeard;
        op_row_o = heard_row_i;
        op_done_o = heard_done_i;
        op_limit_o = heard_limit_i;
      end
      Reg: begin
        op_o = reg_op_i;
        op_row_o = reg_row_i;
        op_done_o = '0;
      end
      default: begin  // Head
        op_o = head_op_i;
        op_row_o = head_row_i;
        op_done_o = head_num_i;
      end
    endcase
  end
  assign op_group_o = whose == Reg ? reg_group_i : head_group_i;
  assign op_gives_o = reg_gives_i;

  always_ff @(posedge clk_i) begin
    held_q <= whose;
    whose_q1 <= whose;
    whose_q2 <= whose_q1;
    settles_q1 <= whose == Reg && reg_op_i == tally_edge_pkg::StateSettle;
    settles_q2 <= settles_q1;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      holds_q <= 1'b0;
      taken_q <= 1'b0;
    end else begin
      holds_q <= op_valid_o && !op_ready_i;
      taken_q <= op_valid_o && op_ready_i;
    end
  end
  assign head_answer_o = answer_valid_i && whose_q2 == Head;
  assign raised_o = answer_valid_i && (answer_raised_i || settles_q2);
  assign busy_o = taken_q;

`ifdef FORMAL
  `include "edge_ops_proof.svh"
`endif
endmodule
