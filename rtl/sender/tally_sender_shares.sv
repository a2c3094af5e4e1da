// SPDX-License-Identifier: BSD-2-Clause
// What the ranks of a request do in each of its chunks: wqe_givers() and wqe_getters() of
// sim/engine/wqe.c, and let_go() and combine_ranks() of sim/engine/segment.c. The operations are
// those of the segment store.
//
// due_o: ranks that give data, or take part in a BARRIER. absent_o: ranks from which the store
// would expect data, and which give none. quits_o: ranks that neither give nor get, and are
// finished with the post. The outputs are those of the inputs a clock earlier.
module tally_sender_shares (
  input  logic        clk_i,
  input  logic        rst_ni,

  input  logic [7:0]  opcode_i,     // tally_pkg::opcode_e
  input  logic        empty_i,      // the ranks take no part
  input  logic        combined_i,   // the entry of one rank stands for all
  input  logic [63:0] ranks_i,
  input  logic        root_here_i,  // the root of the message is a rank of this node
  input  logic [5:0]  root_rank_i,

  output logic [63:0] due_o,
  output logic [63:0] absent_o,
  output logic [63:0] quits_o
);
  logic [63:0] root, with_entry, givers, getters, expected;
  logic is_bcast, is_barrier;

  assign is_bcast = opcode_i == 8'(tally_pkg::OpcodeBcast);
  assign is_barrier = opcode_i == 8'(tally_pkg::OpcodeBarrier);
  assign root = root_here_i ? ranks_i & (64'd1 << root_rank_i) : '0;
  assign with_entry = combined_i ? ranks_i & (~ranks_i + 1'b1) : ranks_i;

  always_comb begin
    givers = is_bcast ? root : with_entry;
    getters = with_entry;  // of BCAST also the root, which gives
    if (is_barrier) givers = ranks_i;  // all are told when it is done
    else if (opcode_i == 8'(tally_pkg::OpcodeReduce)) getters = root;
    else if (is_bcast && combined_i) getters = root == '0 ? with_entry : '0;
    if (empty_i) begin
      givers = '0;
      getters = '0;
    end
  end
  assign expected = is_bcast ? root : ranks_i;

  logic [63:0] due_q, absent_q, quits_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      due_q <= '0;
      absent_q <= '0;
      quits_q <= '0;
    end else begin
      due_q <= givers;
      absent_q <= expected & ~givers;
      quits_q <= ranks_i & ~(givers | getters);
    end
  end
  assign due_o = due_q;
  assign absent_o = absent_q;
  assign quits_o = quits_q;
endmodule
