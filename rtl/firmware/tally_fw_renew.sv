// SPDX-License-Identifier: BSD-2-Clause
// The command RENEW_EDGE: an edge gets its numbers (tally_fw_random), and what it knew of its
// neighbour is forgotten. This is a list of writes of its registers, as the firmware would make
// them one by one (renew_edge() of sim/engine/commands.c).
//
// axil_*: a write of `go` of struct command with this code; no other one may be offered. It is
// refused if it is one of a part of a word, or if there is no such group or edge, and if the first
// of its writes is, as it is if the edge has no row. It is answered when all have been. It is ready
// only for a write that is offered.
//
// random_*: see tally_fw_random. put_*: the writes, one at a time; put_bvalid_i is the answer of
// each, in a later clock than it was taken. Whether further ones are refused does not matter: some
// registers are kept by blocks that do not answer.
//
// Time: from the command to its answer, five clocks, and for each of the ten writes two at least.
module tally_fw_renew #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1
) (
  input  logic        clk_i,
  input  logic        rst_ni,
  output logic        busy_o,

  input  logic        axil_awvalid_i,
  output logic        axil_awready_o,
  input  logic [31:0] axil_wdata_i,
  input  logic [3:0]  axil_wstrb_i,
  output logic        axil_bvalid_o,
  input  logic        axil_bready_i,
  output logic [1:0]  axil_bresp_o,

  input  logic        random_valid_i,
  output logic        random_ready_o,
  input  logic [63:0] random_i,

  output logic        put_valid_o,
  input  logic        put_ready_i,
  output logic [31:0] put_addr_o,
  output logic [31:0] put_data_o,
  input  logic        put_bvalid_i,
  input  logic [1:0]  put_bresp_i
);
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;
  localparam logic [3:0] First = 4'd0;
  localparam logic [3:0] Last = 4'd9;

  typedef enum logic [2:0] {
    Idle = 3'd0,
    Ask = 3'd1,    // wants numbers
    Draw = 3'd2,   // waits for them
    Put = 3'd3,    // offers a write
    Wait = 3'd4,   // waits for its answer
    Answer = 3'd5
  } state_e;

  state_e state_q, state_d;
  logic [3:0] count_q;  // the next write, or the present one
  logic good, refused, ends, random_busy, ask_ready, drawn, failed_q;
  logic [7:0] edge_q;
  logic [15:0] group_q;
  logic [63:0] nonce;
  logic [31:0] key, first_seq;

  assign good = 32'(axil_wdata_i[31:16]) < Groups && 32'(axil_wdata_i[15:8]) < EdgesOf &&
                axil_wstrb_i == 4'b1111;
  assign refused = put_bresp_i != RespOkay && count_q == First;
  assign ends = refused || count_q == Last;
  always_comb begin
    unique case (state_q)
      Idle: state_d = !axil_awvalid_i ? Idle : good ? Ask : Answer;
      Ask: state_d = ask_ready ? Draw : Ask;
      Draw: state_d = drawn ? Put : Draw;
      Put: state_d = put_ready_i ? Wait : Put;
      Wait: state_d = !put_bvalid_i ? Wait : ends ? Answer : Put;
      default: state_d = axil_bready_i ? Idle : Answer;  // Answer
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Idle) begin
      {group_q, edge_q} <= axil_wdata_i[31:8];
      failed_q <= !good;
      count_q <= First;
    end else if (state_q == Wait && put_bvalid_i) begin
      failed_q <= refused;
      count_q <= count_q + 1'b1;
    end
  end

  // The numbers stay in tally_fw_random until they have been written.
  tally_fw_random u_random (
    .clk_i, .rst_ni, .busy_o(random_busy), .random_valid_i, .random_ready_o, .random_i,
    .in_valid_i(state_q == Ask), .in_ready_o(ask_ready), .out_valid_o(drawn),
    .out_ready_i(state_q == Answer), .nonce_o(nonce), .key_o(key), .first_seq_o(first_seq)
  );

  // ---- The writes ----
  logic [31:0] at, value;
  always_comb begin
    unique case (count_q)
      4'd0: {at, value} = {32'(tally_fw_pkg::EdgeOwnFirstSeqOffset), first_seq};
      4'd1: {at, value} = {32'(tally_fw_pkg::EdgeKeyOffset), key};
      4'd2: {at, value} = {32'(tally_fw_pkg::EdgeNonceOffset), nonce[31:0]};
      4'd3: {at, value} = {32'(tally_fw_pkg::EdgeNonceOffset) + 32'd4, nonce[63:32]};
      4'd4: {at, value} = {32'(tally_fw_pkg::EdgePeerNonceOffset), 32'd0};
      4'd5: {at, value} = {32'(tally_fw_pkg::EdgePeerNonceOffset) + 32'd4, 32'd0};
      4'd6: {at, value} = {32'(tally_fw_pkg::EdgeStateOffset), 32'(tally_pkg::EdgeOpening)};
      4'd7: {at, value} = {32'(tally_fw_pkg::EdgePeerKeyOffset), 32'd0};
      4'd8: {at, value} = {32'(tally_fw_pkg::EdgeUnconfirmedOffset), 32'd0};
      default: {at, value} = {32'(tally_fw_pkg::EdgeAwaitsEpochOffset), 32'd0};
    endcase
  end
  assign put_addr_o = tally_fw_pkg::GroupBase + 32'(group_q) * tally_fw_pkg::GroupStride +
                      tally_fw_pkg::EdgeOffset + 32'(edge_q) * tally_fw_pkg::EdgeStride + at;
  assign put_data_o = value;
  assign put_valid_o = state_q == Put;

  assign axil_awready_o = axil_awvalid_i && state_q == Idle;
  assign axil_bvalid_o = state_q == Answer;
  assign axil_bresp_o = failed_q ? RespSlvErr : RespOkay;
  assign busy_o = state_q != Idle;

  logic unused;  // the code of the command, and that of the numbers
  assign unused = ^{axil_wdata_i[7:0], random_busy};
endmodule
