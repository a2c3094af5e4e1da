// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_edge_send must reach.
module edge_send_cover
  import tally_edge_pkg::*;
#(
  parameter int unsigned Window = 64
) (
  input logic              clk_i,
  input logic [2:0]        state_q,
  input logic [2:0]        job_q,
  input logic [2:0]        job,
  input logic              start,
  input logic              stale,
  input logic              wants_again,
  input logic              ask_valid_i,
  input logic              reply_valid_i,
  input logic              acked_valid_o,
  input logic              acked_ready_i,
  input logic              again_valid_o,
  input logic              again_ready_i,
  input logic              expired_valid_o,
  input logic              timer_valid,
  input logic              set_ready_o,
  input logic              set_failed_o,
  input set_op_e           set_op_i,
  input logic              taken_q,
  input logic              ask_ready_o,
  input logic              ask_ok_o,
  input logic              found_q,
  input logic              fresh_q,
  input logic              is_again,
  input logic              seeks,
  input logic              still_held,
  input logic              enlists,
  input logic              again_ends,
  input logic              ok_q,
  input logic              idle_q,
  input logic [Window-1:0] set_q,
  input logic [Window-1:0] held_q,
  input logic [Window-1:0] hurry_q
);
  localparam logic [2:0] Act = 3'd4, Walk = 3'd5, Entry = 3'd6, Done = 3'd7;
  localparam logic [2:0] JobReply = 3'd1, JobAsk = 3'd2, JobExpire = 3'd3, JobAgain = 3'd4;
  logic after_stale_q;
  always_ff @(posedge clk_i) begin
    after_stale_q <= state_q == Done && job_q == JobExpire && stale;
  end
  no_row: cover property (@(posedge clk_i) set_ready_o && set_failed_o);
  reused_row: cover property (@(posedge clk_i) set_ready_o && set_op_i == SetOpen && !fresh_q &&
                              !set_failed_o);
  closed: cover property (@(posedge clk_i) set_ready_o && set_op_i == SetClose && found_q);
  stopped: cover property (@(posedge clk_i) set_ready_o && set_op_i == SetStop && found_q);
  nothing_to_stop: cover property (@(posedge clk_i) set_ready_o && set_op_i == SetStop && !found_q);
  row_taken: cover property (@(posedge clk_i) set_ready_o && set_op_i == SetRow && taken_q);
  row_kept: cover property (@(posedge clk_i) set_ready_o && set_op_i == SetRow && found_q &&
                            !taken_q);
  nothing_to_close: cover property (@(posedge clk_i) set_ready_o && set_op_i == SetClose &&
                                    !found_q);
  refused: cover property (@(posedge clk_i) ask_ready_o && !ask_ok_o && found_q);
  of_no_edge: cover property (@(posedge clk_i) ask_ready_o && !found_q);
  first_number: cover property (@(posedge clk_i) state_q == Act && job_q == JobAsk && ok_q &&
                                idle_q);
  acknowledged_meanwhile: cover property (@(posedge clk_i) state_q == Act && is_again &&
                                          !still_held);
  seeks_again: cover property (@(posedge clk_i) state_q == Act && is_again && seeks && still_held);
  other_tags: cover property (@(posedge clk_i) state_q == Walk && seeks && set_q == '0 && ok_q);
  all_acknowledged: cover property (@(posedge clk_i) state_q == Act && job_q == JobReply && ok_q &&
                                    held_q == '0);
  overtaken: cover property (@(posedge clk_i) state_q == Act && job_q == JobReply && hurry_q != '0);
  overtaken_only: cover property (@(posedge clk_i) state_q == Act && job_q == JobReply && !ok_q &&
                                  hurry_q != '0);
  acked_waits: cover property (@(posedge clk_i) acked_valid_o && !acked_ready_i);
  again_waits: cover property (@(posedge clk_i) again_valid_o && !again_ready_i);
  stale_expiry: cover property (@(posedge clk_i) start && job == JobExpire && stale);
  after_a_stale_expiry: cover property (@(posedge clk_i) after_stale_q && timer_valid);
  expiry_waits: cover property (@(posedge clk_i) timer_valid && expired_valid_o);
  nothing_left: cover property (@(posedge clk_i) again_ends && set_q == '0);
  more_left: cover property (@(posedge clk_i) again_ends && enlists);
  in_turn: cover property (@(posedge clk_i) start && job == JobAgain && ask_valid_i);
  replies_first: cover property (@(posedge clk_i) start && job == JobReply && ask_valid_i &&
                                 wants_again);
  reply_as_sent_again: cover property (@(posedge clk_i) state_q == Entry && job_q == JobAgain &&
                                       reply_valid_i);
endmodule

bind tally_edge_send edge_send_cover #(.Window(Window)) u_cover (.*);
