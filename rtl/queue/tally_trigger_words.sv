// SPDX-License-Identifier: BSD-2-Clause
// Reads the words of a place of tally_rmq, one after the other, for one who may make them wait.
//
// start_*: the words of a place are wanted, as many as words_i, which may be none. rd_*, rdata_*:
// see tally_rmq; others may read there, too, so rdata_valid_i must be high for words that were
// asked for here only. out_*: the words, in order. No word is asked for without room for it, so the
// memory never waits for out_ready_i.
//
// Time: the first word comes three clocks after start_*, then one in each clock, if nobody makes it
// wait. The next start_* is taken when the last word has left.
module tally_trigger_words #(
  parameter int unsigned Places = tally_pkg::RmqCells + 256,
  parameter int unsigned Words = tally_pkg::MaxMtu / 64,
  parameter int unsigned DataW = 512,
  localparam int unsigned PlaceW = Places > 1 ? $clog2(Places) : 1,
  localparam int unsigned IndexW = Words > 2 ? $clog2(Words) : 1,
  localparam int unsigned CountW = $clog2(Words + 1)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              start_valid_i,
  output logic              start_ready_o,
  input  logic [PlaceW-1:0] place_i,
  input  logic [CountW-1:0] words_i,

  output logic              rd_valid_o,
  input  logic              rd_ready_i,
  output logic [PlaceW-1:0] rd_place_o,
  output logic [IndexW-1:0] rd_word_o,
  input  logic              rdata_valid_i,
  input  logic [DataW-1:0]  rdata_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [DataW-1:0]  out_o,
  output logic              out_last_o
);
  // Words that were asked for and have not left: two on their way, and two that wait.
  localparam int unsigned Room = 4;
  localparam int unsigned RoomW = $clog2(Room + 1);

  logic [PlaceW-1:0] place_q;
  logic [CountW-1:0] asked_q, left_q, words_q;
  logic [RoomW-1:0] inside_q, unused_used;
  logic starts, asks, leaves, unused_room;
  assign start_ready_o = left_q == '0;
  assign starts = start_valid_i && start_ready_o;
  assign rd_valid_o = asked_q != words_q && inside_q != RoomW'(Room);
  assign rd_place_o = place_q;
  assign rd_word_o = asked_q[IndexW-1:0];
  assign asks = rd_valid_o && rd_ready_i;
  assign leaves = out_valid_o && out_ready_i;
  assign out_last_o = left_q == CountW'(1);

  tally_fifo #(.Width(DataW), .Depth(Room)) u_words (
    .clk_i, .rst_ni, .in_valid_i(rdata_valid_i), .in_ready_o(unused_room), .in_i(rdata_i),
    .out_valid_o, .out_ready_i, .out_o, .used_o(unused_used)
  );
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      asked_q <= '0;
      left_q <= '0;
      words_q <= '0;
      inside_q <= '0;
    end else begin
      inside_q <= inside_q + RoomW'(asks) - RoomW'(leaves);
      if (starts) begin
        asked_q <= '0;
        left_q <= words_i;
        words_q <= words_i;
      end else begin
        if (asks) asked_q <= asked_q + 1'b1;
        if (leaves) left_q <= left_q - 1'b1;
      end
    end
  end
  always_ff @(posedge clk_i) if (starts) place_q <= place_i;
  logic unused;
  assign unused = ^{unused_room, unused_used};

`ifdef FORMAL
  `include "trigger_words_proof.svh"
`endif
endmodule
