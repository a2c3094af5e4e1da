// SPDX-License-Identifier: BSD-2-Clause
// The requests of each queue pair whose last chunk has not begun, in the order in which they were
// taken in, and how many of their chunks have begun. docs/rtl-sender.md has its user, tally_sender.
//
// append_*: a request is taken in; its entry is the last one of the list. It is always taken, at
// least four clocks after the one before, and not while the block is busy. The entry is in no list.
// op_*: an operation of tally_sender_pkg::list_op_e. ListFirst and ListClear name a queue pair; the
// others follow an answer with found_o, and concern its entry. An entry that is appended amid a
// visit is part of it.
// ans_valid_o: the operation has been carried out. found_o: the visit has come to entry entry_o,
// begun_o of whose chunks have begun; else it is at its end. any_o: the list has entries. All four
// stay until the next operation, but any_o does not know what is appended meanwhile.
//
// Time: two clocks for an operation, or four if an entry is appended. An entry that is appended
// while there is no operation is in its list two clocks later. After a reset the block is
// busy for as many clocks as there are queue pairs. op_ready_o depends on registers only.
module tally_sender_lists #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned NumW = 32,  // bits of a number of chunks
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       busy_o,

  input  logic                       append_valid_i,
  input  logic [QpW-1:0]             append_qp_i,
  input  logic [EntryW-1:0]          append_entry_i,

  input  logic                       op_valid_i,
  output logic                       op_ready_o,
  input  tally_sender_pkg::list_op_e op_i,
  input  logic [QpW-1:0]             op_qp_i,

  output logic                       ans_valid_o,
  output logic                       found_o,
  output logic [EntryW-1:0]          entry_o,
  output logic [NumW-1:0]            begun_o,
  output logic                       any_o
);
  localparam int unsigned RowW = 2 * EntryW + 1;

  typedef enum logic [1:0] {
    StInit,  // after a reset: all lists are cleared
    StIdle,  // what the next step needs is read
    StAct
  } state_e;
  state_e state_d, state_q;

  typedef struct packed {
    logic              any;
    logic [EntryW-1:0] first;
    logic [EntryW-1:0] last;
  } row_t;

  logic [RowW-1:0] row_mem_q [Qps];
  logic [EntryW-1:0] next_mem_q [Entries];
  logic [NumW-1:0] begun_mem_q [Entries];

  // ---- What is done next ----
  logic append_q, appends_q, passes, takes, begins, acts, op_acts, inits;
  logic [QpW-1:0] new_qp_q, qp_q, at_qp_q, read_qp;
  logic [EntryW-1:0] new_entry_q, append_entry_q;
  tally_sender_pkg::list_op_e op_q;

  // What is appended waits for the operation of its clock, if there is one.
  assign passes = append_valid_i && !append_q && !op_valid_i;
  assign begins = state_q == StIdle && (append_q || passes);
  assign op_ready_o = state_q == StIdle && !append_q;
  assign takes = op_valid_i && op_ready_o;
  assign acts = state_q == StAct;
  assign op_acts = acts && !appends_q;
  assign inits = state_q == StInit;
  always_comb begin
    read_qp = qp_q;
    if (append_q) read_qp = new_qp_q;
    else if (passes) read_qp = append_qp_i;
    else if (op_i == tally_sender_pkg::ListFirst || op_i == tally_sender_pkg::ListClear) begin
      read_qp = op_qp_i;
    end
  end

  always_ff @(posedge clk_i) begin
    if (append_valid_i) begin
      new_qp_q <= append_qp_i;
      new_entry_q <= append_entry_i;
    end
    if (begins || takes) begin
      at_qp_q <= read_qp;
      appends_q <= append_q || passes;
      append_entry_q <= append_q ? new_entry_q : append_entry_i;
    end
    if (takes) begin
      op_q <= op_i;
      qp_q <= read_qp;
    end
  end

  // ---- The visit ----
  logic [RowW-1:0] raw_q;
  row_t row, new_row;
  logic [EntryW-1:0] entry_q, before_q, next_q, next_entry;
  logic found_q, next_found, is_second_q, is_last, answered_q, any_q;
  logic [NumW-1:0] begun_q;

  assign row = raw_q;
  assign is_last = entry_q == row.last;
  always_comb begin
    next_entry = next_q;
    next_found = !is_last;
    unique case (op_q)
      tally_sender_pkg::ListFirst: begin
        next_entry = row.first;
        next_found = row.any;
      end
      tally_sender_pkg::ListClear: next_found = 1'b0;
      default: ;  // the one behind it
    endcase
  end

  always_ff @(posedge clk_i) begin
    raw_q <= row_mem_q[read_qp];
    next_q <= next_mem_q[entry_q];
    if (op_acts) begin
      begun_q <= begun_mem_q[next_entry];
      entry_q <= next_entry;
      found_q <= next_found;
      any_q <= new_row.any;
      unique case (op_q)
        tally_sender_pkg::ListFirst: is_second_q <= 1'b0;
        tally_sender_pkg::ListNext, tally_sender_pkg::ListPosted: begin
          is_second_q <= 1'b1;
          before_q <= entry_q;
        end
        default: ;  // without the entry, the one before it stays the same
      endcase
    end
  end

  assign ans_valid_o = answered_q;
  assign found_o = found_q;
  assign entry_o = entry_q;
  assign begun_o = begun_q;
  assign any_o = any_q;

  // ---- How the list changes ----
  logic write_row, write_next, write_begun;
  logic [EntryW-1:0] next_at, next_value, begun_at;
  logic [NumW-1:0] begun_value;

  always_comb begin
    new_row = row;
    write_row = acts;
    write_next = 1'b0;
    next_at = row.last;
    next_value = append_entry_q;
    write_begun = acts && appends_q;
    begun_at = append_entry_q;
    begun_value = '0;
    if (appends_q) begin
      new_row.any = 1'b1;
      new_row.last = append_entry_q;
      if (!row.any) new_row.first = append_entry_q;
      write_next = acts && row.any;
    end else begin
      unique case (op_q)
        tally_sender_pkg::ListClear: new_row.any = 1'b0;
        tally_sender_pkg::ListPosted: begin
          write_begun = acts;
          begun_at = entry_q;
          begun_value = begun_q + 1'b1;
        end
        tally_sender_pkg::ListDrop: begin
          if (!is_second_q) new_row.first = next_q;
          if (is_last) new_row.last = before_q;
          if (is_last && !is_second_q) new_row.any = 1'b0;
          write_next = acts && is_second_q && !is_last;
          next_at = before_q;
          next_value = next_q;
        end
        default: ;  // it does not
      endcase
    end
  end

  logic [QpW-1:0] init_q;
  always_ff @(posedge clk_i) begin
    if (inits || write_row) row_mem_q[inits ? init_q : at_qp_q] <= inits ? '0 : new_row;
    if (write_next) next_mem_q[next_at] <= next_value;
    if (write_begun) begun_mem_q[begun_at] <= begun_value;
  end

  // ---- Order of the steps ----
  always_comb begin
    state_d = state_q;
    unique case (state_q)
      StInit: if (32'(init_q) == Qps - 1) state_d = StIdle;
      StIdle: if (begins || takes) state_d = StAct;
      default: state_d = StIdle;  // StAct
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
      append_q <= 1'b0;
      answered_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (inits) init_q <= init_q + 1'b1;
      append_q <= append_q && begins ? append_valid_i : (append_valid_i || append_q) && !begins;
      answered_q <= op_acts;
    end
  end
  assign busy_o = inits;

`ifdef FORMAL
  `include "sender_lists_proof.svh"
`endif
endmodule
