// SPDX-License-Identifier: BSD-2-Clause
// The store takes for ready what nothing else uses then: the segments' read port, and the hold side
// for a slot that is cleared. What a packet reads belongs to a chunk that has not been released.
// Partial results begin only while the list of what is due has room, as tally_store_send wants it.
//
// An epoch ends when nothing is inside. So no operation begins before, and no step, outcome or
// finished chunk follows of what was there when that was told.
module store_rules #(
  parameter int unsigned Slots = 16
) (
  input logic                     clk_i,
  input logic                     rst_ni,
  input logic                     read_valid,
  input logic                     read_ready,
  input logic                     hold_clears,
  input logic                     hold_ready,
  input logic                     opens,        // a slot of a chunk
  input logic [$clog2(Slots)-1:0] opened_chunk,
  input logic                     releases,     // all slots of a chunk
  input logic [$clog2(Slots)-1:0] released_chunk,
  input logic                     sends,        // a packet begins to read
  input logic [$clog2(Slots)-1:0] sent_chunk,
  input logic                     send_reading,
  input logic [$clog2(Slots)-1:0] reading_chunk,
  input logic                     own_begins,
  input logic                     due_ready,
  input logic                     stop,
  input logic                     quiet,
  input logic                     op_begins,
  input logic                     step_valid,
  input logic                     seg_valid,
  input logic                     outcome_valid,
  input logic                     holds,
  input logic                     finished_valid
);
  a_read_is_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
      read_valid |-> read_ready);
  a_clear_is_taken: assert property (@(posedge clk_i) disable iff (!rst_ni)
      hold_clears |-> hold_ready);

  logic [Slots-1:0] released_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      released_q <= '0;
    end else begin
      if (opens) released_q[opened_chunk] <= 1'b0;
      if (releases) released_q[released_chunk] <= 1'b1;
    end
  end
  a_sent_is_there: assert property (@(posedge clk_i) disable iff (!rst_ni)
      sends |-> !released_q[sent_chunk]);
  a_read_is_there: assert property (@(posedge clk_i) disable iff (!rst_ni)
      send_reading |-> !released_q[reading_chunk]);

  logic due_ready_q;
  always_ff @(posedge clk_i) due_ready_q <= due_ready;
  a_part_has_room: assert property (@(posedge clk_i) disable iff (!rst_ni)
      own_begins |-> due_ready_q);

  a_stopped: assert property (@(posedge clk_i) disable iff (!rst_ni) stop |-> !op_begins);
  // Whether there has been what a step, an outcome or a finished chunk comes from since then.
  logic begun_q, entered_q, held_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      begun_q <= 1'b0;
      entered_q <= 1'b0;
      held_q <= 1'b0;
    end else begin
      begun_q <= op_begins || own_begins || (begun_q && !(stop && quiet));
      entered_q <= seg_valid || (entered_q && !(stop && quiet));
      held_q <= holds || (held_q && !(stop && quiet));
    end
  end
  a_step_is_new: assert property (@(posedge clk_i) disable iff (!rst_ni) step_valid |-> begun_q);
  a_outcome_is_new: assert property (@(posedge clk_i) disable iff (!rst_ni)
      outcome_valid |-> entered_q);
  a_finish_is_new: assert property (@(posedge clk_i) disable iff (!rst_ni)
      finished_valid |-> held_q);
endmodule

bind tally_store store_rules #(.Slots(Slots)) u_rules (
  .read_ready(u_segment.read_ready_o), .opens(fresh && opened),
  .opened_chunk(bk_slot_q[PartW+:SlotW]), .releases(en_q == EnRelease && seg_ready),
  .released_chunk(slot_q[PartW+:SlotW]), .sends(send_read),
  .sent_chunk(send_read_slot[PartW+:SlotW]), .reading_chunk(reading_slot[PartW+:SlotW]),
  .op_begins(in_tvalid_i && in_tready_o && first_q), .holds(bk_q == BkHeld), .*
);
