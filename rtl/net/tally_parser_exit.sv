// SPDX-License-Identifier: BSD-2-Clause
// Outputs of tally_parser. Payloads and records wait here until they are taken. No word enters the
// parser before there is room for its results.
//
// word_* takes payload, in order, one word per clock. word_bytes_i is the number of bytes of a
// packet's last word; 0 means all. end_i comes once for each frame, with its last word or later. It
// presents the frame's record, and keep_i says whether the frame's words are kept or discarded.
// room_o depends on a register only, and permits a word to enter the parser. Each word that enters
// may cause at most one word and one end here. At most UnderWay - 2 words may be in the parser.
//
// A record leaves one cycle after it entered. The first word of a payload leaves two cycles after
// its end. Both may have to wait for earlier ones.
module tally_parser_exit #(
  parameter int unsigned Width = 512,
  parameter int unsigned RecordW = 8,
  parameter int unsigned Words = 256,    // words of payload that may wait, a power of two
  parameter int unsigned Records = 48,   // records that may wait
  parameter int unsigned UnderWay = 24,  // must be less than Words and Records
  localparam int unsigned Bytes = Width / 8,
  localparam int unsigned CountW = $clog2(Bytes)
) (
  input  logic               clk_i,
  input  logic               rst_ni,

  output logic               room_o,
  input  logic               word_valid_i,
  input  logic               word_last_i,
  input  logic [CountW-1:0]  word_bytes_i,
  input  logic [Width-1:0]   word_data_i,
  input  logic               end_i,
  input  logic               keep_i,
  input  logic [RecordW-1:0] record_i,

  output logic               hdr_valid_o,
  input  logic               hdr_ready_i,
  output logic [RecordW-1:0] hdr_o,

  output logic               out_tvalid_o,
  input  logic               out_tready_i,
  output logic [Width-1:0]   out_tdata_o,
  output logic [Bytes-1:0]   out_tkeep_o,
  output logic               out_tlast_o
);
  localparam int unsigned FreeW = $clog2(Words + 1);
  localparam int unsigned UsedW = $clog2(Records + 1);
  logic [FreeW-1:0] free;
  logic [UsedW-1:0] used;
  logic [CountW-1:0] out_bytes;
  logic room_q, records_ready, unused_ready;

  tally_packet_fifo #(
    .Width(1 + CountW + Width),
    .Depth(Words)
  ) u_payload (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(word_valid_i),
    .in_i({word_last_i, word_bytes_i, word_data_i}),
    .end_i(end_i),
    .keep_i(keep_i),
    .room_o(free),
    .out_valid_o(out_tvalid_o),
    .out_ready_i(out_tready_i),
    .out_o({out_tlast_o, out_bytes, out_tdata_o})
  );

  tally_fifo #(
    .Width(RecordW),
    .Depth(Records)
  ) u_records (
    .clk_i(clk_i),
    .rst_ni(rst_ni),
    .in_valid_i(end_i),
    .in_ready_o(records_ready),
    .in_i(record_i),
    .out_valid_o(hdr_valid_o),
    .out_ready_i(hdr_ready_i),
    .out_o(hdr_o),
    .used_o(used)
  );

  assign unused_ready = records_ready;  // room_q guarantees space
  assign out_tkeep_o = out_bytes == '0 ? {Bytes{1'b1}} : ~({Bytes{1'b1}} << out_bytes);
  assign room_o = room_q;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) room_q <= 1'b0;
    else room_q <= free >= FreeW'(UnderWay) && used <= UsedW'(Records - UnderWay);
  end

`ifdef FORMAL
  `include "parser_exit_proof.svh"
`endif
endmodule
