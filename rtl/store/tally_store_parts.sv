// SPDX-License-Identifier: BSD-2-Clause
// How many parts of each slot's chunk are finished. A chunk whose reduction has a fixed shape has a
// part for each two inputs, any other chunk has one. Each part is opened and finishes once, in any
// order; the last one to finish finishes the chunk. Contributions that disagree about the mode or
// the opcode of a chunk open parts of several shapes. Then the longest one counts, so that none of
// its parts stays open when the slot is cleared.
//
// The slot of a part is read with read_i, at least one clock before its write. Only one part is
// between its read and its write. Nothing may be written in the first clocks after a reset
// (tally_written).
module tally_store_parts #(
  parameter int unsigned Slots = 16,
  parameter int unsigned Parts = 4,
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned PartW = $clog2(Parts)
) (
  input  logic             clk_i,
  input  logic             rst_ni,

  input  logic             read_i,
  input  logic [SlotW-1:0] read_slot_i,
  output logic [PartW-1:0] last_o,   // number of the last part, if one has been opened

  input  logic             write_i,
  input  logic [SlotW-1:0] write_slot_i,
  input  logic             clear_i,   // the slot is free
  input  logic             open_i,    // last_i counts
  input  logic [PartW-1:0] last_i,
  input  logic             finish_i,  // this part is finished
  output logic             finished_o  // in the clock of write_i: all parts are
);
  logic [2*PartW-1:0] mem_q [Slots];  // last part, number of finished parts
  logic [2*PartW-1:0] entry_q, next;
  logic [PartW-1:0] count, last;
  logic written, unused_busy;

  tally_written #(.Rows(Slots)) u_written (
    .clk_i, .rst_ni, .busy_o(unused_busy), .write_i, .write_at_i(write_slot_i), .read_i,
    .read_at_i(read_slot_i), .written_o(written)
  );
  assign {last_o, count} = written ? entry_q : '0;
  assign last = open_i && last_i > last_o ? last_i : last_o;
  assign finished_o = write_i && finish_i && !clear_i && count == last;
  assign next = clear_i ? '0 : {last, finish_i ? count + 1'b1 : count};

  always_ff @(posedge clk_i) begin
    if (read_i) entry_q <= mem_q[read_slot_i];
    if (write_i) mem_q[write_slot_i] <= next;
  end
endmodule
