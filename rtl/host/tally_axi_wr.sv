// SPDX-License-Identifier: BSD-2-Clause
// Writes to memory through an AXI4 master.
//
// A request is an address of any alignment, a length in bytes (at least 1, without overflow of the
// address), and a tag. Its data come as a stream of their own, request after request: the first
// word begins with the first byte, only the last word of a request may be partial, and each request
// begins with a new word. The block shifts the data to the lanes of their addresses, and strobes
// exactly the bytes of the request. It splits the request into bursts (tally_axi_split).
//
// A request with req_more_i is continued by the next one, which begins a page elsewhere, as this
// one ends at the end of one: at multiples of Bytes. Their data are one stream, and done_* reports
// the tag of the last one.
//
// All bursts have the same ID, so that the memory carries them out and answers them in order. When
// the last burst of a request is answered, done_* reports its tag, and whether any of its bursts
// failed. Requests end in their order.
//
// busy_o is low if nothing happens without an input: what is inside waits for data, or for answers
// of the memory.
//
// Time: the address is offered 1 clock after the request, and the first word of data 1 clock after
// the address was taken, if it is there by then. One word per clock follows; a request whose bytes
// touch one word more than they fill takes a clock more. The data of a burst never wait for
// anything but the stream, so whoever gives a request must have its data. Up to Outstanding bursts
// may be unanswered. req_ready_o and in_ready_o depend on awready_i, and bready_o on done_ready_i,
// of the same cycle.
module tally_axi_wr #(
  parameter int unsigned AddrW = 64,
  parameter int unsigned LenW = 13,
  parameter int unsigned TagW = 8,
  parameter int unsigned Outstanding = 32,
  parameter int unsigned Bytes = 64,
  parameter int unsigned Boundary = 4096
) (
  input  logic               clk_i,
  input  logic               rst_ni,
  output logic               busy_o,

  input  logic               req_valid_i,
  output logic               req_ready_o,
  input  logic [AddrW-1:0]   req_addr_i,
  input  logic [LenW-1:0]    req_len_i,
  input  logic [TagW-1:0]    req_tag_i,
  input  logic               req_more_i,

  input  logic               in_valid_i,
  output logic               in_ready_o,
  input  logic [8*Bytes-1:0] in_data_i,

  output logic               awvalid_o,
  input  logic               awready_i,
  output logic [AddrW-1:0]   awaddr_o,
  output logic [7:0]         awlen_o,
  output logic [2:0]         awsize_o,
  output logic [1:0]         awburst_o,
  output logic               wvalid_o,
  input  logic               wready_i,
  output logic [8*Bytes-1:0] wdata_o,
  output logic [Bytes-1:0]   wstrb_o,
  output logic               wlast_o,
  input  logic               bvalid_i,
  output logic               bready_o,
  input  logic [1:0]         bresp_i,

  output logic               done_valid_o,
  input  logic               done_ready_i,
  output logic [TagW-1:0]    done_tag_o,
  output logic               done_error_o
);
  localparam int unsigned LaneW = $clog2(Bytes);
  localparam int unsigned BeatW = $clog2(Boundary / Bytes);
  localparam int unsigned DataW = 8 * Bytes;
  localparam int unsigned Ahead = 4;          // bursts whose address is taken before their data
  localparam int unsigned PassW = TagW + LaneW + LaneW + 1;

  // ---- Bursts ----
  // The first and the last lane of a request, and whether its last word on the bus takes no further
  // word of the stream.
  logic [LaneW-1:0] req_last_lane, lane, last_lane, req_last_byte;
  logic req_extra, extra;
  logic [TagW-1:0] tag;
  logic [BeatW-1:0] beats;
  logic burst_valid, split_last, burst_last, burst, more;
  logic cmd_room, order_room;

  // The first lane and the bytes of the last word are those of all requests that are continued.
  logic continues_q;
  logic [LaneW-1:0] lane_q, bytes_q, req_lane, req_bytes;

  assign req_lane = continues_q ? lane_q : req_addr_i[LaneW-1:0];
  assign req_bytes = req_len_i[LaneW-1:0] + (continues_q ? bytes_q : '0);
  assign req_last_byte = req_bytes - 1'b1;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) continues_q <= 1'b0;
    else if (req_valid_i && req_ready_o) continues_q <= req_more_i;
  end
  always_ff @(posedge clk_i) begin
    if (req_valid_i && req_ready_o) begin
      lane_q <= req_lane;
      bytes_q <= req_bytes;
    end
  end
  assign {req_extra, req_last_lane} = (LaneW + 1)'(req_lane) + (LaneW + 1)'(req_last_byte);

  // Who asks must not wait for the bus, which others ask in the same clock.
  logic ask_valid, ask_ready, unused_kept;
  logic [AddrW-1:0] ask_addr;
  logic [LenW-1:0] ask_len;
  logic [PassW:0] ask_pass;
  tally_keep #(.Width(AddrW + LenW + PassW + 1)) u_keep (
    .clk_i, .rst_ni, .kept_o(unused_kept), .in_valid_i(req_valid_i), .in_ready_o(req_ready_o),
    .in_i({req_addr_i, req_len_i, req_more_i, req_tag_i, req_lane, req_last_lane, req_extra}),
    .out_valid_o(ask_valid), .out_ready_i(ask_ready), .out_o({ask_addr, ask_len, ask_pass})
  );
  tally_axi_split #(
    .AddrW(AddrW), .LenW(LenW), .TagW(PassW + 1), .Bytes(Bytes), .Boundary(Boundary)
  ) u_split (
    .clk_i, .rst_ni,
    .in_valid_i(ask_valid), .in_ready_o(ask_ready), .in_addr_i(ask_addr), .in_len_i(ask_len),
    .in_tag_i(ask_pass),
    .out_valid_o(burst_valid), .out_ready_i(burst), .out_addr_o(awaddr_o), .out_beats_o(beats),
    .out_last_o(split_last), .out_tag_o({more, tag, lane, last_lane, extra})
  );
  assign burst_last = split_last && !more;

  assign awvalid_o = burst_valid && cmd_room && order_room;
  assign burst = awvalid_o && awready_i;
  assign awlen_o = 8'(beats);
  assign awsize_o = 3'(LaneW);
  assign awburst_o = 2'b01;

  // ---- Data: which word is next ----
  logic cmd_kept, cmd_valid, cmd_pop, cmd_last, cmd_extra, at_end, final_word, needs, step, a_ready;
  logic [BeatW-1:0] cmd_beats, at_q;
  logic [LaneW-1:0] cmd_lane, cmd_last_lane;
  logic first_q;                              // the next word is the first one of its request
  logic [$clog2(Ahead+1)-1:0] cmd_used;

  // The first word of a burst may be taken with its address.
  localparam int unsigned CmdW = BeatW + 2 + 2 * LaneW;
  logic [CmdW-1:0] cmd_new, cmd_old;
  logic [BeatW-1:0] old_beats;
  logic old_last, old_extra;
  assign cmd_new = {beats, burst_last, extra, lane, last_lane};
  tally_fifo #(.Width(CmdW), .Depth(Ahead)) u_cmd (
    .clk_i, .rst_ni,
    .in_valid_i(burst && (cmd_kept || !cmd_pop)), .in_ready_o(cmd_room), .in_i(cmd_new),
    .out_valid_o(cmd_kept), .out_ready_i(cmd_pop), .out_o(cmd_old), .used_o(cmd_used)
  );
  assign cmd_valid = cmd_kept || burst;
  assign {cmd_beats, cmd_last, cmd_extra, cmd_lane, cmd_last_lane} = cmd_kept ? cmd_old : cmd_new;
  assign {old_beats, old_last, old_extra} = cmd_old[CmdW-1-:BeatW+2];

  assign at_end = at_q == cmd_beats;
  assign final_word = at_end && cmd_last;
  assign needs = !(final_word && cmd_extra);
  assign step = cmd_valid && (in_valid_i || !needs) && a_ready;
  assign in_ready_o = cmd_valid && needs && a_ready;
  assign cmd_pop = step && at_end;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q <= '0;
      first_q <= 1'b1;
    end else if (step) begin
      at_q <= at_end ? '0 : at_q + 1'b1;
      first_q <= final_word;
    end
  end

  // ---- Data: byte k of a word goes to lane k + cmd_lane, beyond the end to the next word ----
  logic [DataW-1:0] turned;
  always_comb begin
    turned = in_data_i;
    for (int unsigned i = 0; i < LaneW; i++) begin
      if (cmd_lane[i]) turned = (turned << (8 << i)) | (turned >> (DataW - (8 << i)));
    end
  end

  logic a_valid_q, a_first_q, a_final_q, a_end_q, w_kept_q;
  logic [LaneW-1:0] a_lane_q, a_last_lane_q;
  logic [DataW-1:0] a_data_q, held_q, data;
  logic [Bytes-1:0] strb, below, beyond;      // lanes before the first one, after the last one

  assign a_ready = !a_valid_q || !w_kept_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) a_valid_q <= 1'b0;
    else if (a_ready) a_valid_q <= step;
  end
  always_ff @(posedge clk_i) begin
    if (step) begin
      a_data_q <= turned;
      held_q <= a_data_q;                     // of the word before, which is leaving or has left
      a_lane_q <= cmd_lane;
      a_last_lane_q <= cmd_last_lane;
      a_first_q <= first_q;
      a_final_q <= final_word;
      a_end_q <= at_end;
    end
  end

  assign below = ~({Bytes{1'b1}} << a_lane_q);
  assign beyond = {{(Bytes - 1){1'b1}}, 1'b0} << a_last_lane_q;
  assign strb = ~(a_first_q ? below : '0) & ~(a_final_q ? beyond : '0);
  for (genvar k = 0; k < Bytes; k++) begin : gen_lane
    assign data[8*k +: 8] = below[k] ? held_q[8*k +: 8] : a_data_q[8*k +: 8];
  end

  // A word that is not taken at once is kept, so no ready depends on wready_i.
  logic [9*Bytes:0] word, w_q;
  assign word = {a_end_q, strb, data};
  assign wvalid_o = w_kept_q || a_valid_q;
  assign {wlast_o, wstrb_o, wdata_o} = w_kept_q ? w_q : word;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) w_kept_q <= 1'b0;
    else w_kept_q <= wvalid_o && !wready_i;
  end
  always_ff @(posedge clk_i) if (!w_kept_q) w_q <= word;

  // ---- Answers ----
  logic order_valid, order_last, answer, bad, error_q;
  logic [$clog2(Outstanding+1)-1:0] order_used;

  tally_fifo #(.Width(TagW + 1), .Depth(Outstanding)) u_order (
    .clk_i, .rst_ni, .in_valid_i(burst), .in_ready_o(order_room), .in_i({tag, burst_last}),
    .out_valid_o(order_valid), .out_ready_i(answer), .out_o({done_tag_o, order_last}),
    .used_o(order_used)
  );

  assign bready_o = !order_last || done_ready_i;
  assign answer = bvalid_i && bready_o;
  assign bad = bresp_i != 2'b00;
  assign done_valid_o = bvalid_i && order_valid && order_last;
  assign done_error_o = bad || error_q;

  // A burst of the request that is being answered has failed.
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) error_q <= 1'b0;
    else if (answer && order_valid) error_q <= !order_last && (error_q || bad);
  end

  // A request is kept only behind a burst. The last word of one needs no data if it has only bytes
  // of the word before.
  assign busy_o = awvalid_o || (cmd_kept && at_q == old_beats && old_last && old_extra) || wvalid_o;

  logic unused;
  assign unused = ^{unused_kept, cmd_used, order_used};

`ifdef FORMAL
  `include "axi_wr_proof.svh"
`endif
endmodule
