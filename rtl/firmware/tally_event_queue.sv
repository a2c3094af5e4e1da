// SPDX-License-Identifier: BSD-2-Clause
// Queue of Depth events of packets and timers (sim/engine/events.c). The highest bits of a row are
// the context, a group or a tombstone, whose events can be dropped.
//
// in_*: a row enters. in_lost_o: what is offered finds no place; it is taken nevertheless.
// out_*: the oldest row, until out_take_i takes it, or it is dropped. drop_*: the rows of a context
// are removed when this is taken. The rows behind move up, so that their places are free at once.
//
// Time: a drop takes a clock for each row inside, and two more. Meanwhile nothing enters and
// nothing is offered; in_ready_o and out_valid_o depend on drop_valid_i of the same clock.
// Depth is a power of two, at least 2.
module tally_event_queue #(
  parameter int unsigned Width = 656,
  parameter int unsigned ContextW = 16,
  parameter int unsigned Depth = tally_fw_pkg::EventDepth
) (
  input  logic                clk_i,
  input  logic                rst_ni,

  input  logic                in_valid_i,
  output logic                in_ready_o,
  input  logic [Width-1:0]    in_i,
  output logic                in_lost_o,

  output logic                out_valid_o,
  input  logic                out_take_i,
  output logic [Width-1:0]    out_o,

  input  logic                drop_valid_i,
  output logic                drop_ready_o,
  input  logic [ContextW-1:0] drop_context_i
);
  localparam int unsigned PtrW = $clog2(Depth);

  logic [Width-1:0] rows_q [Depth];
  logic [PtrW-1:0] read_q, write_q;
  logic [PtrW:0] used_q;  // rows inside
  logic walks_q;          // a drop is under way
  logic [PtrW-1:0] at_q;  // row that it looks at
  logic [PtrW:0] left_q;  // rows that it has not looked at

  // ---- In and out ----
  logic push, pop;
  logic [Width-1:0] row;
  assign in_ready_o = !drop_valid_i;
  assign in_lost_o = used_q == (PtrW + 1)'(Depth);
  assign push = in_valid_i && in_ready_o && !in_lost_o;
  assign out_valid_o = used_q != '0 && !drop_valid_i;
  assign pop = out_valid_o && out_take_i;
  assign row = rows_q[walks_q ? at_q : read_q];
  assign out_o = row;

  // ---- The drop: rows that stay are written behind each other, from the oldest place on ----
  logic looks, keeps;
  assign looks = walks_q && left_q != '0;
  assign keeps = looks && row[Width-1-:ContextW] != drop_context_i;
  assign drop_ready_o = walks_q && left_q == '0;

  always_ff @(posedge clk_i) begin
    if (push || keeps) rows_q[write_q] <= keeps ? row : in_i;
    at_q <= walks_q ? at_q + 1'b1 : read_q;
    left_q <= walks_q ? left_q - 1'b1 : used_q;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      read_q <= '0;
      write_q <= '0;
      used_q <= '0;
      walks_q <= 1'b0;
    end else begin
      walks_q <= drop_valid_i && !drop_ready_o;
      if (drop_valid_i && !walks_q) write_q <= read_q;
      else if (push || keeps) write_q <= write_q + 1'b1;
      if (pop) read_q <= read_q + 1'b1;
      used_q <= used_q + (PtrW + 1)'(push) - (PtrW + 1)'(pop || (looks && !keeps));
    end
  end

`ifdef FORMAL
  `include "event_queue_proof.svh"
`endif
endmodule
