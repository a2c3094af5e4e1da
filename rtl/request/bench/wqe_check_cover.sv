// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_wqe_check must reach: values that are just permitted, and refusals
// with more than one cause. The lines of the block name the others.
module wqe_check_cover (
  input logic        clk_i,
  input logic        done_o,
  input logic        start_i,
  input logic        divided_o,
  input logic [15:0] status_o,
  input logic [15:0] lists_o,
  input logic        collective,
  input logic        triggered,
  input logic        blocked,
  input logic        rooted,
  input logic        barrier,
  input logic        empty,
  input logic        none,
  input logic        combined,
  input logic        inlined,
  input logic        values,
  input logic        to_parent,
  input logic        parent_bit_q,
  input logic        mask_full_q,
  input logic        root_here_q,
  input logic        count_zero_q,
  input logic        fixed,
  input logic        no_elem_q,
  input logic [7:0]  mode_q,
  input logic [50:0] total_q,
  input logic [12:0] chunk_elems_q,
  input logic [12:0] chunk_bytes_q,
  input logic [2:0]  elem_log_q,
  input logic [31:0] quotient,
  // Most fields are of no interest here.
  // verilator lint_off UNUSEDSIGNAL
  input tally_pkg::wqe_t wqe_i,
  input tally_request_pkg::group_t group_i
  // verilator lint_on UNUSEDSIGNAL
);
  logic good;
  assign good = done_o && status_o == tally_pkg::CollOk;

  longest: cover property (@(posedge clk_i) good && collective &&
                           total_q << elem_log_q == 51'(tally_pkg::MaxMessage));
  longest_blocks: cover property (@(posedge clk_i) good && blocked &&
                                  total_q << elem_log_q > 51'h40000000);
  longest_trigger: cover property (@(posedge clk_i) good && triggered &&
                                   total_q << elem_log_q == 51'(group_i.mtu));
  chunk_of_one: cover property (@(posedge clk_i) good && divided_o && chunk_elems_q == 13'd1);
  chunk_cut: cover property (@(posedge clk_i) good && 13'(chunk_elems_q << elem_log_q) !=
                             chunk_bytes_q);
  many_chunks: cover property (@(posedge clk_i) good && divided_o && quotient > 32'd100000);
  whole_chunks: cover property (@(posedge clk_i) good && divided_o && collective &&
                                quotient != '0 &&
                                total_q[31:0] == (quotient + 32'd1) * 32'(chunk_elems_q));
  short_fixed: cover property (@(posedge clk_i) good && fixed && group_i.chunk != '0 &&
                               chunk_bytes_q == group_i.chunk);
  exchange: cover property (@(posedge clk_i) good && collective &&
                            mode_q == tally_pkg::ModeExchange);
  ring: cover property (@(posedge clk_i) good && collective && mode_q == tally_pkg::ModeRing);
  no_size_of_element: cover property (@(posedge clk_i) done_o && collective && wqe_i.mode == '0 &&
                                      no_elem_q);
  no_contributors: cover property (@(posedge clk_i) good && none);
  some_contributors: cover property (@(posedge clk_i) good && collective && !none && !mask_full_q);
  takes_no_part: cover property (@(posedge clk_i) good && empty && !barrier);
  combined_blocks: cover property (@(posedge clk_i) good && lists_o == tally_pkg::CollOk &&
                                   combined && blocked);
  root_elsewhere: cover property (@(posedge clk_i) good && rooted && !root_here_q);
  values_only: cover property (@(posedge clk_i) good && values);
  parent_with_bit: cover property (@(posedge clk_i) good && triggered && to_parent && parent_bit_q);
  parent_alone: cover property (@(posedge clk_i) good && triggered && to_parent && !parent_bit_q);
  inline_data: cover property (@(posedge clk_i) good && lists_o == tally_pkg::CollOk && inlined &&
                               !count_zero_q);
  refused_lists: cover property (@(posedge clk_i) good && lists_o == tally_pkg::CollBadInline);
  begun_early: cover property (@(posedge clk_i) start_i && !done_o);
  begun_during_division: cover property (@(posedge clk_i) start_i && done_o && !divided_o);
endmodule

bind tally_wqe_check wqe_check_cover u_cover (.*);
