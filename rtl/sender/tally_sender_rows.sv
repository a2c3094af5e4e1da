// SPDX-License-Identifier: BSD-2-Clause
// The table of parsed requests: a row for each entry, with its queue pair and what row_t has.
//
// write_*: a request is taken in; the row is written in this clock, and can be read from the next
// one on. row_*: a reader wants the row of an entry. The last one, which asks in every other clock
// at most, is served at once, one after the other of the others in turn; who waits keeps asking.
// got_valid_o: the row is at got_* in this clock. Each reader has its answers in the order of its
// reads. Rows are not cleared by a reset: each is written before it is read.
//
// Time: a row comes in the clock after its read was taken, and one read is taken in each clock.
// row_ready_o depends on all of row_valid_i, but that of the last one on its own. busy_o is low if
// nothing happens without an input.
module tally_sender_rows #(
  parameter int unsigned Readers = 5,  // at least 2
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries)
) (
  input  logic                           clk_i,
  input  logic                           rst_ni,
  output logic                           busy_o,

  input  logic                           write_valid_i,
  input  logic [EntryW-1:0]              write_entry_i,
  input  logic [QpW-1:0]                 write_qp_i,
  input  tally_request_pkg::request_t    write_i,
  input  tally_local_pkg::row_t          write_row_i,

  input  logic [Readers-1:0]             row_valid_i,
  output logic [Readers-1:0]             row_ready_o,
  input  logic [Readers-1:0][EntryW-1:0] row_entry_i,
  output logic [Readers-1:0]             got_valid_o,
  output logic [QpW-1:0]                 got_qp_o,
  output tally_request_pkg::request_t    got_o,
  output tally_local_pkg::row_t          got_row_o
);
  localparam int unsigned Others = Readers - 1;
  localparam int unsigned ReaderW = Others > 1 ? $clog2(Others) : 1;
  localparam int unsigned RequestW = 766;
  localparam int unsigned RestW = 209;
  localparam int unsigned RowW = QpW + RequestW + RestW;

  logic [RowW-1:0] row_mem_q [Entries];
  logic [RowW-1:0] row_new, row_q;
  logic [ReaderW-1:0] reader;
  logic [EntryW-1:0] read_entry;
  logic [Readers-1:0] got_q;
  logic [Others-1:0] takes;
  logic last, unused_any;

  tally_rr_arbiter #(.Num(Others)) u_reader (
    .clk_i, .rst_ni, .request_valid_i(row_valid_i[Others-1:0]), .request_ready_o(takes),
    .grant_valid_o(unused_any), .grant_ready_i(!last), .grant_o(reader)
  );
  assign last = row_valid_i[Others];
  assign row_ready_o = {last, takes};

  assign read_entry = last ? row_entry_i[Others] : row_entry_i[reader];
  assign row_new = {write_qp_i, write_i, write_row_i};
  always_ff @(posedge clk_i) begin
    row_q <= row_mem_q[read_entry];
    if (write_valid_i) row_mem_q[write_entry_i] <= row_new;
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) got_q <= '0;
    else got_q <= row_ready_o;
  end
  assign got_valid_o = got_q;
  assign {got_qp_o, got_o, got_row_o} = row_q;
  assign busy_o = got_q != '0;

`ifdef FORMAL
  `include "sender_rows_proof.svh"
`endif
endmodule
