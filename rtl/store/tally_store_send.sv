// SPDX-License-Identifier: BSD-2-Clause
// What is due of the segment store: sums and results that wait to be read and sent. An entry says
// to whom a slot's sum or result is due, and becomes one packet for the sum, one for each
// contributor, and one for all ranks together. The first one is offered in the clock of its entry
// if the list is empty.
//
// Packets of a slot leave in the order in which they became due. in_ready_o is for operations that
// may wait: they begin only with it, while less than Slots entries are in the list. From the moment
// when it falls, those that have begun add at most Inside entries, the others two for each slot,
// and what tally_store_wait had one for each part of a slot. All of them find room.
module tally_store_send #(
  parameter int unsigned Slots = 16,
  parameter int unsigned Parts = 1,  // of each slot
  parameter int unsigned Contributors = tally_pkg::MaxContributors,
  parameter int unsigned Ranks = tally_pkg::MaxRanks,
  localparam int unsigned SlotW = $clog2(Slots * Parts),
  localparam int unsigned Depth = (3 + Parts) * Slots + tally_store_pkg::Inside,
  localparam int unsigned UsedW = $clog2(Depth + 1)
) (
  input  logic                     clk_i,
  input  logic                     rst_ni,

  input  logic                     in_valid_i,
  output logic                     in_ready_o,  // one more that may wait finds room
  input  logic [SlotW-1:0]         in_slot_i,
  input  logic                     in_up_i,
  input  logic [Contributors-1:0]  in_contributors_i,
  input  logic [Ranks-1:0]         in_ranks_i,

  // One packet each, whose payload is then read.
  output logic                     out_valid_o,
  input  logic                     out_ready_i,
  output logic [SlotW-1:0]         out_slot_o,
  output tally_fw_pkg::store_send_e   out_kind_o,
  output logic [$clog2(Contributors)-1:0] out_edge_o,   // of StoreSendResult
  output logic [Ranks-1:0]         out_ranks_o,  // of StoreSendRanks

  output logic [UsedW-1:0]         used_o,  // entries
  output logic                     pop_o    // the oldest of these leaves
);
  localparam int unsigned EdgeW = $clog2(Contributors);

  localparam int unsigned EntryW = SlotW + 1 + Contributors + Ranks;
  logic valid, head_valid_q, list_valid, head_up, pop, pops, last, up_due, passes, enters, to_head;
  logic none_left, one_left;
  logic [EntryW-1:0] entering, head_q, next;
  logic [SlotW-1:0] head_slot;
  logic [Contributors-1:0] head_contributors, left, lowest, sent_q;
  logic [Ranks-1:0] head_ranks;
  logic [UsedW-1:0] used_q;
  logic [$clog2(Depth)-1:0] unused_list;
  logic unused_room;
  logic up_sent_q;

  // The oldest entry is in registers, as the others are read too late in a clock.
  tally_fifo #(
    .Width(EntryW),
    .Depth(Depth - 1)
  ) u_due (
    .clk_i, .rst_ni,
    .in_valid_i(enters && !to_head),
    .in_ready_o(unused_room),  // never full
    .in_i(entering),
    .out_valid_o(list_valid),
    .out_ready_i(pops),
    .out_o(next),
    .used_o(unused_list)
  );
  assign entering = {in_slot_i, in_up_i, in_contributors_i, in_ranks_i};
  assign valid = head_valid_q || in_valid_i;
  assign passes = !head_valid_q && pop;  // what enters has left already
  assign enters = in_valid_i && !passes;
  assign to_head = !list_valid && (!head_valid_q || pops);
  assign {head_slot, head_up, head_contributors, head_ranks} = head_valid_q ? head_q : entering;
  assign in_ready_o = used_q < UsedW'(Slots);
  assign used_o = used_q;
  assign pops = pop && head_valid_q;
  assign pop_o = pops;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      head_valid_q <= 1'b0;
      used_q <= '0;
    end else begin
      head_valid_q <= list_valid || enters || (head_valid_q && !pops);
      if (enters != pops) used_q <= enters ? used_q + 1'b1 : used_q - 1'b1;
    end
  end
  always_ff @(posedge clk_i) begin
    if (!head_valid_q || pops) head_q <= list_valid ? next : entering;
  end

  assign up_due = head_up && !up_sent_q;
  assign left = head_contributors & ~sent_q;
  assign lowest = left & (~left + 1'b1);
  assign none_left = left == '0;
  assign one_left = (left & (left - 1'b1)) == '0;  // or none
  assign last = up_due ? none_left && head_ranks == '0 :
                none_left || (one_left && head_ranks == '0);
  assign pop = out_ready_i && last;
  assign out_valid_o = valid;
  assign out_slot_o = head_slot;
  assign out_ranks_o = head_ranks;
  assign out_kind_o = up_due ? tally_fw_pkg::StoreSendSum :
                      left != '0 ? tally_fw_pkg::StoreSendResult : tally_fw_pkg::StoreSendRanks;
  always_comb begin
    out_edge_o = '0;
    for (int unsigned k = 0; k < Contributors; k++) if (lowest[k]) out_edge_o |= EdgeW'(k);
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      up_sent_q <= 1'b0;
      sent_q <= '0;
    end else if (valid && out_ready_i) begin
      up_sent_q <= !last;
      sent_q <= last ? '0 : up_due ? sent_q : sent_q | lowest;
    end
  end

`ifdef FORMAL
  `include "store_send_proof.svh"
`endif
endmodule
