// SPDX-License-Identifier: BSD-2-Clause
// Edges that are to be acknowledged (want_ack() and ack_at of sim/engine/edge.c). An edge that is
// armed comes out once, Delay picoseconds later, however often it is armed in between. All have the
// same delay, so they form a queue.
//
// arm_*: arms an edge. If no place is free, it is not armed, so that what arrives never waits for
// what leaves. The neighbour then repeats its packet, and the repetition arms the edge. due_*: the
// edge whose time has come. An edge that is armed in the clock in which it is taken comes again.
// now_i: the time in picoseconds, which never falls. deadline_*: when the next edge is due. If
// nothing is due, and nothing is armed, the clock may stop until then.
module tally_edge_acks #(
  parameter int unsigned KeyW = 18,     // bits of an edge's name
  parameter int unsigned Depth = 32,    // a power of two
  parameter int unsigned TimeW = 64,
  parameter int unsigned Delay = 1000 * tally_fw_pkg::AckDelay
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic [TimeW-1:0] now_i,
  output logic             deadline_valid_o,
  output logic [TimeW-1:0] deadline_o,

  input  logic             arm_valid_i,
  input  logic [KeyW-1:0]  arm_key_i,

  output logic             due_valid_o,
  input  logic             due_ready_i,
  output logic [KeyW-1:0]  due_key_o
);
  localparam int unsigned PlaceW = $clog2(Depth);

  logic [Depth-1:0] armed_q, same;
  logic [KeyW-1:0] keys_q [Depth];
  logic [TimeW-1:0] dues_q [Depth];
  logic [PlaceW-1:0] head_q, tail_q;
  logic [PlaceW:0] count_q;
  logic pop, push, full;

  always_comb begin
    for (int unsigned i = 0; i < Depth; i++) begin
      same[i] = armed_q[i] && keys_q[i] == arm_key_i && !(pop && head_q == PlaceW'(i));
    end
  end
  assign full = count_q == (PlaceW + 1)'(Depth);
  assign push = arm_valid_i && same == '0 && !full;
  assign pop = due_valid_o && due_ready_i;

  assign deadline_valid_o = count_q != '0;
  assign deadline_o = dues_q[head_q];
  assign due_valid_o = deadline_valid_o && now_i >= deadline_o;
  assign due_key_o = keys_q[head_q];

  always_ff @(posedge clk_i) begin
    if (push) begin
      keys_q[tail_q] <= arm_key_i;
      dues_q[tail_q] <= now_i + TimeW'(Delay);
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      armed_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
    end else begin
      for (int unsigned i = 0; i < Depth; i++) begin
        if (push && tail_q == PlaceW'(i)) armed_q[i] <= 1'b1;
        else if (pop && head_q == PlaceW'(i)) armed_q[i] <= 1'b0;
      end
      head_q <= head_q + PlaceW'(pop);
      tail_q <= tail_q + PlaceW'(push);
      count_q <= count_q + (PlaceW + 1)'(push) - (PlaceW + 1)'(pop);
    end
  end

`ifdef FORMAL
  `include "edge_acks_proof.svh"
`endif
endmodule
