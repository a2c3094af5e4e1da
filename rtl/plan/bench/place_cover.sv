// SPDX-License-Identifier: BSD-2-Clause
// Points that the bench of tally_place must reach.
module place_cover (
  input logic        clk_i,
  input logic        valid_i,
  input logic        valid_o,
  input logic        valid,
  input logic        request,
  input logic        last,
  input logic        begins,
  input logic [31:0] count,
  input logic [31:0] total,
  input logic [63:0] product,
  input logic [64:0] end_at,
  input logic [31:0] rest,
  input logic        ok,
  input logic        fits,
  input logic        shorter
);
  logic packet;
  assign packet = valid && !request;

  middle: cover property (@(posedge clk_i) packet && !last && ok && fits);
  ends_at_the_total: cover property (@(posedge clk_i) packet && !last && count != '0 &&
                                     end_at == 65'(total));
  middle_empty: cover property (@(posedge clk_i) packet && !last && count == '0);
  only_chunk: cover property (@(posedge clk_i) packet && last && begins && ok);
  only_chunk_is_short: cover property (@(posedge clk_i) packet && last && begins && count < total);
  last_chunk: cover property (@(posedge clk_i) packet && last && !begins && ok && fits);
  last_as_long_as_others: cover property (@(posedge clk_i) packet && last && !begins && ok &&
                                          product == 64'(rest));
  last_overlaps: cover property (@(posedge clk_i) packet && last && !begins && count != '0 &&
                                 count < total &&
                                 product == 64'(rest) + 1'b1);
  far_beyond: cover property (@(posedge clk_i) packet && product[63:32] != '0);
  just_fits: cover property (@(posedge clk_i) packet && ok && fits);
  too_long: cover property (@(posedge clk_i) packet && ok && !fits);
  request_whole: cover property (@(posedge clk_i) valid && request && !shorter);
  request_last: cover property (@(posedge clk_i) valid && request && shorter && count != '0);
  request_empty: cover property (@(posedge clk_i) valid && request && total == '0);
  behind_an_answer: cover property (@(posedge clk_i) valid_i && valid_o);
endmodule

bind tally_place place_cover u_cover (
  .valid(valid_q4), .request(chunk_q.request), .last(chunk_q.last), .begins(begins),
  .count(chunk_q.count), .total(chunk_q.total), .product(product_q4), .end_at(end_q4),
  .rest(rest_q4), .*);
