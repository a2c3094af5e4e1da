// SPDX-License-Identifier: BSD-2-Clause
// Queue pairs, as triggered messages name them: by a port of a group (port_of() of
// sim/engine/rmq.c).
//
// link_*: the firmware says which queue pairs a group has. link_qp_i, or none (link_end_i), is the
// first one of group link_index_i (link_first_i), or the next one after queue pair link_index_i.
// At no moment is a list without an end. port_*: the port of a queue pair, before it is in a list.
// works_*: whether a queue pair takes messages, which it does not after a reset. find_*: the queue
// pair of a group with this port, which has at most one. When it is taken: found_o, with its number
// and whether it works.
//
// Time: an answer comes three clocks after find_valid_i, and one more for each queue pair in front
// of it. With each link_* the search begins anew, as the queue pair where it is may have left.
// After a reset the block takes nothing for as many clocks as there are groups or queue pairs.
// works_* and port_* are always taken then.
module tally_trigger_ports #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW
) (
  input  logic              clk_i,
  input  logic              rst_ni,
  output logic              busy_o,

  input  logic              link_valid_i,
  output logic              link_ready_o,
  input  logic              link_first_i,
  input  logic [IndexW-1:0] link_index_i,
  input  logic              link_end_i,
  input  logic [QpW-1:0]    link_qp_i,
  input  logic              port_valid_i,
  output logic              port_ready_o,
  input  logic [QpW-1:0]    port_qp_i,
  input  logic [15:0]       port_i,
  input  logic              works_valid_i,
  output logic              works_ready_o,
  input  logic [QpW-1:0]    works_qp_i,
  input  logic              works_i,

  input  logic              find_valid_i,
  output logic              find_ready_o,
  input  logic [GroupW-1:0] find_group_i,
  input  logic [15:0]       find_port_i,
  output logic              found_o,
  output logic              found_works_o,
  output logic [QpW-1:0]    found_qp_o
);
  typedef enum logic [2:0] {
    StInit,   // after a reset: no group has queue pairs, and none of these works
    StIdle,
    StFirst,  // the first queue pair of the group is read
    StLook,   // the port of a queue pair is there
    StAnswer
  } state_e;
  state_e state_d, state_q;

  logic [QpW:0] first_mem_q [Groups];   // there is one; which one
  logic [QpW:0] next_mem_q [Qps];
  logic [15:0] port_mem_q [Qps];
  logic works_mem_q [Qps];

  logic [IndexW-1:0] init_q;
  logic in_init, link, init_ends;
  assign in_init = state_q == StInit;
  assign init_ends = 32'(init_q) + 1 >= Groups && 32'(init_q) + 1 >= Qps;
  assign link_ready_o = !in_init;
  assign port_ready_o = !in_init;
  assign works_ready_o = !in_init;
  assign link = link_valid_i && link_ready_o;

  // ---- Tables ----
  logic [QpW:0] link_new, first_read_q, next_read_q;
  logic [QpW-1:0] at_d, at_q;
  logic [15:0] port_read_q;
  logic works_read_q;
  assign link_new = {!link_end_i, link_qp_i};
  always_ff @(posedge clk_i) begin
    first_read_q <= first_mem_q[find_group_i];
    if (in_init && 32'(init_q) < Groups) first_mem_q[GroupW'(init_q)] <= '0;
    else if (link && link_first_i) first_mem_q[link_index_i[GroupW-1:0]] <= link_new;
  end
  always_ff @(posedge clk_i) begin
    next_read_q <= next_mem_q[at_d];
    if (link && !link_first_i) next_mem_q[link_index_i[QpW-1:0]] <= link_new;
  end
  always_ff @(posedge clk_i) begin
    port_read_q <= port_mem_q[at_d];
    if (port_valid_i && port_ready_o) port_mem_q[port_qp_i] <= port_i;
  end
  always_ff @(posedge clk_i) begin
    works_read_q <= works_mem_q[at_d];
    if (in_init && 32'(init_q) < Qps) works_mem_q[QpW'(init_q)] <= 1'b0;
    else if (works_valid_i && works_ready_o) works_mem_q[works_qp_i] <= works_i;
  end

  // ---- The search ----
  logic first_any, next_any, hit, ends;
  logic [QpW-1:0] first, next_qp;
  assign {first_any, first} = first_read_q;
  assign {next_any, next_qp} = next_read_q;
  assign hit = port_read_q == find_port_i;
  assign ends = hit || !next_any;
  always_comb begin
    at_d = at_q;
    if (state_q == StFirst) at_d = first;
    else if (state_q == StLook && !ends) at_d = next_qp;
  end

  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StInit: if (init_ends) state_d = StIdle;
      StIdle: if (find_valid_i) state_d = StFirst;
      StFirst: state_d = first_any ? StLook : StAnswer;
      StLook: if (ends) state_d = StAnswer;
      default: state_d = StIdle;  // StAnswer
    endcase
    if (link && state_q != StAnswer) state_d = StIdle;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
    end else begin
      state_q <= state_d;
      if (in_init) init_q <= init_q + 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    at_q <= at_d;
    found_o <= state_q == StLook && hit;
    found_works_o <= works_read_q;
  end
  assign find_ready_o = state_q == StAnswer;
  assign found_qp_o = at_q;
  assign busy_o = state_q != StIdle;

`ifdef FORMAL
  `include "trigger_ports_proof.svh"
`endif
endmodule
