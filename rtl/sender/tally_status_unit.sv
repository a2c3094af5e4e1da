// SPDX-License-Identifier: BSD-2-Clause
// The outcome of requests in the NIC: tally_status, with its registers (tally_status_regs), what
// brings requests into their order (tally_status_in), and the table of parsed requests.
//
// axil_*: struct status of tally_fw_pkg. write_i, addr_i, data_i and mine_o are those of
// tally_status_regs: writes that somebody carries out.
//
// req_*, skip_*, posted_*, retire_* and told_* are the ports of tally_requests. took_*: one of its
// requests is taken in or passes, or (took_skip_o) one that was answered ahead of its turn, which
// has retired if took_passes_o. It has its entry if took_row_o; it is ready to begin if
// took_begin_o; if took_ask_o, the firmware must answer it. It is that of req_o and req_verdict_o,
// which follow req_*, in this clock. Its row has req_row_i, too.
//
// it_*: what has happened to a queue pair, for tally_sender_unit. cmd_*: a command to a queue pair,
// which waits for cmd_ready_i; the sender and tally_local let it pass, then it comes back by
// pass_*. row_*, got_*: further readers of the table of requests (tally_sender_rows).
//
// end_*, upd_*, cpl_*, fail_* and free_* are those of tally_status, but what is at end_* and upd_*
// is seen a clock later. retired_o: the oldest request
// of the queue pair retire_qp_o has retired. Failures are told by fail_* to the firmware, and the
// firmware tells ERROR to tally_requests.
//
// busy_o is low if nothing happens without an input, and depends on registers only. After a reset
// it is high for as many clocks as there are queue pairs.
module tally_status_unit #(
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  localparam int unsigned Readers = 5,  // of tally_local, tally_sender_unit, tally_trigger_unit
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned CqnW = NumCq > 1 ? $clog2(NumCq) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned EntryW = $clog2(Entries)
) (
  input  logic                          clk_i,
  input  logic                          rst_ni,
  output logic                          busy_o,

  input  logic                          axil_awvalid_i,
  output logic                          axil_awready_o,
  input  logic [31:0]                   axil_awaddr_i,
  input  logic                          axil_wvalid_i,
  output logic                          axil_wready_o,
  input  logic [31:0]                   axil_wdata_i,
  input  logic [3:0]                    axil_wstrb_i,
  output logic                          axil_bvalid_o,
  input  logic                          axil_bready_i,
  output logic [1:0]                    axil_bresp_o,
  input  logic                          write_i,
  input  logic [31:0]                   addr_i,
  input  logic [31:0]                   data_i,
  output logic                          mine_o,

  input  logic                          req_valid_i,
  output logic                          req_ready_o,
  input  logic [QpW-1:0]                req_qp_i,
  input  tally_fw_pkg::verdict_e        req_verdict_i,
  input  tally_request_pkg::request_t   req_i,
  input  tally_local_pkg::row_t         req_row_i,
  input  logic                          skip_valid_i,
  input  logic [QpW-1:0]                skip_qp_i,
  input  logic [31:0]                   skip_index_i,
  input  logic                          skip_passes_i,
  input  logic                          posted_valid_i,
  input  logic [QpW-1:0]                posted_qp_i,
  input  logic [31:0]                   posted_count_i,
  output logic                          retire_valid_o,
  input  logic                          retire_ready_i,
  output logic [QpW-1:0]                retire_qp_o,
  output logic                          told_valid_o,
  input  logic                          told_ready_i,
  output logic [QpW-1:0]                told_qp_o,
  output logic                          told_fails_o,

  output logic                          took_valid_o,
  output logic [QpW-1:0]                took_qp_o,
  output logic                          took_skip_o,
  output logic                          took_passes_o,
  output logic [EntryW-1:0]             took_entry_o,
  output logic                          took_row_o,
  output logic                          took_begin_o,
  output logic                          took_ask_o,
  output tally_fw_pkg::verdict_e        req_verdict_o,
  output tally_request_pkg::request_t   req_o,
  output logic                          retired_o,

  output logic                          it_valid_o,
  output tally_sender_pkg::event_e      it_o,
  output logic [QpW-1:0]                it_qp_o,
  output logic [EntryW-1:0]             it_entry_o,
  output logic                          cmd_valid_o,
  input  logic                          cmd_ready_i,
  output tally_sender_pkg::command_e    cmd_o,
  output logic [QpW-1:0]                cmd_qp_o,
  output logic [7:0]                    cmd_state_o,
  output logic [GroupW-1:0]             cmd_group_o,
  input  logic                          pass_valid_i,
  output logic                          pass_ready_o,
  input  logic [Readers-1:0]            row_valid_i,
  output logic [Readers-1:0]            row_ready_o,
  input  logic [Readers-1:0][EntryW-1:0] row_entry_i,
  output logic [Readers-1:0]            got_valid_o,
  output logic [QpW-1:0]                got_qp_o,
  output tally_request_pkg::request_t   got_o,
  output tally_local_pkg::row_t         got_row_o,
  output logic                          free_valid_o,
  output logic [EntryW-1:0]             free_entry_o,

  input  logic                          end_valid_i,
  output logic                          end_ready_o,
  input  logic [QpW-1:0]                end_qp_i,
  input  logic [EntryW-1:0]             end_entry_i,
  input  tally_sender_pkg::end_t        end_i,
  output logic                          end_flag_o,
  input  logic                          upd_valid_i,
  output logic                          upd_ready_o,
  input  logic [QpW-1:0]                upd_qp_i,
  input  logic [EntryW-1:0]             upd_entry_i,
  input  tally_sender_pkg::update_t     upd_i,
  output logic                          upd_flag_o,

  output logic                          cpl_valid_o,
  input  logic                          cpl_ready_i,
  output logic [CqnW-1:0]               cpl_cqn_o,
  output tally_pkg::cqe_t               cpl_o,
  output logic                          cpl_solicited_o,
  output logic                          fail_valid_o,
  input  logic                          fail_ready_i,
  output logic [QpW-1:0]                fail_qp_o,
  output logic [15:0]                   fail_status_o,
  output logic [63:0]                   fail_ranks_o,
  output logic [31:0]                   fail_mid_o,
  output logic                          message_o,
  output logic                          message_failed_o,

  // What the firmware reads of a queue pair: see tally_status.
  input  logic                            peek_valid_i,
  output logic                            peek_ready_o,
  input  logic [QpW-1:0]                  peek_qp_i,
  input  logic [31:0]                     peek_mid_i,
  output logic                            peeked_valid_o,
  output logic [63:0]                     peeked_ranks_o,
  output logic                            peeked_more_o
);
  localparam int unsigned PlaceW = EntryW - $clog2(tally_pkg::RequestStep);
  localparam int unsigned PlacesW = tally_pkg::QpRequests / tally_pkg::RequestStep * PlaceW;

  // ---- Registers ----
  logic regs_busy, in_busy, status_busy, group_write, cmd_forgets;
  logic [GroupW-1:0] group_index;
  tally_sender_pkg::group_t group;
  logic [7:0] cmd_flags;
  logic [CqnW-1:0] cmd_cqn;
  logic [PlacesW-1:0] cmd_places;
  logic [1:0] cmd_places_log;
  tally_sender_pkg::report_t cmd_report;
  tally_status_regs #(
    .Qps(Qps), .Groups(Groups), .NumCq(NumCq), .Entries(Entries)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o(regs_busy), .write_i, .addr_i, .data_i, .mine_o, .group_write_o(group_write),
    .group_index_o(group_index), .group_o(group),
    .cmd_valid_o, .cmd_ready_i, .cmd_o, .cmd_forgets_o(cmd_forgets),
    .cmd_qp_o, .cmd_state_o, .cmd_group_o, .cmd_cqn_o(cmd_cqn),
    .cmd_places_o(cmd_places), .cmd_places_log_o(cmd_places_log), .cmd_report_o(cmd_report),
    .cmd_flags_o(cmd_flags)
  );

  // ---- The order of requests ----
  logic in_valid, in_ready, in_skip, in_passes, next_valid, next_ready;
  logic [QpW-1:0] in_qp;
  tally_status_in #(.Qps(Qps)) u_in (
    .clk_i, .rst_ni, .busy_o(in_busy), .req_valid_i, .req_ready_o, .req_qp_i,
    .req_index_i(req_i.index), .req_ahead_i(req_verdict_i == tally_fw_pkg::VerdictAhead),
    .skip_valid_i, .skip_qp_i, .skip_index_i, .skip_passes_i,
    .cmd_valid_i(pass_valid_i), .cmd_ready_o(pass_ready_o), .cmd_qp_i(cmd_qp_o),
    .cmd_forgets_i(cmd_forgets), .cmd_valid_o(next_valid), .cmd_ready_i(next_ready),
    .in_valid_o(in_valid), .in_ready_i(in_ready), .in_qp_o(in_qp), .in_skip_o(in_skip),
    .in_passes_o(in_passes)
  );

  // ---- What is on offer, a clock later; it stays until tally_status takes it ----
  //
  // An operation is chosen two clocks before it is taken, so in_* are known in time. Ends and
  // updates come from several units.
  logic in_skip_q, in_passes_q, end_q, upd_q;
  logic [QpW-1:0] end_qp_q, upd_qp_q;
  logic [EntryW-1:0] end_entry_q, upd_entry_q;
  tally_sender_pkg::end_t end_is_q;
  tally_sender_pkg::update_t upd_is_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      end_q <= 1'b0;
      upd_q <= 1'b0;
    end else begin
      end_q <= end_valid_i && !end_ready_o;
      upd_q <= upd_valid_i && !upd_ready_o;
    end
  end
  always_ff @(posedge clk_i) begin
    {in_skip_q, in_passes_q} <= {in_skip, in_passes};
    {end_qp_q, end_entry_q, end_is_q} <= {end_qp_i, end_entry_i, end_i};
    {upd_qp_q, upd_entry_q, upd_is_q} <= {upd_qp_i, upd_entry_i, upd_i};
  end

  // ---- The outcome ----
  logic row_valid, row_ready, got_valid, tell_valid, tell_ready;
  logic [EntryW-1:0] row_entry, begin_entry;
  logic [QpW-1:0] tell_qp, begin_qp;
  tally_sender_pkg::tell_e tell;
  tally_status #(
    .Qps(Qps), .Groups(Groups), .NumCq(NumCq), .Entries(Entries)
  ) u_status (
    .clk_i, .rst_ni, .busy_o(status_busy),
    .group_write_i(group_write), .group_index_i(group_index), .group_i(group),
    .cmd_valid_i(next_valid), .cmd_ready_o(next_ready), .cmd_i(cmd_o), .cmd_qp_i(cmd_qp_o),
    .cmd_state_i(cmd_state_o), .cmd_group_i(cmd_group_o), .cmd_cqn_i(cmd_cqn),
    .cmd_places_i(cmd_places), .cmd_places_log_i(cmd_places_log), .cmd_report_i(cmd_report),
    .cmd_flags_i(cmd_flags),
    .end_valid_i(end_q), .end_ready_o, .end_qp_i(end_qp_q), .end_entry_i(end_entry_q),
    .end_i(end_is_q), .end_flag_o, .upd_valid_i(upd_q), .upd_ready_o, .upd_qp_i(upd_qp_q),
    .upd_entry_i(upd_entry_q), .upd_i(upd_is_q), .upd_flag_o,
    .in_valid_i(in_valid), .in_ready_o(in_ready), .in_qp_i(in_qp), .in_skip_i(in_skip_q),
    .in_passes_i(in_passes_q), .in_verdict_i(req_verdict_i), .in_i(req_i),
    .in_entry_o(took_entry_o), .in_row_o(took_row_o), .in_ask_o(took_ask_o),
    .posted_valid_i, .posted_qp_i, .posted_count_i,
    .row_valid_o(row_valid), .row_ready_i(row_ready), .row_entry_o(row_entry),
    .got_valid_i(got_valid), .got_i(got_o),
    .free_valid_o, .free_entry_o,
    .cpl_valid_o, .cpl_ready_i, .cpl_cqn_o, .cpl_o, .cpl_solicited_o,
    .tell_valid_o(tell_valid), .tell_ready_i(tell_ready), .tell_qp_o(tell_qp), .tell_o(tell),
    .fail_valid_o, .fail_ready_i, .fail_qp_o, .fail_status_o, .fail_ranks_o, .fail_mid_o,
    .begin_valid_o(took_begin_o), .begin_qp_o(begin_qp), .begin_entry_o(begin_entry),
    .message_o, .message_failed_o,
    .peek_valid_i, .peek_ready_o, .peek_qp_i, .peek_mid_i, .peeked_valid_o, .peeked_ranks_o,
    .peeked_more_o
  );
  assign took_valid_o = in_ready;
  assign took_qp_o = begin_qp;
  assign took_skip_o = in_skip_q;
  assign took_passes_o = in_passes_q;
  assign req_verdict_o = req_verdict_i;
  assign req_o = req_i;

  // ---- The table of parsed requests ----
  logic rows_busy;
  tally_sender_rows #(.Readers(Readers + 1), .Qps(Qps), .Entries(Entries)) u_rows (
    .clk_i, .rst_ni, .busy_o(rows_busy), .write_valid_i(took_row_o),
    .write_entry_i(took_entry_o), .write_qp_i(in_qp), .write_i(req_i), .write_row_i(req_row_i),
    .row_valid_i({row_valid, row_valid_i}), .row_ready_o({row_ready, row_ready_o}),
    .row_entry_i({row_entry, row_entry_i}), .got_valid_o({got_valid, got_valid_o}),
    .got_qp_o, .got_o, .got_row_o
  );

  // ---- What tally_requests must know ----
  logic is_retired, is_error, fails;
  assign fails = tell == tally_sender_pkg::TellFails;
  assign is_retired = tell == tally_sender_pkg::TellRetired;
  assign is_error = tell == tally_sender_pkg::TellError;
  assign retire_valid_o = tell_valid && is_retired;
  assign retire_qp_o = tell_qp;
  assign retired_o = retire_valid_o && retire_ready_i;
  assign told_valid_o = tell_valid && !is_retired && !is_error;
  assign told_qp_o = tell_qp;
  assign told_fails_o = fails;
  assign tell_ready = is_retired ? retire_ready_i : is_error || told_ready_i;

  // ---- What the sender must know; nothing of this is told while a request is taken in ----
  assign it_valid_o = took_begin_o || (tell_valid && tell_ready && (fails || is_error));
  assign it_qp_o = took_begin_o ? begin_qp : tell_qp;
  assign it_entry_o = begin_entry;
  always_comb begin
    it_o = fails ? tally_sender_pkg::EventFails : tally_sender_pkg::EventError;
    if (took_begin_o) it_o = tally_sender_pkg::EventTaken;
  end

  assign busy_o = regs_busy || in_busy || rows_busy || status_busy;
endmodule
