// SPDX-License-Identifier: BSD-2-Clause
// Records for the request processor, behind the segment store: TRIGGER packets with a flight, of
// groups that the store does. Their payloads go to it (pay_*), and their records, too (rec_*),
// before they go on like all others; out_here_o says that the payload does not.
//
// in_*, dat_*: records and payloads; in_here_i: the payload has gone elsewhere already. out_*,
// out_t*: those that go on. does_*: whether the store does a group.
//
// Time: a TRIGGER waits for two clocks, others for none.
module tally_trigger_take #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  output logic                               busy_o,

  input  logic                               does_write_i,
  input  logic [GroupW-1:0]                  does_group_i,
  input  logic                               does_i,

  input  logic                               in_valid_i,
  output logic                               in_ready_o,
  input  tally_net_pkg::rx_hdr_t             in_i,
  input  tally_admission_pkg::admission_t    in_admission_i,
  input  logic                               in_flight_valid_i,
  input  logic                               in_here_i,
  input  logic                               dat_tvalid_i,
  output logic                               dat_tready_o,

  output logic                               out_valid_o,
  input  logic                               out_ready_i,
  output logic                               out_here_o,
  output logic                               out_tvalid_o,
  input  logic                               out_tready_i,

  output logic                               rec_valid_o,
  input  logic                               rec_ready_i,
  output logic                               pay_tvalid_o,
  input  logic                               pay_tready_i
);
  // ---- Whose record it is ----
  logic [0:0] does_mem_q [2**GroupW];
  logic does_q, look_q, took_q, is_message, mine;
  tally_pkg::tch_t tch;
  assign tch = in_i.tch;
  assign is_message = in_valid_i && in_flight_valid_i && tch.kind == 8'(tally_pkg::KindTrigger);
  assign mine = is_message && look_q && does_q;
  always_ff @(posedge clk_i) begin
    does_q <= does_mem_q[GroupW'(in_admission_i.context_)];
    if (does_write_i) does_mem_q[does_group_i] <= does_i;
  end

  // ---- Where it goes ----
  assign rec_valid_o = mine && !took_q;
  assign out_valid_o = in_valid_i && (!is_message || (look_q && (!does_q || took_q)));
  assign in_ready_o = out_valid_o && out_ready_i;
  assign out_here_o = in_here_i || mine;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      look_q <= 1'b0;
      took_q <= 1'b0;
    end else begin
      look_q <= is_message && !in_ready_o;
      took_q <= (took_q || (rec_valid_o && rec_ready_i)) && !in_ready_o;
    end
  end

  // ---- Payloads: a record with one comes before it, and after the one before has passed ----
  logic mine_q, has_payload;
  assign has_payload = in_i.verdict == 8'(tally_pkg::RxOk) && in_i.payload_len != '0 &&
                       in_admission_i.verdict == 8'(tally_fw_pkg::AdmissionOk) && !in_here_i;
  always_ff @(posedge clk_i) if (in_ready_o && has_payload) mine_q <= mine;
  assign pay_tvalid_o = dat_tvalid_i && mine_q;
  assign out_tvalid_o = dat_tvalid_i && !mine_q;
  assign dat_tready_o = mine_q ? pay_tready_i : out_tready_i;

  assign busy_o = look_q;
  logic unused;
  assign unused = ^{in_i, in_admission_i, tch};  // few of their fields are used
endmodule
