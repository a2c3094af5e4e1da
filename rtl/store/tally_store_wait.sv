// SPDX-License-Identifier: BSD-2-Clause
// Sums and results that may not leave yet, because of the neighbour's limit or the window of the
// edge (up_send and down_todo of a slot, and group_pump(), in sim/engine). They become due once
// more when something has changed.
//
// wait_*: the sum of a slot, or its result for a contributor, waits. It is taken within two clocks,
// whatever the output does. begin_i: from now on it is looked at whether the packet may leave that
// may come next by wait_*; there is one at a time. wake_i: something has changed, so all that wait
// are due; so is the packet that comes next, if it has begun.
// due_*: of a slot, the sum, and the contributors whose results are due. What comes from now on for
// this slot waits again.
//
// A slot is in the list at most once, so there is room for all, and as many bits for it as it has
// receivers. used_o: slots in the list, and the one that is offered. In the first clocks after a
// reset (tally_written), busy_o is high, and nothing must come meanwhile.
module tally_store_wait #(
  parameter int unsigned Slots = tally_pkg::MaxSeg,  // a power of two
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned EdgeW = $clog2(Contributors),
  localparam int unsigned UsedW = $clog2(Slots + 2)
) (
  input  logic                    clk_i,
  input  logic                    rst_ni,
  output logic                    busy_o,

  input  logic                    begin_i,
  input  logic                    wake_i,
  input  logic                    wait_valid_i,
  output logic                    wait_ready_o,
  input  logic [SlotW-1:0]        wait_slot_i,
  input  logic                    wait_sum_i,
  input  logic [EdgeW-1:0]        wait_edge_i,  // of a result

  output logic                    due_valid_o,
  input  logic                    due_ready_i,
  output logic [SlotW-1:0]        due_slot_o,
  output logic                    due_sum_o,
  output logic [Contributors-1:0] due_contributors_o,

  output logic [UsedW-1:0]        used_o
);
  localparam int unsigned RecordW = 1 + Contributors;

  typedef enum logic [1:0] {
    Clear = 2'd0,  // after a reset
    Idle = 2'd1,
    Put = 2'd2,    // the record of a slot has been read, and gets one more
    Take = 2'd3    // that of the oldest slot has been read, and is offered
  } state_e;

  state_e state_q, state_d;

  // Memories: what of a slot waits, if it is in the list; whether it is; the list.
  logic [RecordW-1:0] records_q [Slots];
  logic [0:0] listed_q [Slots];
  logic [SlotW-1:0] list_q [Slots];
  logic [RecordW-1:0] read_q, added, one;
  logic [SlotW-1:0] slot_q, head_q, tail_q, read_slot;
  logic [EdgeW-1:0] edge_q;
  logic [SlotW:0] count_q, due_q;  // slots in the list, and how many of them are due
  logic sum_q, flag_q, written, clearing, was_listed, missed_q, late_q, push, pop, put, take, wakes;

  assign put = state_q == Idle && wait_valid_i;
  assign take = state_q == Idle && !wait_valid_i && due_q != '0 && (!due_valid_o || due_ready_i);
  assign wait_ready_o = state_q == Idle;
  assign push = state_q == Put && !was_listed;
  assign pop = state_q == Take;
  assign read_slot = put ? wait_slot_i : list_q[head_q];

  always_comb begin
    one = '0;
    one[Contributors] = sum_q;
    for (int unsigned k = 0; k < Contributors; k++)
      if (!sum_q && edge_q == EdgeW'(k)) one[k] = 1'b1;
  end
  assign added = (was_listed ? read_q : '0) | one;

  always_comb begin
    unique case (state_q)
      Clear: state_d = clearing ? Clear : Idle;
      Idle: state_d = put ? Put : take ? Take : Idle;
      default: state_d = Idle;  // Put, Take
    endcase
  end

  tally_written #(.Rows(Slots)) u_written (
    .clk_i, .rst_ni, .busy_o(clearing), .write_i(state_q == Put || state_q == Take),
    .write_at_i(slot_q), .read_i(1'b1), .read_at_i(read_slot), .written_o(written)
  );
  assign was_listed = written && flag_q;

  always_ff @(posedge clk_i) begin
    if (state_q == Put) records_q[slot_q] <= added;
    if (state_q == Put || state_q == Take) listed_q[slot_q] <= state_q == Put;
    if (push) list_q[tail_q] <= slot_q;
    read_q <= records_q[read_slot];
    flag_q <= listed_q[read_slot];
    sum_q <= wait_sum_i;
    edge_q <= wait_edge_i;
    late_q <= wake_i || missed_q;
    if (pop) begin
      due_slot_o <= slot_q;
      {due_sum_o, due_contributors_o} <= read_q;
    end
  end

  // What has begun before something changed would wait for ever, if it came afterwards.
  assign wakes = wake_i || (state_q == Put && late_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Clear;
      slot_q <= '0;
      head_q <= '0;
      tail_q <= '0;
      count_q <= '0;
      due_q <= '0;
      missed_q <= 1'b0;
      due_valid_o <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == Idle) slot_q <= read_slot;
      head_q <= head_q + SlotW'(pop);
      tail_q <= tail_q + SlotW'(push);
      count_q <= count_q + (SlotW + 1)'(push) - (SlotW + 1)'(pop);
      due_q <= (wakes ? count_q + (SlotW + 1)'(push) : due_q) - (SlotW + 1)'(pop);
      missed_q <= wake_i || (missed_q && !begin_i);
      due_valid_o <= pop || (due_valid_o && !due_ready_i);
    end
  end
  assign used_o = UsedW'(count_q) + UsedW'(due_valid_o);
  assign busy_o = state_q != Idle || due_q != '0 || due_valid_o;

`ifdef FORMAL
  `include "store_wait_proof.svh"
`endif
endmodule
