// SPDX-License-Identifier: BSD-2-Clause
// Several walkers (tally_mr_walk), so that as many accesses wait for their page lists at once. They
// take turns for requests and for answers, so answers leave in the order of the requests.
//
// in_* and out_* are those of tally_mr_walk. rd_* reads an entry of a list, 8 bytes at a multiple
// of 8, and rsp_* is its answer, in any order, with the tag of the read; it is taken at once. Each
// walker has one read at a time. idle_o tells that nothing is inside.
//
// Time: a request is taken in each clock in which the walker whose turn it is is free. Answers
// leave from a register. One that needs no list, because nothing is to be found or all is within
// the page at in_start_i, gets there in 1 clock if no walker has anything; others take a clock more
// than their walker. in_ready_o depends on registers only, out_* are registers.
module tally_mr_walks #(
  parameter int unsigned Walks = 8,           // at least 2
  parameter int unsigned AddrW = 64,
  parameter int unsigned LenW = 32,
  parameter int unsigned TagW = 8,
  parameter int unsigned Pieces = 3,
  parameter int unsigned TableW = 9,
  localparam int unsigned PageW = TableW + 3,
  localparam int unsigned FrameW = AddrW - PageW,
  localparam int unsigned LevelW = $clog2(tally_pkg::MemLevels + 1),
  localparam int unsigned ShiftW = $clog2(tally_pkg::MaxPageShift - tally_pkg::MinPageShift + 1),
  localparam int unsigned WalkW = $clog2(Walks)
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic              in_valid_i,
  output logic              in_ready_o,
  input  logic [15:0]       in_status_i,
  input  logic              in_walk_i,
  input  logic [AddrW-1:0]  in_start_i,
  input  logic [LenW-1:0]   in_len_i,
  input  logic [FrameW-1:0] in_root_i,
  input  logic [LevelW-1:0] in_levels_i,
  input  logic [ShiftW-1:0] in_shift_i,
  input  logic [TagW-1:0]   in_tag_i,

  output logic              rd_valid_o,
  input  logic              rd_ready_i,
  output logic [AddrW-1:0]  rd_addr_o,
  output logic [WalkW-1:0]  rd_tag_o,
  input  logic              rsp_valid_i,
  input  logic [AddrW-1:0]  rsp_data_i,
  input  logic [WalkW-1:0]  rsp_tag_i,
  input  logic              rsp_error_i,

  output logic              out_valid_o,
  input  logic              out_ready_i,
  output logic [15:0]       out_status_o,
  output logic [AddrW-1:0]  out_addr_o,
  output logic [PageW:0]    out_len_o,
  output logic              out_last_o,
  output logic [TagW-1:0]   out_tag_o,

  output logic              idle_o
);
  localparam logic [WalkW-1:0] LastWalk = WalkW'(Walks - 1);

  logic [WalkW-1:0] in_turn_q, out_turn_q;
  logic [Walks-1:0] in_ready, rd_valid, rd_ready, out_valid, out_last;
  logic [Walks-1:0][AddrW-1:0] rd_addr, out_addr;
  logic [Walks-1:0][15:0] out_status;
  logic [Walks-1:0][PageW:0] out_len;
  logic [Walks-1:0][TagW-1:0] out_tag;
  logic enters, leaves;

  // ---- The answer that leaves ----
  localparam int unsigned AnswerW = 16 + AddrW + PageW + 2 + TagW;
  logic valid_q, free, direct, empty, fits, walked;
  logic [AnswerW-1:0] answer_q;

  assign fits = in_len_i <= LenW'(2**PageW) - LenW'(in_start_i[PageW-1:0]);
  assign empty = in_ready == {Walks{1'b1}};
  assign free = !valid_q || out_ready_i;
  assign direct = in_valid_i && empty && free && (!in_walk_i || (in_levels_i == '0 && fits));
  assign walked = free && out_valid[out_turn_q];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) valid_q <= 1'b0;
    else valid_q <= !free || walked || direct;
  end
  always_ff @(posedge clk_i) begin
    if (free) begin
      answer_q <= empty ? {in_status_i, in_start_i, in_walk_i ? in_len_i[PageW:0] : '0, 1'b1,
                           in_tag_i} :
                  {out_status[out_turn_q], out_addr[out_turn_q], out_len[out_turn_q],
                   out_last[out_turn_q], out_tag[out_turn_q]};
    end
  end
  assign out_valid_o = valid_q;
  assign {out_status_o, out_addr_o, out_len_o, out_last_o, out_tag_o} = answer_q;
  assign idle_o = empty && !valid_q;

  // ---- Turns ----
  assign in_ready_o = in_ready[in_turn_q];
  assign enters = in_valid_i && in_ready_o && !direct;
  assign leaves = walked && out_last[out_turn_q];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      in_turn_q <= '0;
      out_turn_q <= '0;
    end else begin
      if (enters) in_turn_q <= in_turn_q == LastWalk ? '0 : in_turn_q + 1'b1;
      if (leaves) out_turn_q <= out_turn_q == LastWalk ? '0 : out_turn_q + 1'b1;
    end
  end

  for (genvar w = 0; w < Walks; w++) begin : gen_walk
    tally_mr_walk #(
      .AddrW(AddrW), .LenW(LenW), .TagW(TagW), .Pieces(Pieces), .TableW(TableW)
    ) u_walk (
      .clk_i, .rst_ni,
      .in_valid_i(in_valid_i && !direct && in_turn_q == WalkW'(w)), .in_ready_o(in_ready[w]),
      .in_status_i, .in_walk_i, .in_start_i, .in_len_i, .in_root_i, .in_levels_i, .in_shift_i,
      .in_tag_i,
      .rd_valid_o(rd_valid[w]), .rd_ready_i(rd_ready[w]), .rd_addr_o(rd_addr[w]),
      .rsp_valid_i(rsp_valid_i && rsp_tag_i == WalkW'(w)), .rsp_data_i, .rsp_error_i,
      .out_valid_o(out_valid[w]), .out_ready_i(free && out_turn_q == WalkW'(w)),
      .out_status_o(out_status[w]), .out_addr_o(out_addr[w]), .out_len_o(out_len[w]),
      .out_last_o(out_last[w]), .out_tag_o(out_tag[w])
    );
  end

  tally_rr_arbiter #(.Num(Walks)) u_reads (
    .clk_i, .rst_ni, .request_valid_i(rd_valid), .request_ready_o(rd_ready),
    .grant_valid_o(rd_valid_o), .grant_ready_i(rd_ready_i), .grant_o(rd_tag_o)
  );
  assign rd_addr_o = rd_addr[rd_tag_o];

`ifdef FORMAL
  `include "mr_walks_proof.svh"
`endif
endmodule
