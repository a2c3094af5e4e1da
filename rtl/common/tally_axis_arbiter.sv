// SPDX-License-Identifier: BSD-2-Clause
// Merges Num AXI4-Streams into one, packet by packet. From the first word of a packet until its
// last (tlast), the arbiter accepts no word of another stream. The streams take turns: a stream
// that offers a packet is granted after at most Num - 1 packets of others. A stream that pauses
// within a packet makes all others wait.
//
// The arbiter passes one word per clock, also from one packet to the next. A word leaves one clock
// after it has entered. All signals of the output are registers. in_tready_o depends on in_tvalid_i
// of the same cycle. No valid signal depends on a ready signal. out_from_o is the stream of the
// word. The words of the streams lie side by side: stream i has bits [i * 8 * Bytes +: 8 * Bytes]
// of in_tdata_i.
module tally_axis_arbiter #(
  parameter int unsigned Num = 4,
  parameter int unsigned Bytes = 64,
  localparam int unsigned IndexW = Num > 1 ? $clog2(Num) : 1
) (
  input  logic                   clk_i,
  input  logic                   rst_ni,

  input  logic [Num-1:0]         in_tvalid_i,
  output logic [Num-1:0]         in_tready_o,
  input  logic [Num*8*Bytes-1:0] in_tdata_i,
  input  logic [Num*Bytes-1:0]   in_tkeep_i,
  input  logic [Num-1:0]         in_tlast_i,

  output logic                   out_tvalid_o,
  input  logic                   out_tready_i,
  output logic [8*Bytes-1:0]     out_tdata_o,
  output logic [Bytes-1:0]       out_tkeep_o,
  output logic                   out_tlast_o,
  output logic [IndexW-1:0]      out_from_o
);
  localparam int unsigned WordW = 9 * Bytes + 1 + IndexW;

  logic within_q;               // the next word is not the first of its packet
  logic [IndexW-1:0] stream_q;  // stream of the current packet
  logic [IndexW-1:0] grant, stream;
  logic grant_valid, valid, last, out_ready, taken;
  logic [8*Bytes-1:0] data;
  logic [Bytes-1:0] keep;
  logic [WordW-1:0] word, out_word;
  logic [Num-1:0] beginning;

  assign beginning = within_q ? '0 : in_tvalid_i;

  // Selects the stream whose packet begins.
  // verilator lint_off PINCONNECTEMPTY
  tally_rr_arbiter #(.Num(Num)) u_arbiter (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .request_valid_i(beginning), .request_ready_o(),  // the ready signals of words are made below
    .grant_valid_o(grant_valid), .grant_ready_i(out_ready), .grant_o(grant)
  );
  // verilator lint_on PINCONNECTEMPTY

  assign stream = within_q ? stream_q : grant;
  assign taken = valid && out_ready;

  always_comb begin
    valid = !within_q && grant_valid;
    last = 1'b0;
    data = '0;
    keep = '0;
    for (int unsigned i = 0; i < Num; i++) begin
      in_tready_o[i] = out_ready && stream == IndexW'(i) && (within_q || grant_valid);
      if (stream == IndexW'(i)) begin
        if (within_q) valid = in_tvalid_i[i];
        last = in_tlast_i[i];
        data = in_tdata_i[i*8*Bytes +: 8*Bytes];
        keep = in_tkeep_i[i*Bytes +: Bytes];
      end
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) within_q <= 1'b0;
    else if (taken) within_q <= !last;
  end

  always_ff @(posedge clk_i) stream_q <= stream;

  tally_skid #(.Width(WordW)) u_out (
    .clk_i(clk_i), .rst_ni(rst_ni),
    .in_valid_i(valid), .in_ready_o(out_ready), .in_i(word),
    .out_valid_o(out_tvalid_o), .out_ready_i(out_tready_i), .out_o(out_word)
  );
  assign word = {stream, last, keep, data};
  assign {out_from_o, out_tlast_o, out_tkeep_o, out_tdata_o} = out_word;

`ifdef FORMAL
  `include "axis_arbiter_proof.svh"
`endif
endmodule
