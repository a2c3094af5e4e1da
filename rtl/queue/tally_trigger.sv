// SPDX-License-Identifier: BSD-2-Clause
// Request processor: triggered descriptors, from their begin to the last acknowledgement (trigger.c
// of sim/engine). It contains tally_rmq and the blocks of tally_trigger_*. docs/rtl-trigger.md
// describes tables, order of operations, and what waits for what.
//
// begin_*: it is the turn of a descriptor; begin_took_o says whether it has begun. If not, mark_*,
// a pulse, names its queue pair when it shall be offered again. fired_o: a pulse, a descriptor has
// fired. upd_*, end_*, flag_*: see
// docs/rtl-sender.md. row_*, got_*: a reader of tally_sender_rows. line_*, inl_*: inline data.
// acc_*, dat_*, done_*, out_*: accesses to memory, with the number of the descriptor as their tag.
// fault_*: memory has refused to be read. exc_*: a descriptor is out of time, or its message to
// this node has no destination; with exc_lacks_o, who is late is for the firmware to find.
//
// cmd_*: a command to a queue pair, which goes on to tally_status when nothing of the queue pair is
// inside any more, unless it is RTS. rec_*, pay_*, end_flight_*, busy_*: see tally_trigger_in.
// head_*, txp_*: see tally_trigger_leave. acked_*, again_*, wake_i: see tally_trigger_sends, for
// references with RefTriggerBit. link_*, port_*: see tally_trigger_ports. limit_*, mtu_*: the
// firmware writes the time limit and the MTU of a group. cells_*: cells of a group, see tally_rmq,
// as alu_*.
module tally_trigger #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,
  parameter int unsigned Descs = 256,
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Flights = 8,
  parameter int unsigned Reads = 8,
  parameter int unsigned AluLatency = tally_alu_pkg::Latency,
  localparam int unsigned DescW = Descs > 1 ? $clog2(Descs) : 1,
  localparam int unsigned GroupW = Groups > 1 ? $clog2(Groups) : 1,
  localparam int unsigned QpW = Qps > 1 ? $clog2(Qps) : 1,
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned IndexW = GroupW > QpW ? GroupW : QpW,
  localparam int unsigned UsedW = $clog2(Cells + 1),
  localparam int unsigned FlagsW = tally_pkg::ErrMismatchBit,
  localparam int unsigned WordBits = 512,
  localparam int unsigned WordBytes = WordBits / 8
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,
  input  logic [63:0]                     now_i,
  output logic                            busy_o,
  output logic                            deadline_valid_o,
  output logic [63:0]                     deadline_o,

  // Sender and status update.
  input  logic                            begin_valid_i,
  output logic                            begin_ready_o,
  output logic                            begin_took_o,
  input  logic [QpW-1:0]                  begin_qp_i,
  input  logic [EntryW-1:0]               begin_entry_i,
  input  logic [GroupW-1:0]               begin_group_i,
  output logic                            mark_valid_o,
  output logic [QpW-1:0]                  mark_qp_o,
  output logic                            fired_o,       // it is that of upd_*
  output logic                            upd_valid_o,
  input  logic                            upd_ready_i,
  output logic [QpW-1:0]                  upd_qp_o,
  output logic [EntryW-1:0]               upd_entry_o,
  output tally_sender_pkg::update_t       upd_o,
  output logic                            end_valid_o,
  input  logic                            end_ready_i,
  output logic [QpW-1:0]                  end_qp_o,
  output logic [EntryW-1:0]               end_entry_o,
  output tally_sender_pkg::end_t          end_o,
  input  logic                            end_flag_i,
  output logic                            flag_valid_o,
  input  logic                            flag_ready_i,
  output logic [QpW-1:0]                  flag_qp_o,
  output logic [EntryW-1:0]               flag_entry_o,
  input  logic                            cmd_valid_i,
  output logic                            cmd_ready_o,
  input  tally_sender_pkg::command_e      cmd_i,
  input  logic [QpW-1:0]                  cmd_qp_i,
  input  logic [GroupW-1:0]               cmd_group_i,   // of the queue pair
  input  logic [7:0]                      cmd_state_i,
  output logic                            cmd_valid_o,
  input  logic                            cmd_ready_i,

  // Requests and memory.
  output logic                            row_valid_o,
  input  logic                            row_ready_i,
  output logic [EntryW-1:0]               row_entry_o,
  input  logic                            got_valid_i,
  input  tally_request_pkg::request_t     got_i,
  input  tally_local_pkg::row_t           got_row_i,
  output logic                            line_valid_o,
  input  logic                            line_ready_i,
  output logic [EntryW-1:0]               line_entry_o,
  output logic [12:0]                     line_from_o,
  output logic [12:0]                     line_len_o,
  input  logic                            inl_valid_i,
  output logic                            inl_ready_o,
  input  logic [WordBits-1:0]             inl_data_i,
  output logic                            acc_valid_o,
  input  logic                            acc_ready_i,
  output tally_local_pkg::access_t        acc_o,
  output logic [DescW-1:0]                acc_desc_o,
  output logic                            dat_valid_o,
  input  logic                            dat_ready_i,
  output logic [WordBits-1:0]             dat_o,
  input  logic                            done_valid_i,
  input  logic [DescW-1:0]                done_desc_i,
  input  logic                            done_failed_i,
  input  logic                            out_valid_i,
  input  logic [WordBits-1:0]             out_data_i,
  input  logic                            out_last_i,
  input  logic [DescW-1:0]                out_desc_i,
  input  logic                            out_error_i,

  // Exceptions.
  output logic                            fault_valid_o,
  input  logic                            fault_ready_i,
  output logic                            exc_valid_o,
  input  logic                            exc_ready_i,
  output logic [15:0]                     exc_status_o,
  output logic [63:0]                     exc_contributors_o,
  output logic                            exc_lacks_o,
  output logic [GroupW-1:0]               exc_group_o,   // these three: of fault_*, too
  output logic [63:0]                     exc_ranks_o,
  output logic [31:0]                     exc_mid_o,

  // Packets.
  input  logic                            rec_valid_i,
  output logic                            rec_ready_o,
  input  tally_net_pkg::rx_hdr_t          rec_i,
  input  tally_admission_pkg::admission_t adm_i,
  input  logic [FlightW-1:0]              flight_i,
  input  logic                            pay_tvalid_i,
  output logic                            pay_tready_o,
  input  logic [WordBits-1:0]             pay_tdata_i,
  output logic                            end_flight_valid_o,
  input  logic                            end_flight_ready_i,
  output logic [FlightW-1:0]              end_flight_o,
  output logic                            end_stored_o,
  output logic                            dropped_o,
  output logic                            unsaid_o,
  output logic                            busy_valid_o,
  input  logic                            busy_ready_i,
  output tally_trigger_pkg::busy_t        busy_reply_o,
  output logic                            head_valid_o,
  input  logic                            head_ready_i,
  input  tally_head_pkg::end_e            head_end_i,
  output tally_head_pkg::source_t         head_o,
  output logic                            txp_tvalid_o,
  input  logic                            txp_tready_i,
  output logic [WordBits-1:0]             txp_tdata_o,
  output logic [WordBytes-1:0]            txp_tkeep_o,
  output logic                            txp_tlast_o,
  input  logic                            acked_valid_i,
  output logic                            acked_ready_o,
  input  tally_edge_pkg::sent_t           acked_i,
  input  logic                            again_valid_i,
  output logic                            again_ready_o,
  input  tally_edge_pkg::sent_t           again_i,
  input  logic                            wake_i,

  // Registers.
  input  logic                            link_valid_i,
  output logic                            link_ready_o,
  input  logic                            link_first_i,
  input  logic [IndexW-1:0]               link_index_i,
  input  logic                            link_end_i,
  input  logic [QpW-1:0]                  link_qp_i,
  input  logic                            port_valid_i,
  output logic                            port_ready_o,
  input  logic [QpW-1:0]                  port_qp_i,
  input  logic [15:0]                     port_i,
  input  logic                            group_write_i,
  input  logic [GroupW-1:0]               group_index_i,
  input  logic [63:0]                     limit_i,
  input  logic [12:0]                     mtu_i,
  input  logic                            cells_valid_i,
  output logic                            cells_ready_o,
  input  logic [GroupW-1:0]               cells_group_i,
  input  logic [UsedW-1:0]                cells_i,
  input  logic [UsedW-1:0]                cells_keep_i,
  output logic                            cells_done_o,
  output logic                            cells_given_o,

  output logic                            alu_valid_o,
  output logic [7:0]                      alu_op_o,
  output logic [7:0]                      alu_dtype_o,
  output logic [WordBits-1:0]             alu_a_o,
  output logic [WordBits-1:0]             alu_b_o,
  input  logic [WordBits-1:0]             alu_result_i,
  input  logic [FlagsW-1:0]               alu_flags_i
);
  localparam int unsigned Places = Cells + Descs;
  localparam int unsigned PlaceW = $clog2(Places);
  localparam int unsigned Words = tally_pkg::MaxMtu / WordBytes;
  localparam int unsigned WordW = $clog2(Words);
  localparam int unsigned BufW = $clog2(tally_pkg::SendBufs + 1);
  localparam int unsigned ReadsW = $clog2(Reads + 1);
  localparam int unsigned CpcntW = 7;
  localparam int unsigned Receivers = tally_pkg::ContribSelf + 1;
  localparam int unsigned InitW = $clog2((Qps > Descs ? Qps : Descs) + 1);
  localparam int unsigned DescRowW = QpW + EntryW + GroupW;
  localparam int unsigned FireRowW = 2 + 16 + 48 + 64 + 16;
  localparam int unsigned LeftW = 183;
  localparam int unsigned EndRowW = 1 + 64 + 16 + 13;
  localparam int unsigned Octets = (Descs + 7) / 8;
  localparam logic [DescW-1:0] LastDesc = DescW'(Descs - 1);
  localparam logic [2:0] Drain = 3'd7;  // clocks in which the fires before a flush come out

  typedef enum logic [2:0] {
    JobBegin,
    JobArm,      // its own data are in its place
    JobFault,    // its own data were refused
    JobFired,
    JobEnd,
    JobExpired,
    JobNobody    // its message to this node has no destination
  } job_e;

  typedef enum logic [4:0] {
    StInit,
    StIdle,
    StQp,        // the row of the queue pair is there
    StPick,      // the rows of the descriptor are read
    StDesc,      // and are there
    StRow,       // the request is wanted
    StGot,
    StBegin,     // tally_status is told, and the time limit runs
    StPlace,     // a place for its payload
    StPlaced,
    StArm,
    StOwn,       // own data are on their way
    StFired,     // what follows is there
    StWrite,     // the result goes to memory
    StSend,
    StRelease,
    StEnd,       // tally_status is told
    StFlag,
    StFree,
    StGiveUp,
    StLook,      // who has not acknowledged
    StExc,
    StFault,
    StStop,      // a command: no further message for the queue pair
    StWait,      // until its accesses have ended
    StFlush,
    StFlushed,
    StDrain,
    StForget,    // its descriptors
    StForgotten,
    StPass
  } state_e;
  state_e state_d, state_q;
  job_e job_d, job_q;

  // ---- Tables ----
  logic [BufW:0] qp_mem_q [Qps];              // a descriptor waits to fire; buffers in use
  logic [DescRowW-1:0] desc_mem_q [Descs];
  logic [PlaceW-1:0] place_mem_q [Descs];     // of one that takes no intermediate result
  logic [FireRowW-1:0] fire_mem_q [Descs];
  logic [LeftW-1:0] left_mem_q [Descs];
  logic [EndRowW-1:0] end_mem_q [Descs];
  logic [Descs-1:0] active_q, own_q, read_q, armable_q, failed_own_q, fired_q, swaps_q, holds_q,
      writing_q, failed_q, sending_q, unsent_q, over_q, lacks_q, nobody_q;

  logic [BufW:0] qp_row_q, qp_new;
  logic [DescRowW-1:0] desc_row_q;
  logic [PlaceW-1:0] place_row_q, place;
  logic [FireRowW-1:0] fire_row_q;
  logic [LeftW-1:0] left_row_q;
  logic [EndRowW-1:0] end_row_q;
  logic [DescW-1:0] desc_d, desc_q, scan_q;
  logic [QpW-1:0] qp_q, desc_qp, qp_at;
  logic [EntryW-1:0] entry_q, desc_entry;
  logic [GroupW-1:0] group_q, desc_group;
  logic [InitW-1:0] init_q;
  tally_request_pkg::request_t req_q;
  tally_local_pkg::row_t row_q;
  assign {desc_qp, desc_entry, desc_group} = desc_row_q;

  // ---- Events that wait for their turn, one of each kind ----
  logic [Descs-1:0] ends;
  logic any_fault, any_fired, any_end, any_arm, any_over, any_nobody, free_valid;
  logic takes_cmd;
  // Lowest bit that is set: in each group of 8 bits, and then of the groups.
  function automatic logic [DescW-1:0] lowest(input logic [Descs-1:0] bits);
    logic [8*Octets-1:0] all;
    logic [Octets-1:0][2:0] low;
    all = (8 * Octets)'(bits);
    lowest = '0;
    for (int unsigned i = Octets; i > 0; i--) begin
      low[i-1] = '0;
      for (int unsigned k = 8; k > 0; k--) if (all[8*(i-1)+k-1]) low[i-1] = 3'(k - 1);
      if (all[8*(i-1) +: 8] != '0) lowest = DescW'(8 * (i - 1) + 32'(low[i-1]));
    end
  endfunction
  assign ends = active_q & sending_q & ~unsent_q & ~writing_q;
  assign any_fault = failed_own_q != '0;
  assign any_fired = fired_q != '0;
  assign any_end = ends != '0;
  assign any_arm = armable_q != '0;
  assign any_over = over_q != '0;
  assign any_nobody = nobody_q != '0;

  // ---- Steps ----
  logic swaps, gives, in_list, has_room, qp_may, may_begin, is_stop, own_here, is_last,
      lists_result, scans_this;
  assign swaps = req_q.flags[tally_pkg::WqeFSwpFlagBit];
  assign gives = !swaps || req_q.flags[tally_pkg::WqeFRflagBit];
  assign in_list = req_q.num_gather != '0 && req_q.give_len != '0;
  assign has_room = reads_q != ReadsW'(Reads) && !acc_valid_o;
  assign qp_may = !qp_row_q[BufW] && qp_row_q[BufW-1:0] != BufW'(tally_pkg::SendBufs);
  assign may_begin = qp_may && free_valid;
  assign denied = state_q == StQp && qp_may && !free_valid;
  assign is_stop = cmd_i == tally_sender_pkg::CommandEnd ||
                   (cmd_i == tally_sender_pkg::CommandState &&
                    cmd_state_i != 8'(tally_pkg::QpsRts));
  assign scans_this = active_q[scan_q] && desc_qp == qp_q;
  assign own_here = scans_this && (own_q[scan_q] || writing_q[scan_q]);
  assign is_last = scan_q == LastDesc;

  logic [ReadsW-1:0] reads_q;
  logic [2:0] drain_q;
  logic scanned_q;  // the row of the descriptor that is scanned is there
  logic scans, scan_moves, forgotten, forgot_q, released_q, qp_write, denied;
  logic [DescW-1:0] at, at_q, scan_d;
  logic [PlaceW-1:0] place_q;
  logic [$clog2(Descs+1)-1:0] unused_count;
  logic starts_time, begins_sends, looks, forgets, arms, gives_up, flushes, takes_place,
      writes_start,
      in_quiet, limit_ready, sends_ready, look_ready, forget_ready, arm_ready, give_up_ready,
      flush_ready, flush_done, place_ready, place_done, release_ready, releases, note_ready,
      works_ready, write_ready, told_q, timed_q;
  logic [PlaceW-1:0] new_place;
  logic [63:0] missing;
  logic starved, spoilt, writes;

  always_comb begin
    state_d = state_q;
    job_d = job_q;
    desc_d = desc_q;
    takes_cmd = 1'b0;
    unique case (state_q)
      StInit: if (32'(init_q) + 1 >= Qps && 32'(init_q) + 1 >= Descs) state_d = StIdle;
      StIdle: begin
        if (cmd_valid_i) begin
          takes_cmd = 1'b1;
          state_d = StStop;
        end else if (any_fault) begin
          job_d = JobFault;
          desc_d = lowest(failed_own_q);
          state_d = StPick;
        end else if (any_fired) begin
          job_d = JobFired;
          desc_d = lowest(fired_q);
          state_d = StPick;
        end else if (any_nobody) begin
          job_d = JobNobody;
          desc_d = lowest(nobody_q);
          state_d = StPick;
        end else if (any_end) begin
          job_d = JobEnd;
          desc_d = lowest(ends);
          state_d = StPick;
        end else if (any_over) begin
          job_d = JobExpired;
          desc_d = lowest(over_q);
          state_d = StPick;
        end else if (any_arm) begin
          job_d = JobArm;
          desc_d = lowest(armable_q);
          state_d = StPick;
        end else if (begin_valid_i && has_room) begin
          job_d = JobBegin;
          state_d = StQp;
        end
      end
      StQp: state_d = !may_begin ? StIdle : StRow;
      StPick: state_d = StDesc;
      StDesc: state_d = job_q == JobEnd ? StRelease : StRow;
      StRow: if (row_ready_i) state_d = StGot;
      StGot: begin
        if (got_valid_i) begin
          unique case (job_q)
            JobBegin: state_d = StBegin;
            JobArm: state_d = StArm;
            JobFault: state_d = StFault;
            JobFired: state_d = StFired;
            JobExpired: state_d = lacks_q[desc_q] ? StGiveUp : StLook;
            default: state_d = StExc;  // JobNobody
          endcase
        end
      end
      StBegin: if (told_q && timed_q) state_d = swaps ? StArm : StPlace;
      StPlace: if (place_ready) state_d = StPlaced;
      StPlaced: if (place_done) state_d = StOwn;
      StArm: if (arm_ready) state_d = job_q == JobBegin && gives ? StOwn : StIdle;
      StOwn: if (note_ready) state_d = StIdle;
      StFired: state_d = StWrite;
      StWrite: if (!lists_result || (!acc_valid_o && write_ready)) state_d = StSend;
      StSend: if (sends_ready) state_d = StIdle;
      StRelease: if (releases && release_ready) state_d = StEnd;
      StEnd: if (spoilt ? upd_ready_i : end_ready_i) state_d = !spoilt && end_flag_i ? StFlag :
                                                                                      StFree;
      StFlag: if (flag_ready_i) state_d = StFree;
      StFree: state_d = StIdle;
      StGiveUp: if (give_up_ready) state_d = StIdle;
      StLook: if (look_ready) state_d = StExc;
      StExc: if (exc_ready_i) state_d = StIdle;
      StFault: if (fault_ready_i) state_d = StIdle;
      StStop: if (works_ready) state_d = is_stop ? StWait : StPass;
      StWait: if (scanned_q && !own_here && is_last && in_quiet) state_d = StFlush;
      StFlush: if (flush_ready) state_d = StFlushed;
      StFlushed: if (flush_done) state_d = StDrain;
      StDrain: if (drain_q == Drain) state_d = StForget;
      StForget: begin
        if (scanned_q && scans_this) state_d = StForgotten;
        else if (scanned_q && is_last) state_d = StPass;
      end
      StForgotten: if (forgotten) state_d = is_last ? StPass : StForget;
      default: if (cmd_ready_i) state_d = StIdle;  // StPass
    endcase
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= StInit;
      init_q <= '0;
      scanned_q <= 1'b0;
      told_q <= 1'b0;
      timed_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == StInit) init_q <= init_q + 1'b1;
      scanned_q <= (state_q == StWait || state_q == StForget) && !scan_moves;
      told_q <= state_q == StBegin && (told_q || upd_ready_i);
      timed_q <= state_q == StBegin && (timed_q || limit_ready);
    end
  end
  always_ff @(posedge clk_i) begin
    job_q <= job_d;
    if (state_q == StIdle) begin
      desc_q <= desc_d;
      qp_q <= takes_cmd ? cmd_qp_i : begin_qp_i;
      entry_q <= begin_entry_i;
      group_q <= takes_cmd ? cmd_group_i : begin_group_i;
    end else if (state_q == StQp) begin
      desc_q <= free;
    end else if (state_q == StDesc) begin
      qp_q <= desc_qp;
      entry_q <= desc_entry;
      group_q <= desc_group;
    end
    if (got_valid_i) begin
      req_q <= got_i;
      row_q <= got_row_i;
    end
    if (state_q == StStop || state_q == StDrain) scan_q <= '0;
    else if (scan_moves) scan_q <= is_last ? '0 : scan_q + 1'b1;
    drain_q <= state_q == StDrain ? drain_q + 1'b1 : '0;
  end
  assign scan_moves = scanned_q && ((state_q == StWait && !own_here) ||
                                    (state_q == StForget && !scans_this)) ||
                      (state_q == StForgotten && forgotten);

  // ---- Tables: written by the step, or by events ----
  logic free_push, unused_free, fires, ready_valid, ready_failed,
      sent, over, over_lacks, nobody, lacks, reads_one, ended_read;
  logic [DescW-1:0] free, free_in, fire_desc, ready_desc, sent_desc, over_desc, leave_desc;
  tally_trigger_pkg::fire_t fire, fired;
  logic [15:0] end_err;
  logic [12:0] end_bytes;
  logic [63:0] end_disagree;
  assign scans = state_q == StWait || state_q == StForget || state_q == StForgotten;
  assign at = scans ? scan_d : desc_q;
  assign scan_d = scan_moves ? (is_last ? '0 : scan_q + 1'b1) : scan_q;

  tally_fifo #(.Width(DescW), .Depth(Descs)) u_free (
    .clk_i, .rst_ni, .in_valid_i(free_push), .in_ready_o(unused_free), .in_i(free_in),
    .out_valid_o(free_valid), .out_ready_i(state_q == StQp && may_begin), .out_o(free),
    .used_o(unused_count)
  );
  assign free_push = (state_q == StInit && 32'(init_q) < Descs) || state_q == StFree ||
                     (state_q == StForgotten && forgotten);
  assign free_in = state_q == StInit ? DescW'(init_q) : state_q == StFree ? desc_q : scan_q;

  assign qp_at = state_q == StIdle ? begin_qp_i : qp_q;
  always_comb begin
    qp_write = 1'b1;
    qp_new = qp_row_q;
    unique case (state_q)
      StInit: qp_new = '0;
      StGot: begin  // it has been read again since the job began
        qp_write = got_valid_i && job_q == JobBegin;
        qp_new = {1'b1, qp_row_q[BufW-1:0] + 1'b1};
      end
      StFired: qp_new = {1'b0, qp_row_q[BufW-1:0]};
      StFree: qp_new = {qp_row_q[BufW], qp_row_q[BufW-1:0] - 1'b1};
      StPass: begin
        qp_write = is_stop;
        qp_new = '0;
      end
      default: qp_write = 1'b0;
    endcase
  end
  always_ff @(posedge clk_i) begin
    qp_row_q <= qp_mem_q[qp_at];
    if (qp_write) qp_mem_q[state_q == StInit ? QpW'(init_q) : qp_q] <= qp_new;
  end
  always_ff @(posedge clk_i) begin
    desc_row_q <= desc_mem_q[at];
    if (state_q == StGot && got_valid_i && job_q == JobBegin) begin
      desc_mem_q[desc_q] <= {qp_q, entry_q, group_q};
    end
  end
  always_ff @(posedge clk_i) begin
    place_row_q <= place_mem_q[at];
    if (place_done) place_mem_q[desc_q] <= new_place;
  end
  always_ff @(posedge clk_i) begin
    fire_row_q <= fire_mem_q[at];
    if (fires) begin
      fire_mem_q[fire_desc] <= fire;
    end
  end
  assign fired = fire_row_q;
  assign place = swaps_q[at_q] ? fired.place[PlaceW-1:0] : place_row_q;
  always_ff @(posedge clk_i) at_q <= at;

  // Bits of descriptors.
  logic begins, frees, notes_own;
  logic [DescW-1:0] freed;
  assign begins = state_q == StGot && got_valid_i && job_q == JobBegin;
  assign frees = state_q == StFree || (state_q == StForgotten && forgotten);
  assign freed = state_q == StFree ? desc_q : scan_q;
  assign notes_own = state_q == StOwn && note_ready;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      active_q <= '0;
      own_q <= '0;
      read_q <= '0;
      armable_q <= '0;
      failed_own_q <= '0;
      fired_q <= '0;
      swaps_q <= '0;
      holds_q <= '0;
      writing_q <= '0;
      failed_q <= '0;
      sending_q <= '0;
      unsent_q <= '0;
      over_q <= '0;
      lacks_q <= '0;
      nobody_q <= '0;
      reads_q <= '0;
    end else begin
      if (begins) begin
        active_q[desc_q] <= 1'b1;
        swaps_q[desc_q] <= got_i.flags[tally_pkg::WqeFSwpFlagBit];
        failed_q[desc_q] <= 1'b0;
      end
      if (place_done) holds_q[desc_q] <= 1'b1;
      if (notes_own) begin
        own_q[desc_q] <= 1'b1;
        read_q[desc_q] <= in_list;
      end
      if (ready_valid) begin
        own_q[ready_desc] <= 1'b0;
        read_q[ready_desc] <= 1'b0;
        if (ready_failed) failed_own_q[ready_desc] <= 1'b1;
        else if (!swaps_q[ready_desc]) armable_q[ready_desc] <= 1'b1;
      end
      // The end of a write, or a read that is refused before it begins.
      if (done_valid_i) begin
        if (read_q[done_desc_i]) begin
          own_q[done_desc_i] <= 1'b0;
          read_q[done_desc_i] <= 1'b0;
          failed_own_q[done_desc_i] <= 1'b1;
        end else begin
          writing_q[done_desc_i] <= 1'b0;
          failed_q[done_desc_i] <= done_failed_i;
        end
      end
      reads_q <= reads_q + ReadsW'(reads_one) - ReadsW'(ended_read);
      if (state_q == StPick) begin
        if (job_q == JobArm) armable_q[desc_q] <= 1'b0;
        if (job_q == JobFault) failed_own_q[desc_q] <= 1'b0;
        if (job_q == JobFired) fired_q[desc_q] <= 1'b0;
        if (job_q == JobExpired) over_q[desc_q] <= 1'b0;
        if (job_q == JobNobody) nobody_q[desc_q] <= 1'b0;
      end
      if (fires) begin
        fired_q[fire_desc] <= 1'b1;
        if (fire.swaps) holds_q[fire_desc] <= 1'b1;
      end
      if (state_q == StWrite && state_d == StSend && lists_result) writing_q[desc_q] <= 1'b1;
      if (begins_sends && sends_ready) begin
        sending_q[desc_q] <= 1'b1;
        unsent_q[desc_q] <= !(sent && sent_desc == desc_q);
      end else if (sent) begin
        unsent_q[sent_desc] <= 1'b0;
      end
      if (over) begin
        over_q[over_desc] <= 1'b1;
        lacks_q[over_desc] <= over_lacks;
      end
      if (nobody) nobody_q[leave_desc] <= 1'b1;
      if (frees) begin
        active_q[freed] <= 1'b0;
        holds_q[freed] <= 1'b0;
        sending_q[freed] <= 1'b0;
        armable_q[freed] <= 1'b0;
        failed_own_q[freed] <= 1'b0;
        fired_q[freed] <= 1'b0;
        over_q[freed] <= 1'b0;
        nobody_q[freed] <= 1'b0;
      end
    end
  end
  assign reads_one = notes_own && in_list;
  assign ended_read = (ready_valid && read_q[ready_desc]) || (done_valid_i && read_q[done_desc_i]);

  // ---- What has fired ----
  logic [Receivers-1:0] receivers;
  tally_trigger_pkg::message_t message;
  logic [94:0] message_raw;
  tally_trigger_pkg::left_t left_new;
  logic [LeftW-1:0] left_raw;
  logic fired_spoilt;
  logic [63:0] fired_contributors;
  logic [15:0] fired_port;
  logic [7:0] fired_opcode;
  logic [31:0] fired_mid;
  tally_trigger_fired u_fired (
    .clk_i, .rst_ni, .req_i(got_i), .fire_swaps_i(fired.swaps), .fire_many_i(fired.many),
    .fire_op_i(fired.op), .fire_dtype_i(fired.dtype), .fire_count_i(fired.count),
    .fire_disagree_i(fired.disagree), .fire_err_vector_i(fired.err_vector), .spoilt_o(fired_spoilt),
    .disagree_o(fired_contributors), .writes_o(writes), .receivers_o(receivers),
    .message_o(message), .port_o(fired_port), .opcode_o(fired_opcode), .mid_o(fired_mid)
  );
  assign message_raw = message;
  always_comb begin
    left_new.group_ = 16'(group_q);
    left_new.place = 16'(place);
    left_new.opcode = fired_opcode;
    left_new.mid = fired_mid;
    left_new.port = fired_port;
    left_new.message = message_raw;
  end
  assign left_raw = left_new;
  logic [12:0] result_bytes;
  assign result_bytes = writes ? req_q.get_len[12:0] : '0;
  logic fired_writes_q, listed_q;
  logic [Receivers-1:0] receivers_q;
  assign lists_result = fired_writes_q && listed_q;
  always_ff @(posedge clk_i) begin
    left_row_q <= left_mem_q[leave_desc];
    end_row_q <= end_mem_q[at];
    if (state_q == StFired) begin
      left_mem_q[desc_q] <= left_raw;
      end_mem_q[desc_q] <= {fired_spoilt, fired_contributors, message.err_vector, result_bytes};
      fired_writes_q <= writes;
      listed_q <= req_q.get_len != '0;
      receivers_q <= receivers;
      place_q <= place;
    end
  end
  assign {spoilt, end_disagree, end_err, end_bytes} = end_row_q;

  // ---- What is told ----
  assign begin_ready_o = state_q == StQp;
  assign begin_took_o = may_begin;
  logic mark_own, denied_valid, denied_waits;
  logic [QpW-1:0] denied_qp;
  logic unused_search;
  assign mark_own = state_q == StFired || state_q == StFree;
  // Queue pairs for which the device had no buffer.
  tally_marks #(.Num(Qps)) u_denied (
    .clk_i, .rst_ni, .busy_o(denied_waits), .mark_valid_i(denied), .mark_i(qp_q),
    .searches_o(unused_search),
    .out_valid_o(denied_valid), .out_ready_i(free_valid && !mark_own), .out_o(denied_qp)
  );
  assign fired_o = state_q == StFired;
  assign mark_valid_o = mark_own || (denied_valid && free_valid);
  assign mark_qp_o = mark_own ? qp_q : denied_qp;
  assign upd_valid_o = (state_q == StBegin && !told_q) || (state_q == StEnd && spoilt);
  assign upd_qp_o = qp_q;
  assign upd_entry_o = entry_q;
  always_comb begin
    upd_o = '0;
    if (state_q == StBegin) begin
      upd_o.last = 1'b1;
      upd_o.ranks = 7'd1;
    end else begin
      upd_o.refused = 1'b1;
      upd_o.status = 16'(tally_pkg::CollMismatch);
      upd_o.contributors = end_disagree;
      upd_o.err_vector = end_err;
    end
  end
  assign end_valid_o = state_q == StEnd && !spoilt;
  assign end_qp_o = qp_q;
  assign end_entry_o = entry_q;
  always_comb begin
    end_o.flag = 1'b0;
    end_o.failed = failed_q[desc_q];
    end_o.ranks = 7'd1;
    end_o.bytes = end_bytes;
    end_o.err_vector = end_err;
  end
  assign flag_valid_o = state_q == StFlag;
  assign flag_qp_o = qp_q;
  assign flag_entry_o = entry_q;
  assign cmd_valid_o = state_q == StPass;
  assign cmd_ready_o = cmd_valid_o && cmd_ready_i;
  assign row_valid_o = state_q == StRow;
  assign row_entry_o = entry_q;
  assign fault_valid_o = state_q == StFault;
  assign exc_valid_o = state_q == StExc;
  assign exc_group_o = group_q;
  assign exc_mid_o = req_q.mid;
  logic [63:0] missing_q;
  logic starved_q;
  always_ff @(posedge clk_i) begin
    if (look_ready) begin
      missing_q <= sending_q[desc_q] ? missing : '0;
      starved_q <= starved;
    end
  end
  assign exc_status_o = job_q == JobNobody ? 16'(tally_pkg::CollBadDest) :
                        starved_q ? 16'(tally_pkg::CollRmqOverflow) : 16'(tally_pkg::CollTimeout);
  assign exc_contributors_o = job_q == JobNobody ? '0 : missing_q;
  assign exc_lacks_o = job_q == JobExpired && !sending_q[desc_q];
  assign exc_ranks_o = job_q == JobExpired ? '0 : req_q.rank_mask;

  // ---- Accesses to memory ----
  logic acc_valid_q, acc_write;
  tally_local_pkg::access_t acc_q, acc_new;
  assign acc_write = state_q == StWrite;
  assign writes_start = acc_write && lists_result && !acc_valid_q;
  always_comb begin
    acc_new.none = 1'b0;
    acc_new.write = acc_write;
    acc_new.pd = row_q.pd;
    acc_new.lkey = acc_write ? row_q.result.lkey : row_q.gather.lkey;
    acc_new.addr = acc_write ? row_q.result.addr : row_q.gather.addr;
    acc_new.len = acc_write ? req_q.get_len[12:0] : req_q.give_len[12:0];
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) acc_valid_q <= 1'b0;
    else if (acc_valid_q) acc_valid_q <= !acc_ready_i;
    else acc_valid_q <= (writes_start && write_ready) || reads_one;
  end
  always_ff @(posedge clk_i) begin
    if (!acc_valid_q) begin
      acc_q <= acc_new;
      acc_desc_o <= desc_q;
    end
  end
  assign acc_valid_o = acc_valid_q;
  assign acc_o = acc_q;

  // ---- The blocks ----
  logic self_valid, self_ready, self_wants, self_tvalid, self_tready, queue_busy, out_busy,
      timers_busy;
  logic [GroupW-1:0] self_group;
  logic [15:0] self_port;
  tally_trigger_pkg::message_t self_message;
  tally_trigger_pkg::self_e self_end;
  logic [WordBits-1:0] self_data;
  logic works_valid, works;
  assign works_valid = state_q == StStop;
  assign works = cmd_state_i == 8'(tally_pkg::QpsRts) && cmd_i != tally_sender_pkg::CommandEnd;
  logic changes_works;
  assign changes_works = works_valid && cmd_i != tally_sender_pkg::CommandAnswer;
  logic works_taken;
  assign works_ready = works_taken || !changes_works;
  logic note_valid, note_none;
  tally_trigger_pkg::own_t own_note;
  logic [PlaceW-1:0] plain_q;
  assign note_valid = state_q == StOwn;
  assign note_none = !in_list;
  always_ff @(posedge clk_i) if (place_done) plain_q <= new_place;
  always_comb begin
    own_note.swaps = swaps;
    own_note.values = req_q.flags[tally_pkg::WqeFLocValuesBit];
    own_note.give_log = req_q.give_log[1:0];
    own_note.index = req_q.loc_index;
    own_note.group_ = 16'(group_q);
    own_note.qp = 16'(qp_q);
    own_note.place = 16'(plain_q);
    own_note.op = req_q.op;
    own_note.dtype = req_q.dtype;
    own_note.counter = req_q.counter;
    own_note.count = req_q.count;
    own_note.bytes = 13'(req_q.count[12:0] << req_q.elem_log);
    own_note.len = req_q.give_len[12:0];
  end
  logic rd_valid, rd_ready, rdata_valid, has_new_room, leaves;
  logic [PlaceW-1:0] rd_place;
  logic [WordW-1:0] rd_word;
  logic [WordBits-1:0] rdata;
  logic [DescW-1:0] lacks_desc, go_desc, forget_desc;
  assign arms = state_q == StArm;
  assign gives_up = state_q == StGiveUp;
  assign flushes = state_q == StFlush;
  assign takes_place = state_q == StPlace;
  // A packet may be leaving again, although its acknowledgement has come.
  assign releases = (state_q == StRelease && !(leaves && go_desc == desc_q)) ||
                    (state_q == StForgotten && holds_q[scan_q] && !released_q);
  tally_trigger_queue #(
    .Groups(Groups), .Qps(Qps), .Entries(Entries), .Descs(Descs), .Cells(Cells), .Flights(Flights),
    .Reads(Reads), .AluLatency(AluLatency)
  ) u_queue (
    .clk_i, .rst_ni, .busy_o(queue_busy), .link_valid_i, .link_ready_o, .link_first_i,
    .link_index_i, .link_end_i, .link_qp_i, .port_valid_i, .port_ready_o, .port_qp_i, .port_i,
    .works_valid_i(changes_works), .works_ready_o(works_taken), .works_i(works), .group_write_i,
    .group_index_i, .mtu_i, .cells_valid_i, .cells_ready_o, .cells_group_i, .cells_i, .cells_keep_i,
    .cells_done_o, .cells_given_o, .rec_valid_i, .rec_ready_o, .rec_i, .adm_i, .flight_i,
    .pay_tvalid_i, .pay_tready_o, .pay_tdata_i, .end_flight_valid_o, .end_flight_ready_i,
    .end_flight_o, .end_stored_o, .dropped_o, .unsaid_o, .busy_valid_o, .busy_ready_i,
    .busy_reply_o, .self_valid_i(self_valid), .self_ready_o(self_ready), .self_o(self_end),
    .self_group_i(self_group), .self_port_i(self_port), .self_i(self_message),
    .self_wants_o(self_wants), .self_tvalid_i(self_tvalid), .self_tready_o(self_tready),
    .self_tdata_i(self_data), .qp_i(qp_q), .group_i(group_q), .entry_i(entry_q), .desc_i(desc_q),
    .counter_i(req_q.counter[1:0]), .cpcnt_i(req_q.cpcnt[CpcntW-1:0]), .swaps_i(swaps),
    .gives_i(gives), .quiet_o(in_quiet), .arm_valid_i(arms), .arm_ready_o(arm_ready),
    .give_up_valid_i(gives_up), .give_up_ready_o(give_up_ready), .flush_valid_i(flushes),
    .flush_ready_o(flush_ready), .flush_done_o(flush_done), .buffer_valid_i(takes_place),
    .buffer_ready_o(place_ready), .buffer_done_o(place_done), .buffer_place_o(new_place),
    .release_valid_i(releases), .release_ready_o(release_ready), .release_place_i(place),
    .note_valid_i(note_valid), .note_ready_o(note_ready), .note_none_i(note_none),
    .note_i(own_note), .ready_valid_o(ready_valid), .ready_desc_o(ready_desc),
    .ready_failed_o(ready_failed), .out_valid_i, .out_data_i, .out_last_i, .out_desc_i,
    .out_error_i, .line_valid_o, .line_ready_i, .line_entry_o, .line_from_o, .line_len_o,
    .inl_valid_i, .inl_ready_o, .inl_data_i, .fire_valid_o(fires), .fire_o(fire),
    .fire_desc_o(fire_desc), .lacks_valid_o(lacks), .lacks_desc_o(lacks_desc),
    .room_o(has_new_room), .rd_valid_i(rd_valid), .rd_ready_o(rd_ready), .rd_place_i(rd_place),
    .rd_word_i(rd_word), .rdata_valid_o(rdata_valid), .rdata_o(rdata), .alu_valid_o, .alu_op_o,
    .alu_dtype_o, .alu_a_o, .alu_b_o, .alu_result_i, .alu_flags_i
  );

  logic wakes;
  assign begins_sends = state_q == StSend;
  assign looks = state_q == StLook;
  assign forgets = state_q == StForgotten && !forgot_q;
  assign forget_desc = scan_q;
  assign forgotten = state_q == StForgotten && (forgot_q || forget_ready) &&
                     (!holds_q[scan_q] || released_q || release_ready);
  assign wakes = wake_i || has_new_room;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      forgot_q <= 1'b0;
      released_q <= 1'b0;
    end else begin
      forgot_q <= state_q == StForgotten && !forgotten && (forgot_q || forget_ready);
      released_q <= state_q == StForgotten && !forgotten && (released_q || release_ready);
    end
  end
  tally_trigger_out #(
    .Descs(Descs), .Groups(Groups), .Places(Places)
  ) u_out (
    .clk_i, .rst_ni, .busy_o(out_busy), .begin_valid_i(begins_sends), .begin_ready_o(sends_ready),
    .begin_desc_i(desc_q), .begin_group_i(group_q), .begin_receivers_i(receivers_q),
    .done_valid_o(sent),
    .done_desc_o(sent_desc), .at_valid_o(leaves), .at_desc_o(go_desc), .look_valid_i(looks),
    .look_ready_o(look_ready), .look_desc_i(desc_q), .look_missing_o(missing),
    .look_starved_o(starved), .forget_valid_i(forgets), .forget_ready_o(forget_ready),
    .forget_desc_i(forget_desc), .wake_i(wakes), .row_desc_o(leave_desc), .left_i(left_row_q),
    .nobody_o(nobody), .write_valid_i(writes_start), .write_ready_o(write_ready),
    .write_place_i(place_q), .write_len_i(req_q.get_len[12:0]), .dat_valid_o, .dat_ready_i, .dat_o,
    .head_valid_o, .head_ready_i, .head_end_i, .head_o, .txp_tvalid_o, .txp_tready_i, .txp_tdata_o,
    .txp_tkeep_o, .txp_tlast_o, .acked_valid_i, .acked_ready_o, .acked_i, .again_valid_i,
    .again_ready_o, .again_i, .self_valid_o(self_valid), .self_ready_i(self_ready),
    .self_i(self_end), .self_group_o(self_group), .self_port_o(self_port), .self_o(self_message),
    .self_wants_i(self_wants), .self_tvalid_o(self_tvalid), .self_tready_i(self_tready),
    .self_tdata_o(self_data), .rd_valid_o(rd_valid), .rd_ready_i(rd_ready), .rd_place_o(rd_place),
    .rd_word_o(rd_word), .rdata_valid_i(rdata_valid), .rdata_i(rdata)
  );

  logic timer_fired;
  assign starts_time = state_q == StBegin && !timed_q;
  assign timer_fired = state_q == StFired;
  assign over_desc = expired_desc;
  assign over_lacks = expired_lacks;
  logic [DescW-1:0] expired_desc;
  logic expired_lacks;
  tally_trigger_timers #(.Descs(Descs), .Groups(Groups)) u_timers (
    .clk_i, .rst_ni, .busy_o(timers_busy), .now_i, .deadline_valid_o, .deadline_o,
    .group_write_i, .group_index_i, .group_limit_i(limit_i), .start_valid_i(starts_time),
    .start_ready_o(limit_ready), .start_desc_i(desc_q), .start_group_i(group_q),
    .start_since_i(now_i), .start_ms_i(req_q.timeout_ms), .lacks_valid_i(lacks),
    .lacks_desc_i(lacks_desc), .fired_valid_i(timer_fired), .fired_desc_i(desc_q),
    .stop_valid_i(frees), .stop_desc_i(freed), .expired_valid_o(over), .expired_ready_i(1'b1),
    .expired_desc_o(expired_desc), .expired_lacks_o(expired_lacks)
  );

  assign busy_o = state_q != StIdle || queue_busy || out_busy || timers_busy || any_fault ||
                  any_fired || any_end || any_nobody || any_over || any_arm || acc_valid_q ||
                  (denied_waits && free_valid);
  logic unused;
  assign unused = ^{unused_free, unused_count, unused_search, req_q, row_q, tells_unused};
  logic tells_unused;
  assign tells_unused = ^{left_new, message};
endmodule
