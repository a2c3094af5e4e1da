// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_push must reach.
module push_cover (
  input logic        clk_i,
  input logic        beat,
  input logic        in_burst_q,
  input logic        wrong,
  input logic        in_uar,
  input logic        in_push,
  input logic        wvalid_i,
  input logic        b_room,
  input logic        db_room,
  input logic        cfg_valid_i,
  input logic        again_q,
  input logic        line_q,
  input logic        slot_q,
  input logic        is_bound,
  input logic        is_cq,
  input logic        emits,
  input logic        pushed,
  input logic        whole,
  input logic        same,
  input logic        stores,
  input logic        drops,
  input logic        gives_back,
  input logic        db_due,
  input logic        complete,
  input logic        is_push,
  input logic        read_ends,
  input logic        free_valid_i,
  input logic        takes_buffer,
  input logic        word_valid_o,
  input logic        word_ready_i,
  input logic        word_last_o,
  input logic [63:0] strb_q,
  input logic [5:0]  index_q
);
  burst: cover property (@(posedge clk_i) beat && in_burst_q);
  wrong_burst: cover property (@(posedge clk_i) beat && wrong);
  nobodys_address: cover property (@(posedge clk_i) beat && !wrong && !in_uar && !in_push);
  answers_wait: cover property (@(posedge clk_i) wvalid_i && !b_room);
  doorbells_wait: cover property (@(posedge clk_i) wvalid_i && !db_room);
  command_waits: cover property (@(posedge clk_i) cfg_valid_i && db_due);
  bound_again: cover property (@(posedge clk_i) cfg_valid_i && gives_back);
  same_half: cover property (@(posedge clk_i) again_q && line_q && same && stores);
  doorbell_behind_line: cover property (@(posedge clk_i) again_q && slot_q && pushed);
  new_count: cover property (@(posedge clk_i) stores && !takes_buffer && !same);
  part_of_line: cover property (@(posedge clk_i) line_q && !whole && strb_q != '1);
  wrong_half: cover property (@(posedge clk_i) line_q && !whole && strb_q == '1);
  last_line: cover property (@(posedge clk_i) stores && index_q == '1);
  no_buffer: cover property (@(posedge clk_i) drops);
  torn_count: cover property (@(posedge clk_i) slot_q && is_bound && !is_cq && !emits);
  unbound: cover property (@(posedge clk_i) slot_q && !is_bound);
  too_long: cover property (@(posedge clk_i) emits && is_push && complete && !pushed);
  freed_twice_at_once: cover property (@(posedge clk_i) read_ends && free_valid_i);
  word_waits: cover property (@(posedge clk_i) word_valid_o && !word_ready_i);
  last_word: cover property (@(posedge clk_i) word_valid_o && word_ready_i && word_last_o);
endmodule

bind tally_push push_cover u_cover (.*);
