// SPDX-License-Identifier: BSD-2-Clause
// Two users of the accesses of tally_regions. They take turns, and the words of their writes follow
// in the order in which their accesses were taken.
//
// acc_*_i, dat_*_i: of each user, an access with its length, and the words of its writes, which
// come after their access only, and wait for nothing but earlier ones of the user. acc_*_o,
// dat_*_o: what tally_regions gets, with the number of the user. A user that has offered an access
// must keep offering it.
//
// acc_valid_o depends on acc_valid_i and acc_write_i, each ready output on that of tally_regions.
// Nothing happens in the block without an input.
module tally_access_users #(
  parameter int unsigned AccessW = 120,  // bits of an access that pass
  parameter int unsigned WordBytes = 64,
  parameter int unsigned Width = 8 * WordBytes,  // bits of a word that pass
  parameter int unsigned Depth = 16,     // writes whose words are to come
  localparam int unsigned Users = 2,
  localparam int unsigned LenW = tally_pkg::MinPageShift + 1
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,

  input  logic [Users-1:0]                   acc_valid_i,
  output logic [Users-1:0]                   acc_ready_o,
  input  logic [Users-1:0][AccessW-1:0]      acc_i,
  input  logic [Users-1:0][LenW-1:0]         acc_len_i,
  input  logic [Users-1:0]                   acc_write_i,
  input  logic [Users-1:0]                   dat_valid_i,
  output logic [Users-1:0]                   dat_ready_o,
  input  logic [Users-1:0][Width-1:0]        dat_i,

  output logic                               acc_valid_o,
  input  logic                               acc_ready_i,
  output logic                               acc_user_o,
  output logic [AccessW-1:0]                 acc_o,
  output logic [LenW-1:0]                    acc_len_o,
  output logic                               acc_write_o,
  output logic                               dat_valid_o,
  input  logic                               dat_ready_i,
  output logic [Width-1:0]                   dat_o
);
  localparam int unsigned LaneW = $clog2(WordBytes);
  localparam int unsigned WordsW = LenW - LaneW + 1;

  // ---- Whose access is next ----
  //
  // The one that was not served last; an access that is offered stays.
  logic may, user, takes, last_q, waits_q, offered_q, has_room;
  always_comb begin
    user = acc_valid_i[1] && !(acc_valid_i[0] && last_q);
    if (waits_q) user = offered_q;
  end
  assign may = !acc_write_i[user] || has_room;
  assign acc_valid_o = acc_valid_i != '0 && may;
  assign acc_ready_o[0] = takes && !user;
  assign acc_ready_o[1] = takes && user;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      last_q <= 1'b0;
      waits_q <= 1'b0;
    end else begin
      waits_q <= acc_valid_o && !acc_ready_i;
      if (takes) last_q <= user;
    end
  end
  always_ff @(posedge clk_i) offered_q <= user;
  assign acc_user_o = user;
  assign acc_o = acc_i[user];
  assign acc_len_o = acc_len_i[user];
  assign acc_write_o = acc_write_i[user];
  assign takes = acc_valid_o && acc_ready_i;

  // ---- Whose words are next ----
  logic adds, order_valid, order_pops, order_user, moves;
  logic [LenW:0] rounded;
  logic [WordsW-1:0] words, order_words, word_q;

  assign rounded = (LenW + 1)'(acc_len_o) + (LenW + 1)'(WordBytes - 1);
  assign words = WordsW'(rounded >> LaneW);
  assign adds = takes && acc_write_o && words != '0;
  // verilator lint_off PINCONNECTEMPTY
  tally_fifo #(.Width(1 + WordsW), .Depth(Depth)) u_order (
    .clk_i, .rst_ni, .in_valid_i(adds), .in_ready_o(has_room), .in_i({user, words}),
    .out_valid_o(order_valid), .out_ready_i(order_pops), .out_o({order_user, order_words}),
    .used_o()
  );
  // verilator lint_on PINCONNECTEMPTY
  assign dat_valid_o = order_valid && dat_valid_i[order_user];
  assign dat_o = dat_i[order_user];
  always_comb begin
    dat_ready_o = '0;
    dat_ready_o[order_user] = order_valid && dat_ready_i;
  end
  assign moves = dat_valid_o && dat_ready_i;
  assign order_pops = moves && word_q + 1'b1 == order_words;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) word_q <= '0;
    else if (moves) word_q <= order_pops ? '0 : word_q + 1'b1;
  end

  logic unused;
  assign unused = ^rounded;

`ifdef FORMAL
  `include "access_users_proof.svh"
`endif
endmodule
