// SPDX-License-Identifier: BSD-2-Clause
// Numbers that have something to do at a time, one time each: which of them is due next.
//
// set_*: the time of a number is this one from now on; all ones: it has none. due_*: a number whose
// time has come, and which has none any more. While it is offered, its time may be set anew; the
// offer is then withdrawn. A number that is offered and set in the clock in which it is taken was
// taken before.
//
// now_i: the time, which never falls, and is not all ones. deadline_*: no number is due earlier.
// While it lies ahead and busy_o is low, the clock may stop until then. It may be a time that was
// moved back since: its number is looked at then, and gets its present time.
//
// A tree of minima finds the earliest time. Its leaves are the numbers, and each inner node has the
// earlier one of the two nodes below it, with its number; Num need not be a power of two. A time
// that comes earlier than that of the leaf is carried up to the root; one that comes later is only
// noted, so a time that is moved back again and again costs nothing until the first one is over.
//
// Time: after a reset, two clocks for each number, in which busy_o is high and nothing is taken. A
// time is set in two clocks, and one more for each level of the tree if it comes earlier. A number
// that is due is offered two clocks later if the block is not busy; each other one that is looked
// at, or set, before adds these and one for each level.
module tally_calendar #(
  parameter int unsigned Num = 1024,
  parameter int unsigned TimeW = 64,
  localparam int unsigned NumW = Num > 1 ? $clog2(Num) : 1
) (
  input  logic             clk_i,
  input  logic             rst_ni,
  output logic             busy_o,

  input  logic [TimeW-1:0] now_i,
  output logic             deadline_valid_o,
  output logic [TimeW-1:0] deadline_o,

  input  logic             set_valid_i,
  output logic             set_ready_o,
  input  logic [NumW-1:0]  set_number_i,
  input  logic [TimeW-1:0] set_at_i,

  output logic             due_valid_o,
  input  logic             due_ready_i,
  output logic [NumW-1:0]  due_number_o
);
  // The root is node 1, the nodes below n are 2n and 2n + 1, and the leaves are the last ones.
  localparam int unsigned Leaves = Num > 1 ? Num : 2;
  localparam int unsigned Nodes = 2 * Leaves;
  localparam int unsigned NodeW = NumW + 1;
  localparam int unsigned NodeBits = TimeW + NumW;
  localparam logic [TimeW-1:0] Never = {TimeW{1'b1}};

  typedef enum logic [2:0] {
    StClear,  // nodes have no time after a reset
    StIdle,
    StLeaf,   // a time was set; the leaf has been read
    StTrue,   // the first number is looked at; its present time has been read
    StClimb   // up from its leaf
  } state_e;
  state_e state_q, state_d;

  // ---- Memories: the times of the numbers, and the tree ----
  //
  // A time counts as long as the leaf of its number has one.
  logic [TimeW-1:0] times_q [Leaves];
  logic [NodeBits-1:0] nodes_q [Nodes];
  logic [TimeW-1:0] time_read_q, node_at;
  logic [NodeBits-1:0] node_read_q, node_new;
  logic [NumW-1:0] node_number;
  logic [NodeW-1:0] node_read, node_write_at;
  logic node_write;

  // ---- Whose turn it is: a time that is set, or the first number ----
  logic takes, looks, expired, first_valid, after_set_q;
  logic [TimeW-1:0] first_at_q;
  logic [NumW-1:0] first_number_q;

  assign first_valid = first_at_q != Never;
  assign expired = first_valid && first_at_q <= now_i;
  assign looks = state_q == StIdle && expired && !due_valid_o && (after_set_q || !set_valid_i);
  assign set_ready_o = state_q == StIdle && !(expired && !due_valid_o && after_set_q);
  assign takes = set_valid_i && set_ready_o;

  // ---- What is carried up: the earliest time below the node that is written ----
  logic [NodeW-1:0] node_q, beside;  // the node that has been read last lies beside node_q
  logic [TimeW-1:0] at_q, at;
  logic [NumW-1:0] number_q, number;
  logic earlier, is_due, swaps, at_root;

  function automatic logic [NodeW-1:0] leaf_of(input logic [NumW-1:0] i);
    leaf_of = NodeW'(Leaves) + NodeW'(i);
  endfunction
  assign {node_at, node_number} = node_read_q;
  assign earlier = at_q < node_at;
  assign is_due = time_read_q <= now_i;
  assign swaps = node_at < at_q;
  assign at_root = node_q >> 1 == NodeW'(1);
  assign beside = node_write_at ^ NodeW'(1);

  always_comb begin
    at = at_q;
    number = number_q;
    node_write = 1'b0;
    node_write_at = leaf_of(number_q);
    unique case (state_q)
      StClear: begin
        at = Never;
        node_write = 1'b1;
        node_write_at = node_q;
      end
      StLeaf: node_write = earlier;
      StTrue: begin
        at = is_due ? Never : time_read_q;
        node_write = 1'b1;
      end
      StClimb: begin
        node_write = 1'b1;
        node_write_at = node_q >> 1;
        if (swaps) begin
          at = node_at;
          number = node_number;
        end
      end
      default: ;  // StIdle
    endcase
  end
  assign node_new = {at, number};
  assign node_read = state_q == StIdle ? leaf_of(set_number_i) : beside;

  always_ff @(posedge clk_i) begin
    if (takes) times_q[set_number_i] <= set_at_i;
    time_read_q <= times_q[first_number_q];
    if (node_write) nodes_q[node_write_at] <= node_new;
    node_read_q <= nodes_q[node_read];
    if (takes) begin
      at_q <= set_at_i;
      number_q <= set_number_i;
    end else if (looks) begin
      number_q <= first_number_q;
    end else if (node_write) begin
      at_q <= at;
      number_q <= number;
    end
  end

  always_comb begin
    unique case (state_q)
      StClear: state_d = node_q == NodeW'(Nodes - 1) ? StIdle : StClear;
      StIdle: state_d = takes ? StLeaf : looks ? StTrue : StIdle;
      StLeaf: state_d = earlier ? StClimb : StIdle;
      StTrue: state_d = StClimb;
      default: state_d = at_root ? StIdle : StClimb;  // StClimb
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StClear;
      node_q <= '0;
      first_at_q <= Never;
      after_set_q <= 1'b0;
      due_valid_o <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == StClear) node_q <= node_q + 1'b1;
      else node_q <= node_write_at;
      if (state_q == StClimb && at_root) first_at_q <= at;
      if (takes || looks) after_set_q <= takes;
      if (due_valid_o) due_valid_o <= !due_ready_i && !(takes && set_number_i == due_number_o);
      else due_valid_o <= state_q == StTrue && is_due;
    end
  end
  always_ff @(posedge clk_i) begin
    if (state_q == StClimb && at_root) first_number_q <= number;
    if (state_q == StTrue) due_number_o <= number_q;
  end

  assign deadline_valid_o = first_valid;
  assign deadline_o = first_at_q;
  assign busy_o = state_q != StIdle || due_valid_o || expired;

`ifdef FORMAL
  `include "calendar_proof.svh"
`endif
endmodule
