// SPDX-License-Identifier: BSD-2-Clause
// Reads from memory through an AXI4 master.
//
// A request is an address of any alignment, a length in bytes (at least 1, without overflow of the
// address), and a tag. Its data leave as words that begin with the first byte of the request: all
// are full but the last one, whose out_keep_o tells its bytes. out_error_o is valid with the last
// word, and tells that a word of the request was answered with an error; then none of its data may
// be used. Requests leave in their order.
//
// A request with req_more_i is continued by the next one, which begins a page elsewhere, as
// this one ends at the end of one: at multiples of Bytes. Their data leave as those of one request.
// They have one tag.
//
// The request is split into bursts (tally_axi_split). Each has an ID of its own while it is
// outstanding, so that the memory may answer up to Slots bursts in any order, and mix their words.
// The words wait in a memory of Slots times Boundary bytes. A burst is begun only if there is a
// slot for it, so rready_o is always 1. The words of a burst are counted, so rlast has no port.
//
// busy_o is low if nothing happens without an input: what is inside waits for words from memory.
//
// Time: the address is offered 1 clock after the request. The first word leaves 5 clocks after the
// data came from memory that fill it, and one word per clock follows; a request whose bytes touch
// one word more than they fill takes a clock more. req_ready_o is a register.
module tally_axi_rd #(
  parameter int unsigned AddrW = 64,
  parameter int unsigned LenW = 13,
  parameter int unsigned TagW = 8,
  parameter int unsigned Slots = 16,          // a power of two, at least 2
  parameter int unsigned Bytes = 64,
  parameter int unsigned Boundary = 4096,
  localparam int unsigned SlotW = $clog2(Slots)
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

  output logic               arvalid_o,
  input  logic               arready_i,
  output logic [SlotW-1:0]   arid_o,
  output logic [AddrW-1:0]   araddr_o,
  output logic [7:0]         arlen_o,
  output logic [2:0]         arsize_o,
  output logic [1:0]         arburst_o,
  input  logic               rvalid_i,
  output logic               rready_o,
  input  logic [SlotW-1:0]   rid_i,
  input  logic [8*Bytes-1:0] rdata_i,
  input  logic [1:0]         rresp_i,

  output logic               out_valid_o,
  input  logic               out_ready_i,
  output logic [8*Bytes-1:0] out_data_o,
  output logic [Bytes-1:0]   out_keep_o,
  output logic               out_last_o,
  output logic [TagW-1:0]    out_tag_o,
  output logic               out_error_o
);
  localparam int unsigned LaneW = $clog2(Bytes);
  localparam int unsigned BeatW = $clog2(Boundary / Bytes);
  localparam int unsigned DataW = 8 * Bytes;
  localparam int unsigned PassW = TagW + 2 * LaneW;
  localparam int unsigned InfoW = PassW + BeatW + 1;

  // ---- Bursts: each takes the next slot ----
  logic [PassW-1:0] pass;
  logic [BeatW-1:0] beats;
  logic burst_valid, burst_last, burst, more;
  logic [SlotW-1:0] tail_q, head_q;
  logic [SlotW:0] used_q;
  logic slot_ends;

  // The first lane and the bytes of the last word are those of all requests that are continued.
  logic continues_q;
  logic [LaneW-1:0] lane_q, bytes_q, req_lane, req_bytes, req_last_byte;

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

  // Who asks must not wait for the bus, which others ask in the same clock.
  logic ask_valid, ask_ready, unused_kept;
  logic [AddrW-1:0] ask_addr;
  logic [LenW-1:0] ask_len;
  logic [PassW:0] ask_pass;
  tally_keep #(.Width(AddrW + LenW + PassW + 1)) u_keep (
    .clk_i, .rst_ni, .kept_o(unused_kept), .in_valid_i(req_valid_i), .in_ready_o(req_ready_o),
    .in_i({req_addr_i, req_len_i, req_more_i, req_tag_i, req_lane, req_last_byte}),
    .out_valid_o(ask_valid), .out_ready_i(ask_ready), .out_o({ask_addr, ask_len, ask_pass})
  );
  tally_axi_split #(
    .AddrW(AddrW), .LenW(LenW), .TagW(PassW + 1), .Bytes(Bytes), .Boundary(Boundary)
  ) u_split (
    .clk_i, .rst_ni,
    .in_valid_i(ask_valid), .in_ready_o(ask_ready), .in_addr_i(ask_addr), .in_len_i(ask_len),
    .in_tag_i(ask_pass),
    .out_valid_o(burst_valid), .out_ready_i(burst), .out_addr_o(araddr_o), .out_beats_o(beats),
    .out_last_o(burst_last), .out_tag_o({more, pass})
  );

  assign arvalid_o = burst_valid && !used_q[SlotW];
  assign burst = arvalid_o && arready_i;
  assign arid_o = tail_q;
  assign arlen_o = 8'(beats);
  assign arsize_o = 3'(LaneW);
  assign arburst_o = 2'b01;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      tail_q <= '0;
      head_q <= '0;
      used_q <= '0;
    end else begin
      if (burst) tail_q <= tail_q + 1'b1;
      if (slot_ends) head_q <= head_q + 1'b1;
      used_q <= used_q + (SlotW + 1)'(burst) - (SlotW + 1)'(slot_ends);
    end
  end

  logic [InfoW-1:0] info_mem_q [Slots];
  always_ff @(posedge clk_i) begin
    if (burst) info_mem_q[tail_q] <= {pass, beats, burst_last && !more};
  end

  // ---- Words from memory ----
  logic [DataW-1:0] word_mem_q [Slots * 2**BeatW];
  logic [Slots-1:0][BeatW:0] got_q;           // words of the slot that have come
  logic [Slots-1:0] bad_q;                    // one of them was an error

  assign rready_o = 1'b1;
  always_ff @(posedge clk_i) begin
    if (rvalid_i) word_mem_q[{rid_i, got_q[rid_i][BeatW-1:0]}] <= rdata_i;
  end
  for (genvar s = 0; s < Slots; s++) begin : gen_slot
    logic mine;
    assign mine = rvalid_i && rid_i == SlotW'(s);
    always_ff @(posedge clk_i) begin
      if (burst && tail_q == SlotW'(s)) begin
        got_q[s] <= '0;
        bad_q[s] <= 1'b0;
      end else if (mine) begin
        got_q[s] <= got_q[s] + 1'b1;
        bad_q[s] <= bad_q[s] || rresp_i != 2'b00;
      end
    end
  end

  // ---- The next word of the oldest slot ----
  logic [BeatW-1:0] at_q, head_beats;
  logic [PassW-1:0] head_pass;
  logic head_last, there, fetch, r_ready, error_q;
  logic r_valid_q, r_final_q, r_error_q;
  logic [PassW-1:0] r_pass_q;
  logic [DataW-1:0] r_data_q;

  assign {head_pass, head_beats, head_last} = info_mem_q[head_q];
  assign there = used_q != '0 && got_q[head_q] > (BeatW + 1)'(at_q);
  assign fetch = there && r_ready;
  assign slot_ends = fetch && at_q == head_beats;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      at_q <= '0;
      error_q <= 1'b0;
      r_valid_q <= 1'b0;
    end else begin
      if (fetch) at_q <= slot_ends ? '0 : at_q + 1'b1;
      if (slot_ends) error_q <= !head_last && (error_q || bad_q[head_q]);
      if (r_ready) r_valid_q <= fetch;
    end
  end
  always_ff @(posedge clk_i) begin
    if (fetch) begin
      r_data_q <= word_mem_q[{head_q, at_q}];
      r_pass_q <= head_pass;
      r_final_q <= slot_ends && head_last;
      // It is complete with the final word, because all words of its slot have come then.
      r_error_q <= error_q || bad_q[head_q];
    end
  end

  // ---- Lane k + (first lane) of a word goes to byte k ----
  logic [DataW-1:0] turned;
  logic [LaneW-1:0] r_lane;
  assign r_lane = r_pass_q[LaneW +: LaneW];
  always_comb begin
    turned = r_data_q;
    for (int unsigned i = 0; i < LaneW; i++) begin
      if (r_lane[i]) turned = (turned >> (8 << i)) | (turned << (DataW - (8 << i)));
    end
  end

  logic t_valid_q, t_final_q, t_error_q, t_ready;
  logic [PassW-1:0] t_pass_q;
  logic [DataW-1:0] t_data_q;
  assign r_ready = !r_valid_q || t_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) t_valid_q <= 1'b0;
    else if (t_ready) t_valid_q <= r_valid_q;
  end
  always_ff @(posedge clk_i) begin
    if (t_ready) begin
      t_data_q <= turned;
      t_pass_q <= r_pass_q;
      t_final_q <= r_final_q;
      t_error_q <= r_error_q;
    end
  end

  // ---- A word that leaves: upper part of a held word, lower part of the one behind it ----
  logic held_valid_q, held_final_q, held_error_q;
  logic load, emit, o_ready, word_valid, word_last, word_error;
  logic [PassW-1:0] held_pass_q;
  logic [DataW-1:0] held_q, data;
  logic [Bytes-1:0] keep, of_next;            // bytes that the held word does not have
  logic [LaneW-1:0] lane, held_last_byte, t_lane, t_last_byte, end_byte;
  logic [TagW-1:0] held_tag;
  logic t_ends;                               // nothing of the word behind remains to be held

  assign {held_tag, lane, held_last_byte} = held_pass_q;
  assign {t_lane, t_last_byte} = t_pass_q[2*LaneW-1:0];
  logic [LaneW:0] t_sum;
  assign t_sum = (LaneW + 1)'(t_lane) + (LaneW + 1)'(t_last_byte);
  assign t_ends = t_final_q && t_sum[LaneW];

  assign end_byte = held_final_q ? held_last_byte : t_last_byte;
  assign word_valid = held_valid_q && (held_final_q || t_valid_q);
  assign emit = word_valid && o_ready;
  assign load = t_valid_q && (!held_valid_q || emit);
  assign t_ready = !t_valid_q || load;
  assign word_last = held_final_q || t_ends;
  assign word_error = word_last && (held_final_q ? held_error_q : t_error_q);

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) held_valid_q <= 1'b0;
    else if (load) held_valid_q <= !t_ends;
    else if (emit) held_valid_q <= 1'b0;
  end
  always_ff @(posedge clk_i) begin
    if (load) begin
      held_q <= t_data_q;
      held_pass_q <= t_pass_q;
      held_final_q <= t_final_q;
      held_error_q <= t_error_q;
    end
  end

  assign of_next = ~({Bytes{1'b1}} >> lane);
  assign keep = ~(word_last ? {{(Bytes - 1){1'b1}}, 1'b0} << end_byte : '0);
  for (genvar k = 0; k < Bytes; k++) begin : gen_byte
    assign data[8*k +: 8] = of_next[k] ? t_data_q[8*k +: 8] : held_q[8*k +: 8];
  end

  tally_skid #(.Width(9 * Bytes + 2 + TagW)) u_out (
    .clk_i, .rst_ni, .in_valid_i(word_valid), .in_ready_o(o_ready),
    .in_i({held_tag, word_error, word_last, keep, data}),
    .out_valid_o, .out_ready_i, .out_o({out_tag_o, out_error_o, out_last_o, out_keep_o, out_data_o})
  );

  // A request is kept only behind a burst.
  assign busy_o = arvalid_o || there || r_valid_q || t_valid_q || word_valid || out_valid_o;
  logic unused;
  assign unused = unused_kept;

`ifdef FORMAL
  `include "axi_rd_proof.svh"
`endif
endmodule
