// SPDX-License-Identifier: BSD-2-Clause
// An arbitrary element of an operation leaves in its place: the value, and its index. Words are of
// 16 bytes: two pairs of 8, or one of 16.
`include "tally_proof.svh"

(* anyconst *) logic [7:0] element;  // its number
(* anyconst *) logic [63:0] value;
logic [7:0] in_at_q, out_at_q;       // words that have been taken, and that have left
logic under_way_q = 1'b0;
logic values_f_q;
logic [1:0] size_f_q;
logic [31:0] index_f_q;
logic [10:0] at_in, at_out;          // bytes of the element in the two streams
logic [63:0] of_word, mask;
logic [127:0] pair;

assign at_in = 11'(element) << size_log_i;
assign at_out = 11'(element) << (size_log_i == 2'd3 ? 4 : 3);
assign of_word = 64'(in_data_i >> {at_in[3:0], 3'd0});
assign mask = ~({64{1'b1}} << (7'd8 << size_log_i));
assign pair = out_data_o >> {at_out[3:0], 3'd0};
always_ff @(posedge clk_i) begin
  under_way_q <= started_q && (start_i || (under_way_q && !(moves && out_last_i)));
  values_f_q <= values_i;
  size_f_q <= size_log_i;
  index_f_q <= index_i;
  if (start_i) begin
    in_at_q <= '0;
    out_at_q <= '0;
  end else begin
    in_at_q <= in_at_q + 8'(in_valid_i && in_ready_o);
    out_at_q <= out_at_q + 8'(moves);
  end
end

logic fresh_q = 1'b0;
always_ff @(posedge clk_i) fresh_q <= started_q && start_i;
always_comb begin
  assume (element < 8'd64);
  if (started_q) begin
    assume (!in_valid_i || (under_way_q && !start_i));
    if (under_way_q) assume (!start_i);
    if (under_way_q && !fresh_q) begin
      assume (values_i == values_f_q && size_log_i == size_f_q && index_i == index_f_q);
    end
    if (in_valid_i && values_i && 11'(in_at_q) == at_in >> 4) begin
      assume ((of_word & mask) == (value & mask));
    end
    if (in_valid_i && values_i && in_at_q < 8'd64 && 11'(out_at_q) == at_out >> 4) begin
      if (size_log_i == 2'd3) begin
        assert (pair[63:0] == value && pair[95:64] == index_i + 32'(element));
        assert (pair[127:96] == '0);
      end else begin
        assert (pair[31:0] == 32'(value & mask) && pair[63:32] == index_i + 32'(element));
      end
      assert (11'(in_at_q) == at_in >> 4);
    end
    if (in_valid_i && !values_i) assert (out_data_o == in_data_i && in_ready_o == out_ready_i);
    if (moves && out_last_i) assert (in_ready_o);
    cover (in_valid_i && values_i && size_log_i == 2'd0 && out_at_q == 8'd2);
    cover (in_valid_i && values_i && size_log_i == 2'd3 && out_at_q == 8'd2);
  end
end
