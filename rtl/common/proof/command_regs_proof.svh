// SPDX-License-Identifier: BSD-2-Clause
// Each write has one answer. A command is given once, before its answer, if it is good, and stays
// as it is until it is taken. A register has what was written last.
`include "tally_proof.svh"

(* anyconst *) logic [$clog2(Words)-1:0] some;
logic due_q, was_q = 1'b0;             // a write without an answer that was taken
logic held_q, held_b_q, judged_q, good_q, bad_write_q, taken_q, bad_q;
logic [1:0] b_q;
logic [31:0] go_was_q, some_q;
logic [Words-1:0][31:0] values_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  if (!started_q) due_q <= 1'b0;
  else due_q <= (axil_awvalid_i && axil_awready_o) ||
      (due_q && !(axil_bvalid_o && axil_bready_i));
  held_q <= give_valid_o && !give_ready_i;
  held_b_q <= axil_bvalid_o && !axil_bready_i;
  judged_q <= judge_o;
  good_q <= good_i;
  taken_q <= give_valid_o && give_ready_i;
  bad_q <= give_bad_i;
  bad_write_q <= axil_awready_o && !(axil_wstrb_i == 4'b1111 && axil_awaddr_i >= Base &&
      axil_awaddr_i - Base <= Last && axil_awaddr_i[1:0] == Base[1:0]);
  b_q <= axil_bresp_o;
  go_was_q <= go_o;
  values_q <= value_o;
  if (!started_q) some_q <= '0;
  else if (axil_awready_o && axil_wstrb_i == 4'b1111 && some != '0 && 32'(some) * 4 <= Last &&
           axil_awaddr_i == Base + 32'(some) * 4) some_q <= axil_wdata_i;
end

always_comb begin
  if (started_q) begin
    assert (axil_awready_o == axil_wready_o);
    assert (!axil_awready_o || (axil_awvalid_i && axil_wvalid_i && !due_q));
    assert (due_q == (axil_bvalid_o || judge_o || give_valid_o));
    assert (!(axil_bvalid_o && give_valid_o) && !(judge_o && (axil_bvalid_o || give_valid_o)));
    assert (busy_o == due_q);
    assert (value_o[some] == some_q);
    cover (give_valid_o && value_o[1] == 32'h12345678);
    cover (axil_bvalid_o && axil_bresp_o == RespSlvErr && judged_q);
  end
  if (started_q && was_q) begin
    if (held_q) assert (give_valid_o && go_o == go_was_q && value_o == values_q);
    if (held_b_q) assert (axil_bvalid_o && axil_bresp_o == b_q);
    if (judged_q) assert (good_q ? give_valid_o : axil_bvalid_o && axil_bresp_o == RespSlvErr);
    if (bad_write_q) assert (axil_bvalid_o && axil_bresp_o == RespSlvErr);
    if (give_valid_o) assert (held_q || judged_q);
    if (taken_q) assert (axil_bvalid_o && axil_bresp_o == (bad_q ? RespSlvErr : RespOkay));
    if (axil_bvalid_o && !held_b_q && !judged_q && !bad_write_q && !taken_q) begin
      assert (axil_bresp_o == RespOkay);
    end
  end
end
