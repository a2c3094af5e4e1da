// SPDX-License-Identifier: BSD-2-Clause
// Round-robin arbiter of Num requesters, one grant per clock. grant_valid_o offers a grant to the
// requester grant_o. When grant_ready_i takes it, request_ready_o of that requester is high in the
// same cycle. The next search begins after that requester, so a requester that keeps asking is
// granted after at most Num - 1 grants of others. An offered grant stays until it is taken, so the
// requester must keep asking.
//
// grant_valid_o and grant_o depend on request_valid_i of the same cycle, and request_ready_o also
// on grant_ready_i.
module tally_rr_arbiter #(
  parameter int unsigned Num = 4,
  localparam int unsigned IndexW = Num > 1 ? $clog2(Num) : 1
) (
  input  logic              clk_i,
  input  logic              rst_ni,

  input  logic [Num-1:0]    request_valid_i,
  output logic [Num-1:0]    request_ready_o,

  output logic              grant_valid_o,
  input  logic              grant_ready_i,
  output logic [IndexW-1:0] grant_o
);
  logic waits_q;                  // an offered grant has not been taken
  logic [IndexW-1:0] offered_q;   // requester of that grant
  logic [Num-1:0] after_q;        // requesters after the one granted last
  logic [Num-1:0] later;
  logic [IndexW-1:0] first_later, first, index;

  assign later = request_valid_i & after_q;

  always_comb begin
    first = '0;
    first_later = '0;
    for (int unsigned i = Num; i > 0; i--) begin
      if (request_valid_i[i-1]) first = IndexW'(i - 1);
      if (later[i-1]) first_later = IndexW'(i - 1);
    end
    if (waits_q) index = offered_q;
    else if (later != '0) index = first_later;
    else index = first;
  end
  always_comb begin
    for (int unsigned i = 0; i < Num; i++) begin
      request_ready_o[i] = grant_valid_o && grant_ready_i && index == IndexW'(i);
    end
  end

  assign grant_valid_o = request_valid_i != '0;
  assign grant_o = index;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      waits_q <= 1'b0;
      after_q <= '0;
    end else begin
      waits_q <= grant_valid_o && !grant_ready_i;
      if (grant_valid_o && grant_ready_i) begin
        for (int unsigned i = 0; i < Num; i++) after_q[i] <= IndexW'(i) > index;
      end
    end
  end

  always_ff @(posedge clk_i) offered_q <= index;

`ifdef FORMAL
  `include "rr_arbiter_proof.svh"
`endif
endmodule
