// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_local_due must reach.
module local_due_cover (
  input logic        clk_i,
  input logic        row_valid_o,
  input logic        row_ready_i,
  input logic        sge_valid_o,
  input logic        sge_ready_i,
  input logic        new_valid_o,
  input logic        new_ready_i,
  input logic        note_ready_i,
  input logic        line_valid_o,
  input logic        line_ready_i,
  input logic        note_asked_o,
  input logic        begins,
  input logic        has_list_q,
  input logic        only_gives,
  input logic        root_q,
  input logic [12:0] len_q,
  input logic [12:0] bytes_q,
  input logic [31:0] count_q,
  input logic [31:0] rest,
  input logic [63:0] left_q,
  input logic [5:0]  index_q
);
  row_waits: cover property (@(posedge clk_i) row_valid_o && !row_ready_i);
  entry_waits: cover property (@(posedge clk_i) sge_valid_o && !sge_ready_i);
  job_waits: cover property (@(posedge clk_i) new_valid_o && !new_ready_i);
  note_waits: cover property (@(posedge clk_i) left_q != '0 && !note_ready_i);
  inline_data: cover property (@(posedge clk_i) begins && !has_list_q && len_q != '0);
  line_waits: cover property (@(posedge clk_i) line_valid_o && !line_ready_i);
  line_was_wanted: cover property (@(posedge clk_i) begins && note_asked_o);
  line_was_not: cover property (@(posedge clk_i) begins && !has_list_q && len_q != '0 &&
                                !note_asked_o);
  no_bytes: cover property (@(posedge clk_i) begins && len_q == '0);
  pairs: cover property (@(posedge clk_i) begins && len_q != bytes_q);
  last_chunk: cover property (@(posedge clk_i) begins && count_q == rest);
  whole_chunk: cover property (@(posedge clk_i) begins && count_q < rest);
  full_chunk: cover property (@(posedge clk_i) begins && bytes_q == 13'(tally_pkg::MaxMtu));
  root_gets: cover property (@(posedge clk_i) begins && root_q && !only_gives);
  all_ranks: cover property (@(posedge clk_i) begins && index_q == '1);
endmodule

bind tally_local_due local_due_cover u_cover (.rest(message_q.total - message_q.first), .*);
