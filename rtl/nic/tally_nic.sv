// SPDX-License-Identifier: BSD-2-Clause
// The NIC's hardware: the units of the collective engine that exist as blocks, put together.
// docs/rtl-nic.md says which they are and which are missing. The missing units are beyond the ports
// of "boundary": there is the C model in the simulator (sim/rtl).
//
// axil_*: registers: struct net of tally_fw_pkg (tally_nic_regs), whose MAC and GID must be written
// before the first frame, and to be written only, those of the tables of groups and edges
// (tally_admission_tables). rx_*, tx_*: frames without their check sequence, from and to the
// Ethernet MAC. rx_terror_i at the last word means that the MAC found a wrong check sequence.
//
// Boundary: rec_* and adm_o are the records of received frames and which edge they are for, pay_*
// the payloads of those that are admitted (tally_admission), and whose numbers are new
// (tally_edge_gate, which has rec_flight_*, end_* and ack_*), hdr_* and dat_* the headers and the
// payloads to be sent (tally_encap), err_* its refusals. rec_here_o: the payload is for the segment
// store (tally_store_unit), and its flight ends there. op_*, ans_*, cmd_* and moved_* are the other
// ports of the store, which has the segments of all groups. lends_o, owes_o and grant_* are those
// of tally_pool_unit, which raises limits. What the store has for neighbours leaves by tally_send,
// which also acknowledges packets of its groups; left_* and there_* tell of it. name_i names the
// edge of a header that is to be numbered; acked_*, again_* and expired_* tell what becomes of it
// (tally_edge_send). random_*: words that nobody can predict, for RENEW_EDGE (tally_fw_renew).
//
// cpl_*, evt_*, waits_o, told_*, cqe_o, overrun_o, dma_error_o and fatal_code_o are those of
// completion and event queues (tally_queues).
//
// push_*: AXI4 slave, the host's writes to UARs and push buffers. posted_*, over_*, begin_o,
// inline_*, entry_*, pushed_o and unread_o (dma_error_o there) are the ports of tally_requests.
// took_*, with req_o and req_verdict_o, retire_* (retired_o there), upd_*, fin_* (end_* there),
// fail_* and message_* are those of tally_status_unit. done_*: the completion that it has next,
// which waits for done_go_i; rung_*: when the doorbell of its request was noticed. Other
// completions come by cpl_*. acc_*, acw_*, acr_* and ace_*: accesses of the engine to memory
// regions, words of writes, words of reads, and ends (acc_*, dat_*, out_* and done_* of
// tally_regions). Tags with the highest bit are those of tally_local_unit, which gets their words
// and ends, too.
//
// fired_*: a descriptor of tally_trigger_unit has fired.
// message_end_*: what has become of a TRIGGER packet, whose payload is elsewhere: it is stored, or
// (message_bad_o) impossible, or was answered BUSY, which message_busy_o counts. message_left_* and
// message_there_*: a message has left, and is acknowledged.
//
// began_* and look_* are ports of tally_sender_unit, which posts the chunks of queue pairs whose
// requests it begins. far_* are those of tally_local_unit.
// acl_*, alw_*: an access of one of these two has been taken, and a word that is written. Numbers
// of accesses of tally_trigger_unit have the highest bit.
//
// dma_*: AXI4 master, to host memory; all bursts are INCR, of whole words; rlast has no port.
// irq_*: interrupts, with the queue whose event is in memory.
//
// exc_*, drained_*: exceptions of units beyond the boundary, and groups that have finished their
// chunks. freeze_*: an exception has ended the epoch of a group (tally_nic_exceptions).
//
// fw_wait_o: an event waits for the firmware (tally_nic_events), which reads it by struct event.
// event_lost_o: a packet for the firmware has found no place there. event_marked_o: one that was
// taken is marked for congestion.
//
// now_i is the time in picoseconds; it may stand still only as long as the clock. deadline_*: when
// the clock is needed although nothing is inside.
//
// idle_o is high if nothing is inside: no frame, record, payload or header, and no answer of a
// register. Then the clock may stop until an input is valid, or until the deadline; the state
// keeps. It depends on registers only. It says nothing about inputs of the same cycle, nor about a
// word of payload that came ahead of its header. After reset it is low until the tables are empty.
module tally_nic #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned BucketW = 10,  // log2 of the number of lists of groups
  // numbered packets beyond the boundary whose end has not been told
  parameter int unsigned Flights = 8,
  parameter int unsigned Edges = tally_pkg::MaxEdges,  // open edges of all groups together
  parameter int unsigned NumCq = tally_pkg::MaxCq,
  parameter int unsigned Slots = tally_pkg::MaxSeg,  // segments
  parameter int unsigned Qps = tally_pkg::MaxQp,
  parameter int unsigned Entries = tally_pkg::MaxRequests,  // requests of all queue pairs
  parameter int unsigned Uars = tally_pkg::NumUars,
  parameter int unsigned NumMr = tally_pkg::MaxMr,
  parameter int unsigned Descs = 256,  // payload buffers of descriptors
  parameter int unsigned Cells = tally_pkg::RmqCells,
  parameter int unsigned Lines = 384,  // of inline data and lists of requests
  parameter int unsigned AccessTagW = 20,
  localparam int unsigned FlightW = $clog2(Flights),
  localparam int unsigned SlotW = $clog2(Slots),
  localparam int unsigned CqSlots = 16,       // reads of completion queues at a time
  localparam int unsigned MasterIdW = 1 + $clog2(CqSlots),  // of the reads of one master
  localparam int unsigned Masters = 3,        // of host memory
  localparam int unsigned MasterW = $clog2(Masters),
  localparam int unsigned DmaIdW = MasterW + MasterIdW,
  localparam int unsigned PushIdW = 4,
  localparam int unsigned PushAddrW = $clog2(tally_pkg::BarPushOffset) + 1,
  localparam int unsigned QpW = $clog2(Qps),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EntryW = $clog2(Entries),
  localparam int unsigned AccessLenW = tally_pkg::MinPageShift + 1,
  localparam int unsigned RankW = $clog2(tally_pkg::MaxRanks),
  localparam int unsigned SgeW = $clog2(tally_pkg::MaxSge),
  localparam int unsigned InlineW = $clog2(tally_pkg::MaxInline / 64),
  localparam int unsigned JobW = 5,
  localparam int unsigned DescW = $clog2(Descs),
  localparam int unsigned SegsW = $clog2(tally_pkg::MaxGroupSegs + 1),
  localparam int unsigned OwnW = 9,  // of the numbers of accesses that units make by themselves
  localparam int unsigned PdW = $clog2(tally_pkg::MaxPd),
  localparam int unsigned CqnW = $clog2(NumCq),
  localparam int unsigned EqnW = $clog2(tally_pkg::MaxEq),
  localparam int unsigned VectorW = $clog2(tally_pkg::NumVectors)
) (
  input  logic                               clk_i,
  input  logic                               rst_ni,
  output logic                               idle_o,
  input  logic [63:0]                        now_i,
  input  logic [63:0]                        now_ns_i,        // the same in nanoseconds
  output logic                               deadline_valid_o,
  output logic [63:0]                        deadline_o,

  input  logic                               axil_awvalid_i,
  output logic                               axil_awready_o,
  input  logic [31:0]                        axil_awaddr_i,
  input  logic                               axil_wvalid_i,
  output logic                               axil_wready_o,
  input  logic [31:0]                        axil_wdata_i,
  input  logic [3:0]                         axil_wstrb_i,
  output logic                               axil_bvalid_o,
  input  logic                               axil_bready_i,
  output logic [1:0]                         axil_bresp_o,
  input  logic                               axil_arvalid_i,
  output logic                               axil_arready_o,
  input  logic [31:0]                        axil_araddr_i,
  output logic                               axil_rvalid_o,
  input  logic                               axil_rready_i,
  output logic [31:0]                        axil_rdata_o,
  output logic [1:0]                         axil_rresp_o,

  input  logic                               rx_tvalid_i,
  output logic                               rx_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0] rx_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] rx_tkeep_i,
  input  logic                               rx_tlast_i,
  input  logic                               rx_terror_i,

  output logic                               tx_tvalid_o,
  input  logic                               tx_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] tx_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] tx_tkeep_o,
  output logic                               tx_tlast_o,

  output logic                               rec_valid_o,
  input  logic                               rec_ready_i,
  output tally_net_pkg::rx_hdr_t             rec_o,
  output tally_admission_pkg::admission_t    adm_o,
  output logic                               rec_flight_valid_o,
  output logic [FlightW-1:0]                 rec_flight_o,
  output logic                               pay_tvalid_o,
  input  logic                               pay_tready_i,
  output logic [tally_net_pkg::WordBits-1:0] pay_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] pay_tkeep_o,
  output logic                               pay_tlast_o,

  input  logic                               end_valid_i,
  output logic                               end_ready_o,
  input  logic [FlightW-1:0]                 end_flight_i,
  input  logic                               end_stored_i,
  output logic                               ack_valid_o,
  input  logic                               ack_ready_i,
  output tally_edge_pkg::ack_t               ack_o,

  output logic                               rec_here_o,
  output logic                               ans_valid_o,
  input  logic                               ans_ready_i,
  output tally_store_pkg::answer_t           ans_o,
  input  logic                               cmd_valid_i,
  output logic                               cmd_ready_o,
  input  tally_store_pkg::command_t          cmd_i,
  output logic                               moved_valid_o,
  output tally_store_pkg::moved_t            moved_o,
  output logic                               lends_o,
  output logic                               owes_o,
  output logic                               grant_valid_o,
  output logic [GroupW-1:0]                  grant_group_o,
  output logic [SegsW-1:0]                   grant_num_o,
  output logic                               left_valid_o,
  output tally_store_pkg::passage_t          left_o,
  output logic                               there_valid_o,
  output tally_store_pkg::passage_t          there_o,

  input  logic                               hdr_valid_i,
  output logic                               hdr_ready_o,
  output logic                               hdr_full_o,  // its edge's window is
  input  tally_encap_pkg::tx_hdr_t           hdr_i,
  input  tally_edge_pkg::name_t              name_i,
  input  logic                               dat_tvalid_i,
  output logic                               dat_tready_o,
  input  logic [tally_net_pkg::WordBits-1:0] dat_tdata_i,
  input  logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_i,
  input  logic                               dat_tlast_i,
  output logic                               acked_valid_o,
  input  logic                               acked_ready_i,
  output tally_edge_pkg::sent_t              acked_o,
  output logic                               again_valid_o,
  input  logic                               again_ready_i,
  output tally_edge_pkg::sent_t              again_o,
  output logic                               expired_valid_o,
  input  logic                               expired_ready_i,
  output tally_edge_pkg::expired_t           expired_o,
  output logic                               err_valid_o,
  output tally_encap_pkg::err_e              err_o,

  input  logic                               cpl_valid_i,
  output logic                               cpl_ready_o,
  input  logic [CqnW-1:0]                    cpl_cqn_i,
  input  logic [511:0]                       cpl_cqe_i,
  input  logic                               cpl_solicited_i,
  input  logic                               cpl_rung_i,
  input  logic [63:0]                        cpl_rung_at_i,
  input  logic                               evt_valid_i,
  output logic                               evt_ready_o,
  input  logic [EqnW-1:0]                    evt_eqn_i,
  input  logic [7:0]                         evt_type_i,
  input  logic [31:0]                        evt_id_i,
  input  logic [63:0]                        evt_data_i,
  output logic                               waits_o,
  output logic                               told_valid_o,
  output logic [EqnW-1:0]                    told_eqn_o,
  output logic [7:0]                         told_type_o,
  output logic [CqnW-1:0]                    told_cqn_o,
  output logic                               cqe_o,
  output logic                               overrun_o,
  output logic                               dma_error_o,
  output logic [31:0]                        fatal_code_o,

  input  logic                               push_awvalid_i,
  output logic                               push_awready_o,
  input  logic [PushIdW-1:0]                 push_awid_i,
  input  logic [PushAddrW-1:0]               push_awaddr_i,
  input  logic [7:0]                         push_awlen_i,
  input  logic [2:0]                         push_awsize_i,
  input  logic [1:0]                         push_awburst_i,
  input  logic                               push_wvalid_i,
  output logic                               push_wready_o,
  input  logic [511:0]                       push_wdata_i,
  input  logic [63:0]                        push_wstrb_i,
  input  logic                               push_wlast_i,
  output logic                               push_bvalid_o,
  input  logic                               push_bready_i,
  output logic [PushIdW-1:0]                 push_bid_o,
  output logic [1:0]                         push_bresp_o,
  output logic                               posted_valid_o,
  output logic [QpW-1:0]                     posted_qp_o,
  output logic [31:0]                        posted_count_o,
  output logic                               over_valid_o,
  output logic [QpW-1:0]                     over_qp_o,
  output logic                               begin_o,
  output logic                               inline_valid_o,
  output logic [5:0]                         inline_index_o,
  output logic [511:0]                       inline_o,
  output logic                               entry_valid_o,
  output logic                               entry_result_o,
  output logic [5:0]                         entry_index_o,
  output logic [63:0]                        entry_addr_o,
  output logic [31:0]                        entry_lkey_o,
  output logic                               took_valid_o,
  output logic [QpW-1:0]                     took_qp_o,
  output logic                               took_skip_o,
  output logic                               took_passes_o,
  output logic [EntryW-1:0]                  took_entry_o,
  output logic                               took_row_o,
  output logic                               took_begin_o,
  output logic                               took_ask_o,
  output tally_fw_pkg::verdict_e             req_verdict_o,
  output tally_request_pkg::request_t        req_o,
  output logic                               pushed_o,
  output logic                               unread_o,

  output logic                               retire_valid_o,
  output logic [QpW-1:0]                     retire_qp_o,
  input  logic                               upd_valid_i,
  output logic                               upd_ready_o,
  input  logic [QpW-1:0]                     upd_qp_i,
  input  logic [EntryW-1:0]                  upd_entry_i,
  input  tally_sender_pkg::update_t          upd_i,
  output logic                               upd_flag_o,
  input  logic                               fin_valid_i,
  output logic                               fin_ready_o,
  input  logic [QpW-1:0]                     fin_qp_i,
  input  logic [EntryW-1:0]                  fin_entry_i,
  input  tally_sender_pkg::end_t             fin_i,
  output logic                               fin_flag_o,
  output logic                               fail_valid_o,
  input  logic                               fail_ready_i,
  output logic [QpW-1:0]                     fail_qp_o,
  output logic [15:0]                        fail_status_o,
  output logic [63:0]                        fail_ranks_o,
  output logic [31:0]                        fail_mid_o,
  output logic                               message_o,
  output logic                               message_failed_o,
  output logic                               done_valid_o,
  input  logic                               done_go_i,
  output logic                               done_taken_o,
  output logic [CqnW-1:0]                    done_cqn_o,
  output tally_pkg::cqe_t                    done_o,
  input  logic                               rung_i,
  input  logic [63:0]                        rung_at_i,

  input  logic                               acc_valid_i,
  output logic                               acc_ready_o,
  input  logic [PdW-1:0]                     acc_pd_i,
  input  logic [31:0]                        acc_lkey_i,
  input  logic [63:0]                        acc_addr_i,
  input  logic [AccessLenW-1:0]              acc_len_i,
  input  logic                               acc_write_i,
  input  logic [AccessTagW-1:0]              acc_tag_i,
  input  logic                               acw_valid_i,
  output logic                               acw_ready_o,
  input  logic [511:0]                       acw_data_i,
  output logic                               acr_valid_o,
  input  logic                               acr_ready_i,
  output logic [511:0]                       acr_data_o,
  output logic [63:0]                        acr_keep_o,
  output logic                               acr_last_o,
  output logic [AccessTagW:0]                acr_tag_o,
  output logic                               acr_error_o,
  output logic                               ace_valid_o,
  input  logic                               ace_ready_i,
  output logic [AccessTagW:0]                ace_tag_o,
  output logic [15:0]                        ace_status_o,

  output logic                               began_valid_o,  // these two: pulses
  output logic [QpW-1:0]                     began_qp_o,
  output logic [EntryW-1:0]                  began_entry_o,
  output tally_sender_pkg::began_t           began_o,
  output logic                               look_valid_o,
  output logic [QpW-1:0]                     look_qp_o,
  output logic                               fired_valid_o,
  output logic [QpW-1:0]                     fired_qp_o,
  output logic [EntryW-1:0]                  fired_entry_o,
  output logic                               message_end_valid_o,
  output logic [FlightW-1:0]                 message_end_flight_o,
  output logic                               message_end_stored_o,
  output logic                               message_bad_o,
  output logic                               message_busy_o,
  output logic                               message_left_valid_o,
  output tally_store_pkg::passage_t          message_left_o,
  output logic                               message_there_valid_o,
  output tally_store_pkg::passage_t          message_there_o,
  output logic                               far_sge_valid_o,
  input  logic                               far_sge_ready_i,
  output logic                               far_sge_result_o,
  output logic [EntryW-1:0]                  far_sge_entry_o,
  output logic [SgeW-1:0]                    far_sge_index_o,
  input  logic                               far_sgot_valid_i,
  input  tally_local_pkg::entry_t            far_sgot_i,
  output logic                               far_read_valid_o,
  input  logic                               far_read_ready_i,
  output logic [EntryW-1:0]                  far_read_entry_o,
  output logic [InlineW:0]                   far_read_first_o,
  output logic [InlineW+1:0]                 far_read_words_o,
  input  logic                               far_word_valid_i,
  output logic                               far_word_ready_o,
  input  logic [511:0]                       far_word_i,
  output logic                               acl_valid_o,
  output tally_local_pkg::access_t           acl_o,
  output logic [OwnW-1:0]                    acl_job_o,
  output logic                               alw_valid_o,
  output logic [511:0]                       alw_o,

  output logic                               dma_awvalid_o,
  input  logic                               dma_awready_i,
  output logic [MasterW:0]                   dma_awid_o,  // completions, events, regions
  output logic [63:0]                        dma_awaddr_o,
  output logic [7:0]                         dma_awlen_o,
  output logic [2:0]                         dma_awsize_o,
  output logic [1:0]                         dma_awburst_o,
  output logic                               dma_wvalid_o,
  input  logic                               dma_wready_i,
  output logic [511:0]                       dma_wdata_o,
  output logic [63:0]                        dma_wstrb_o,
  output logic                               dma_wlast_o,
  input  logic                               dma_bvalid_i,
  output logic                               dma_bready_o,
  input  logic [MasterW:0]                   dma_bid_i,
  input  logic [1:0]                         dma_bresp_i,
  output logic                               dma_arvalid_o,
  input  logic                               dma_arready_i,
  output logic [DmaIdW-1:0]                  dma_arid_o,
  output logic [63:0]                        dma_araddr_o,
  output logic [7:0]                         dma_arlen_o,
  output logic [2:0]                         dma_arsize_o,
  output logic [1:0]                         dma_arburst_o,
  input  logic                               dma_rvalid_i,
  output logic                               dma_rready_o,
  input  logic [DmaIdW-1:0]                  dma_rid_i,
  input  logic [511:0]                       dma_rdata_i,
  input  logic [1:0]                         dma_rresp_i,
  output logic                               irq_valid_o,
  input  logic                               irq_ready_i,
  output logic [VectorW-1:0]                 irq_vector_o,
  output logic [EqnW-1:0]                    irq_eqn_o,

  input  logic                               exc_valid_i,
  output logic                               exc_ready_o,
  input  logic [GroupW-1:0]                  exc_group_i,
  input  logic [1:0]                         exc_cause_i,
  input  logic [15:0]                        exc_status_i,
  input  logic [31:0]                        exc_mid_i,
  input  logic [31:0]                        exc_sid_i,
  input  logic [63:0]                        exc_contributors_i,
  input  logic [63:0]                        exc_ranks_i,
  input  logic                               drained_valid_i,
  output logic                               drained_ready_o,
  input  logic [GroupW-1:0]                  drained_group_i,
  output logic                               freeze_valid_o,  // a pulse
  output logic [GroupW-1:0]                  freeze_group_o,

  input  logic                               random_valid_i,
  output logic                               random_ready_o,
  input  logic [63:0]                        random_i,
  output logic                               fw_wait_o,
  output logic                               event_lost_o,   // these two: pulses
  output logic                               event_marked_o
);
  localparam logic [31:0] Units = tally_fw_pkg::UnitParser | tally_fw_pkg::UnitEncap |
      tally_fw_pkg::UnitAdmission |
      tally_fw_pkg::UnitEdgeRx | tally_fw_pkg::UnitEdgeAck | tally_fw_pkg::UnitEdgeTx |
      tally_fw_pkg::UnitQueues | tally_fw_pkg::UnitSegments | tally_fw_pkg::UnitMemory |
      tally_fw_pkg::UnitRequests | tally_fw_pkg::UnitStatus | tally_fw_pkg::UnitLocal |
      tally_fw_pkg::UnitSender | tally_fw_pkg::UnitTrigger | tally_fw_pkg::UnitPool |
      tally_fw_pkg::UnitFwSend | tally_fw_pkg::UnitEvents | tally_fw_pkg::UnitExceptions |
      tally_fw_pkg::UnitOpen;
  localparam int unsigned EdgeW = $clog2(tally_pkg::MaxContributors + 1);
  localparam int unsigned RowW = $clog2(Edges);
  localparam int unsigned InsideW = 16;  // more frames than fit inside

  // ---- Parameters ----
  //
  // What counts these wraps around; more than the maximum would not fit the registers.
  if (Groups != 2 ** GroupW || Groups < 2 || Groups > tally_pkg::MaxGroup) begin : gen_bad_groups
    $error("tally_nic: Groups must be a power of two from 2 to MaxGroup");
  end
  if (NumCq != 2 ** CqnW || NumCq < 2 || NumCq > tally_pkg::MaxCq) begin : gen_bad_cqs
    $error("tally_nic: NumCq must be a power of two from 2 to MaxCq");
  end
  if (Qps != 2 ** QpW || Qps < 2 || Qps > tally_pkg::MaxQp) begin : gen_bad_qps
    $error("tally_nic: Qps must be a power of two from 2 to MaxQp");
  end
  if (Slots != 2 ** SlotW || Slots < 2 || Slots > tally_pkg::MaxSeg) begin : gen_bad_slots
    $error("tally_nic: Slots must be a power of two from 2 to MaxSeg");
  end
  if (Entries != 2 ** EntryW || Entries < tally_pkg::RequestStep ||
      Entries > tally_pkg::MaxRequests) begin : gen_bad_entries
    $error("tally_nic: Entries must be a power of two from RequestStep to MaxRequests");
  end
  if (Flights != 2 ** FlightW || Flights < 2) begin : gen_bad_flights
    $error("tally_nic: Flights must be a power of two, at least 2");
  end
  if (Tombs < 1 || Tombs > tally_pkg::MaxTombstones) begin : gen_bad_tombs
    $error("tally_nic: Tombs must be from 1 to MaxTombstones");
  end
  if (BucketW < 1 || BucketW > 16) begin : gen_bad_buckets
    $error("tally_nic: BucketW must be from 1 to 16");
  end
  if (Edges < 2 || Edges > tally_pkg::MaxEdges) begin : gen_bad_edges
    $error("tally_nic: Edges must be from 2 to MaxEdges");
  end
  if (Uars < 2 || Uars > tally_pkg::NumUars) begin : gen_bad_uars
    $error("tally_nic: Uars must be from 2 to NumUars");
  end
  if (NumMr < 2 || NumMr > tally_pkg::MaxMr) begin : gen_bad_mrs
    $error("tally_nic: NumMr must be from 2 to MaxMr");
  end
  if (Descs < 2 || DescW >= OwnW) begin : gen_bad_descs
    $error("tally_nic: Descs must be from 2 to 2**(OwnW - 1)");
  end
  if (Cells < 2 || Cells > tally_pkg::RmqCells) begin : gen_bad_cells
    $error("tally_nic: Cells must be from 2 to RmqCells");
  end
  if (Lines < 2) begin : gen_bad_lines
    $error("tally_nic: Lines must be at least 2");
  end
  if (AccessTagW <= OwnW) begin : gen_bad_tags
    $error("tally_nic: AccessTagW must be more than OwnW");
  end

  logic [47:0] mac;
  logic [127:0] gid;
  logic regs_busy, rec_taken, rec_good, tx_end;

  // ---- Clocks ----
  //
  // A unit with nothing inside needs no clock until an input is offered, or its time has come. The
  // units that exchange data have their edges at the same times. All run during a reset, and in the
  // clock after it, in which some begin to offer room.
  logic starts_q;
  logic rx_clk, send_clk, head_clk, tx_clk, requests_clk;
  logic rx_needed, send_needed, head_needed, tx_needed, requests_needed, status_needed,
      local_needed, sender_needed, trigger_needed, pool_needed;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) starts_q <= 1'b1;
    else starts_q <= 1'b0;
  end

  tally_clock_gate u_rx_gate (.clk_i, .en_i(rx_needed || starts_q), .clk_o(rx_clk));
  tally_clock_gate u_send_gate (.clk_i, .en_i(send_needed || starts_q), .clk_o(send_clk));
  tally_clock_gate u_head_gate (.clk_i, .en_i(head_needed || starts_q), .clk_o(head_clk));
  tally_clock_gate u_tx_gate (.clk_i, .en_i(tx_needed || starts_q), .clk_o(tx_clk));
  tally_clock_gate u_requests_gate (
    .clk_i,
    .en_i(requests_needed || status_needed || local_needed || sender_needed || trigger_needed ||
          pool_needed || starts_q),
    .clk_o(requests_clk)
  );

  // ---- Writes of registers ----
  //
  // The parser of requests, the status update and the firmware's packets have copies of registers
  // of other units, and some that nobody else has, so they listen: a register is written if any
  // unit has it.
  logic requests_listen, status_listens, firmware_listens, wrote, wrote_tables, for_memory,
      for_store, for_events, for_firmware;
  logic [tally_nic_pkg::Targets-1:0] write, write_ready, bvalid;
  logic [tally_nic_pkg::Targets-1:0][1:0] bresp;
  logic tables_bvalid, events_drop;
  logic memory_busy, requests_busy, status_busy, head_regs_busy, local_busy, sender_busy,
      trigger_busy, pool_busy, firmware_busy;
  // that of the address, too
  logic unused_regs_wready, unused_edge_wready, unused_memory_wready, unused_store_wready,
      unused_requests_wready, unused_status_wready, unused_sender_wready, unused_trigger_wready,
      unused_pool_wready, unused_firmware_wready;
  // Those of tally_fw_renew come amid one of the firmware's commands: only the tables see them.
  logic put_valid, put_ready, put_bvalid, puts, writes_busy, bready;
  logic [1:0] put_bresp;
  logic [31:0] put_addr, put_data, at_addr, at_data;
  logic [3:0] at_strb;

  tally_nic_writes u_writes (
    .clk_i, .rst_ni, .busy_o(writes_busy), .hold_i(head_holds_q), .taken_o(wrote),
    .tables_o(wrote_tables),
    .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i, .axil_wready_o, .axil_wdata_i,
    .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .put_valid_i(put_valid), .put_ready_o(put_ready), .put_addr_i(put_addr),
    .put_data_i(put_data), .put_bvalid_o(put_bvalid), .put_bresp_o(put_bresp), .put_o(puts),
    .at_addr_o(at_addr), .at_data_o(at_data), .at_strb_o(at_strb),
    .memory_mine_i(for_memory), .store_mine_i(for_store), .events_mine_i(for_events),
    .firmware_mine_i(for_firmware),
    .listened_i(requests_listen || status_listens || firmware_listens),
    .write_valid_o(write), .write_ready_i(write_ready), .bvalid_i(bvalid), .bresp_i(bresp),
    .bready_o(bready)
  );
  assign bvalid[tally_nic_pkg::ToTables] = tables_bvalid && !events_drop;

  // tally_send takes no write while it carries one out, or closes a row. It learns of either some
  // clocks before the next write is offered.
  logic head_holds_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) head_holds_q <= 1'b0;
    else head_holds_q <= head_regs_busy;
  end

  // Who has copies of registers that others answer learns of a write a clock after it was taken,
  // before the answer is.
  logic store_taken_q, tables_taken_q, renews, renewed_q;
  logic [RowW-1:0] renewed_row_q, written_row;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      store_taken_q <= 1'b0;
      tables_taken_q <= 1'b0;
      renewed_q <= 1'b0;
    end else begin
      store_taken_q <= write[tally_nic_pkg::ToStore] && write_ready[tally_nic_pkg::ToStore];
      tables_taken_q <= next_write && next_write_ready;
      renewed_q <= renews;
    end
  end
  always_ff @(posedge clk_i) renewed_row_q <= set_row;
  assign written_row = renewed_q ? renewed_row_q : next_row;

  // Reads are those of events (tally_nic_events), and of these.
  logic regs_arvalid, regs_arready, regs_rvalid, regs_rready;
  logic [31:0] regs_rdata;
  logic [1:0] regs_rresp;
  tally_nic_regs u_regs (
    .clk_i, .rst_ni,
    .axil_awvalid_i(write[tally_nic_pkg::ToRegs]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToRegs]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToRegs]),
    .axil_wready_o(unused_regs_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToRegs]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToRegs]),
    .axil_arvalid_i(regs_arvalid), .axil_arready_o(regs_arready), .axil_araddr_i,
    .axil_rvalid_o(regs_rvalid), .axil_rready_i(regs_rready), .axil_rdata_o(regs_rdata),
    .axil_rresp_o(regs_rresp),
    .units_i(Units),
    .mac_o(mac),
    .gid_o(gid),
    .rx_frame_i(rec_taken),
    .rx_bad_i(rec_taken && !rec_good),
    .tx_frame_i(tx_end),
    .tx_refused_i(err_valid_o),
    .busy_o(regs_busy)
  );

  // The tables of the sending side of edges come before those of the admission.
  logic next_write, next_write_ready, next_bvalid, next_bready, unused_next_wready;
  logic edge_regs_busy, set_offered, set_valid, set_ready, set_failed;
  logic [1:0] next_bresp;
  tally_edge_pkg::set_op_e set_op;
  logic [GroupW-1:0] set_group;
  logic [EdgeW-1:0] set_edge;
  logic [31:0] set_seq;
  logic [63:0] set_rto, set_cap;
  logic [8:0] set_limit;
  logic [RowW-1:0] set_row, next_row, look_row;
  logic taken, gone, stopped, look_valid, look_ready, look_found;
  logic [GroupW-1:0] look_group;
  logic [EdgeW-1:0] look_edge;
  logic tables_bvalid_next, tables_ready, head_mine, head_mine_q, head_write, head_ready,
      head_bvalid;
  logic closing, unused_head_wready;
  logic [1:0] tables_bresp_next, head_bresp;

  // Behind them, some are those of headers (tally_send), which sees the others, too. A write is
  // there for a clock, at least, before tally_edge_regs offers it.
  always_ff @(posedge clk_i) head_mine_q <= head_mine;
  assign head_write = next_write && head_mine_q;
  assign next_write_ready = head_mine_q ? head_ready : tables_ready;
  assign next_bvalid = head_bvalid || tables_bvalid_next;
  assign next_bresp = head_bvalid ? head_bresp : tables_bresp_next;

  tally_edge_regs #(
    .Groups(Groups), .Rows(Edges)
  ) u_edge_regs (
    .clk_i, .rst_ni,
    .busy_o(edge_regs_busy),
    .axil_awvalid_i(write[tally_nic_pkg::ToTables]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToTables]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToTables]),
    .axil_wready_o(unused_edge_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(tables_bvalid),
    .axil_bready_i(bready && !events_drop),
    .axil_bresp_o(bresp[tally_nic_pkg::ToTables]),
    .next_valid_o(next_write),
    .next_ready_i(next_write_ready),
    .next_bvalid_i(next_bvalid),
    .next_bready_o(next_bready),
    .next_bresp_i(next_bresp),
    .next_row_o(next_row),
    .set_valid_o(set_offered),
    .set_ready_i(set_ready),
    .set_failed_i(set_failed),
    .set_row_i(set_row),
    .set_op_o(set_op),
    .set_group_o(set_group),
    .set_edge_o(set_edge),
    .set_seq_o(set_seq),
    .set_rto_o(set_rto),
    .set_cap_o(set_cap),
    .set_limit_o(set_limit)
  );

  // ---- Received frames ----
  logic in_valid, in_ready, in_tvalid, in_tready, in_tlast, admission_busy;
  tally_net_pkg::rx_hdr_t in;
  logic ahead_valid;
  logic [127:0] ahead_sgid;
  tally_pkg::tch_t ahead_tch;
  logic [tally_net_pkg::WordBits-1:0] in_tdata;
  logic [tally_net_pkg::WordBytes-1:0] in_tkeep;

  tally_parser u_parser (
    .clk_i(rx_clk), .rst_ni,
    .mac_i(mac),
    .gid_i(gid),
    .in_tvalid_i(rx_tvalid_i),
    .in_tready_o(rx_tready_o),
    .in_tdata_i(rx_tdata_i),
    .in_tkeep_i(rx_tkeep_i),
    .in_tlast_i(rx_tlast_i),
    .in_terror_i(rx_terror_i),
    .ahead_valid_o(ahead_valid),
    .ahead_sgid_o(ahead_sgid),
    .ahead_tch_o(ahead_tch),
    .hdr_valid_o(in_valid),
    .hdr_ready_i(in_ready),
    .hdr_o(in),
    .out_tvalid_o(in_tvalid),
    .out_tready_i(in_tready),
    .out_tdata_o(in_tdata),
    .out_tkeep_o(in_tkeep),
    .out_tlast_o(in_tlast)
  );

  logic admission_look, admission_look_ready;
  logic [GroupW-1:0] admission_look_group;
  logic [EdgeW-1:0] admission_look_edge;
  logic adm_valid, adm_ready, adm_alive, adm_tvalid, adm_tready, adm_tlast, gate_busy, first_valid;
  tally_net_pkg::rx_hdr_t adm_rec;
  tally_admission_pkg::admission_t admission;
  logic [tally_net_pkg::WordBits-1:0] adm_tdata;
  logic [tally_net_pkg::WordBytes-1:0] adm_tkeep;
  logic [RowW-1:0] adm_row, first_row;
  logic [GroupW-1:0] first_group;
  logic [EdgeW-1:0] first_edge;
  logic [31:0] first_seq;

  tally_admission #(
    .Groups(Groups), .Tombs(Tombs), .Rows(Edges), .BucketW(BucketW)
  ) u_admission (
    .clk_i, .rst_ni,
    .busy_o(admission_busy),
    .axil_awvalid_i(next_write && !head_mine_q),
    .axil_awready_o(tables_ready),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(next_write && !head_mine_q),
    .axil_wready_o(unused_next_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(tables_bvalid_next),
    .axil_bready_i(next_bready),
    .axil_bresp_o(tables_bresp_next),
    .wr_row_i(next_row),
    .new_valid_i(taken),
    .new_row_i(set_row),
    .look_valid_o(admission_look),
    .look_ready_i(admission_look_ready),
    .look_group_o(admission_look_group),
    .look_edge_o(admission_look_edge),
    .look_row_i(look_row),
    .look_found_i(look_found),
    .ahead_valid_i(ahead_valid),
    .ahead_sgid_i(ahead_sgid),
    .ahead_tch_i(ahead_tch),
    .in_valid_i(in_valid),
    .in_ready_o(in_ready),
    .in_i(in),
    .pay_tvalid_i(in_tvalid),
    .pay_tready_o(in_tready),
    .pay_tdata_i(in_tdata),
    .pay_tkeep_i(in_tkeep),
    .pay_tlast_i(in_tlast),
    .out_valid_o(adm_valid),
    .out_ready_i(adm_ready),
    .out_o(adm_rec),
    .admission_o(admission),
    .alive_o(adm_alive),
    .row_o(adm_row),
    .dat_tvalid_o(adm_tvalid),
    .dat_tready_i(adm_tready),
    .dat_tdata_o(adm_tdata),
    .dat_tkeep_o(adm_tkeep),
    .dat_tlast_o(adm_tlast),
    .first_valid_o(first_valid),
    .first_row_o(first_row),
    .first_group_o(first_group),
    .first_edge_o(first_edge),
    .first_seq_o(first_seq)
  );

  // Packets for the firmware become events, behind which its writes go.
  logic epoch_valid, epoch_ready, epoch_begins, fence_valid, fence_ready, fence_begins;
  logic raise_valid, raise_ready;
  logic [GroupW-1:0] epoch_group, fence_group, raise_group;
  tally_events_pkg::group_kind_e raise_kind;
  tally_events_pkg::exception_t raise_exception;
  logic events_busy, events_take, others_valid, others_tvalid, others_tready, open_valid,
      open_ready;
  logic [31:0] open;
  tally_events_pkg::packet_t open_event;
  tally_nic_events #(.Groups(Groups), .Tombs(Tombs), .Qps(Qps)) u_events (
    .clk_i, .rst_ni, .busy_o(events_busy), .wait_o(fw_wait_o), .lost_o(event_lost_o),
    .marked_o(event_marked_o),
    .in_valid_i(adm_valid && hears), .in_ready_o(events_take), .in_i(adm_rec),
    .in_admission_i(admission), .pay_tvalid_i(adm_tvalid), .pay_tready_o(adm_tready),
    .pay_tdata_i(adm_tdata), .pay_tkeep_i(adm_tkeep), .pay_tlast_i(adm_tlast),
    .out_valid_o(others_valid), .out_ready_i(gate_takes), .dat_tvalid_o(others_tvalid),
    .dat_tready_i(others_tready),
    .write_i(wrote && at_strb == 4'b1111), .addr_i(at_addr), .data_i(at_data),
    .mine_o(for_events), .axil_awvalid_i(write[tally_nic_pkg::ToEvents]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToEvents]), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToEvents]), .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToEvents]), .rel_bvalid_i(tables_bvalid),
    .drops_o(events_drop),
    .set_valid_o(epoch_valid), .set_ready_i(epoch_ready), .set_begins_o(epoch_begins),
    .set_group_o(epoch_group), .fence_valid_o(fence_valid), .fence_ready_i(fence_ready),
    .fence_begins_o(fence_begins), .fence_group_o(fence_group),
    .raise_valid_i(raise_valid), .raise_ready_o(raise_ready), .raise_kind_i(raise_kind),
    .raise_group_i(raise_group), .raise_exception_i(raise_exception),
    .axil_arvalid_i, .axil_arready_o, .axil_araddr_i, .axil_rvalid_o, .axil_rready_i,
    .axil_rdata_o, .axil_rresp_o, .next_arvalid_o(regs_arvalid), .next_arready_i(regs_arready),
    .next_rvalid_i(regs_rvalid), .next_rready_o(regs_rready), .next_rdata_i(regs_rdata),
    .next_rresp_i(regs_rresp),
    .open_valid_o(open_valid), .open_ready_i(open_ready), .open_i(open), .open_event_o(open_event)
  );

  // Done and limit of a packet that has come to a group that lives go to tally_send.
  logic hears, peer_q, heard_ready, gate_takes, tells, unused_tch;
  tally_pkg::tch_t adm_tch;
  logic [RowW-1:0] peer_row_q;
  logic [31:0] peer_done_q;
  logic [15:0] peer_limit_q;

  assign adm_tch = adm_rec.tch;
  assign unused_tch = ^adm_tch;  // most of its fields
  assign hears = !peer_q || heard_ready;
  assign adm_ready = events_take && hears;
  assign tells = admission.verdict == 8'(tally_fw_pkg::AdmissionOk) && adm_alive &&
                 adm_tch.kind != 8'(tally_pkg::KindOpen) &&
                 adm_tch.kind != 8'(tally_pkg::KindKill) &&
                 !adm_tch.flags[tally_pkg::TchFKillAckBit] &&
                 !adm_tch.flags[tally_pkg::TchFMulticastBit];
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) peer_q <= 1'b0;
    else peer_q <= hears ? adm_valid && gate_takes && tells : peer_q;
  end
  always_ff @(posedge clk_i) begin
    peer_row_q <= hears ? adm_row : peer_row_q;
    peer_done_q <= hears ? adm_tch.done : peer_done_q;
    peer_limit_q <= hears ? adm_tch.limit : peer_limit_q;
  end

  logic ack_valid, ack_ready;
  logic gate_valid, gate_ready, gate_alive, gate_flight_valid, gate_tvalid, gate_tready, gate_tlast,
      gate_end_valid, gate_end_ready, gate_end_stored;
  logic [FlightW-1:0] gate_flight, gate_end_flight;
  tally_net_pkg::rx_hdr_t gate_rec;
  tally_admission_pkg::admission_t gate_admission;
  logic [tally_net_pkg::WordBits-1:0] gate_tdata;
  logic [tally_net_pkg::WordBytes-1:0] gate_tkeep;
  logic acks_deadline_valid, send_deadline_valid;
  logic [63:0] acks_deadline, send_deadline;

  tally_edge_gate #(
    .Groups(Groups), .Rows(Edges), .Flights(Flights)
  ) u_gate (
    .clk_i, .rst_ni,
    .busy_o(gate_busy),
    .in_valid_i(others_valid),
    .in_ready_o(gate_takes),
    .in_i(adm_rec),
    .in_admission_i(admission),
    .in_alive_i(adm_alive),
    .in_row_i(adm_row),
    .pay_tvalid_i(others_tvalid),
    .pay_tready_o(others_tready),
    .pay_tdata_i(adm_tdata),
    .pay_tkeep_i(adm_tkeep),
    .pay_tlast_i(adm_tlast),
    .out_valid_o(gate_valid),
    .out_ready_i(gate_ready),
    .out_o(gate_rec),
    .out_admission_o(gate_admission),
    .out_alive_o(gate_alive),
    .out_flight_valid_o(gate_flight_valid),
    .out_flight_o(gate_flight),
    .dat_tvalid_o(gate_tvalid),
    .dat_tready_i(gate_tready),
    .dat_tdata_o(gate_tdata),
    .dat_tkeep_o(gate_tkeep),
    .dat_tlast_o(gate_tlast),
    .end_valid_i(gate_end_valid),
    .end_ready_o(gate_end_ready),
    .end_flight_i(gate_end_flight),
    .end_stored_i(gate_end_stored),
    .now_i,
    .deadline_valid_o(acks_deadline_valid),
    .deadline_o(acks_deadline),
    .ack_valid_o(ack_valid),
    .ack_ready_i(ack_ready),
    .ack_o,
    .first_valid_i(first_valid),
    .first_row_i(first_row),
    .first_group_i(first_group),
    .first_edge_i(first_edge),
    .first_seq_i(first_seq),
    .gone_valid_i(gone),
    .gone_row_i(set_row)
  );

  // Replies are taken out; their packets pass.
  logic pass_valid, pass_ready, pass_tvalid, pass_tready;
  logic reply_valid, reply_ready, replies_busy, unused;
  tally_edge_pkg::reply_e reply;
  logic [15:0] reply_context;
  logic [7:0] reply_edge;
  logic [31:0] reply_seq;
  logic [tally_pkg::EdgeWindow-1:0] reply_seen;

  tally_edge_replies u_replies (
    .clk_i, .rst_ni,
    .busy_o(replies_busy),
    .in_valid_i(gate_valid),
    .in_ready_o(gate_ready),
    .in_i(gate_rec),
    .in_admission_i(gate_admission),
    .in_alive_i(gate_alive),
    .pay_tvalid_i(gate_tvalid),
    .pay_tready_o(gate_tready),
    .pay_tdata_i(gate_tdata),
    .out_valid_o(pass_valid),
    .out_ready_i(pass_ready),
    .dat_tvalid_o(pass_tvalid),
    .dat_tready_i(pass_tready),
    .reply_valid_o(reply_valid),
    .reply_ready_i(reply_ready),
    .reply_o(reply),
    .reply_context_o(reply_context),
    .reply_edge_o(reply_edge),
    .reply_seq_o(reply_seq),
    .reply_seen_o(reply_seen)
  );
  assign unused = ^{reply_context, reply_edge};  // their high bits are zero

  // ---- The segment store ----
  //
  // Its clock stands still while it has nothing to do. It sees the writes that go on to the tables
  // of the admission.
  logic store_clk, store_idle, moved_raised, does_write, does, wake;
  logic chunk_valid, chunk_ready, words_tvalid, words_tready, words_tlast;
  logic past_valid, past_ready, past_here, past_tvalid, past_tready, other_ready, fly_end_valid,
      fly_end_ready, fly_end_stored;
  logic [FlightW-1:0] fly_end_flight;
  logic acked_valid, acked_ready, acked_here, store_acked_ready;
  logic again_valid, again_ready, again_here, store_again_ready;
  logic [GroupW-1:0] does_group;
  tally_head_pkg::source_t chunk;
  tally_head_pkg::end_e chunk_end;
  logic [tally_net_pkg::WordBits-1:0] words_tdata;
  logic [tally_net_pkg::WordBytes-1:0] words_tkeep;
  tally_store_pkg::moved_t moved;
  tally_store_pkg::command_t cmd;
  logic cmd_valid, cmd_ready, moved_here;
  logic loc_valid, loc_ready, loc_tlast, res_tvalid, res_tready, res_tlast;
  logic [SlotW-1:0] res_slot;
  logic [tally_net_pkg::WordBits-1:0] loc_tdata, res_tdata;
  logic [tally_net_pkg::WordBytes-1:0] loc_tkeep, unused_res_tkeep;
  tally_store_pkg::operation_t loc, post;
  logic room, post_valid, post_ready;
  tally_store_pkg::result_t res;

  // Ends of flights reach the gate from registers, as a window is looked up by them. Those of
  // others pass the store while its clock stands still, so this one never does.
  logic store_end_valid, store_end_ready, store_end_stored;
  logic [FlightW-1:0] store_end_flight;
  tally_skid #(.Width(1 + FlightW)) u_flight_ends (
    .clk_i, .rst_ni, .in_valid_i(store_end_valid), .in_ready_o(store_end_ready),
    .in_i({store_end_stored, store_end_flight}), .out_valid_o(gate_end_valid),
    .out_ready_i(gate_end_ready), .out_o({gate_end_stored, gate_end_flight})
  );

  tally_clock_gate u_store_gate (
    .clk_i,
    .en_i(!store_idle || pass_valid || write[tally_nic_pkg::ToStore] || tables_taken_q ||
          loc_valid || post_valid || cmd_valid || acked_valid || again_valid || wake || starts_q),
    .clk_o(store_clk)
  );

  // What the firmware reads of units is the model's still.
  logic unused_pool_peek, unused_pool_peeked, unused_sender_peek, unused_sender_peeked,
      unused_store_read, unused_store_looked, unused_status_peek, unused_status_peeked,
      unused_status_more;
  logic [63:0] unused_status_ranks;
  logic [tally_pkg::MaxRanks-1:0] unused_sender_begun;
  tally_store_pkg::look_t unused_store_look;
  logic [SegsW-1:0] unused_pool_owed;
  logic [GroupW-1:0] no_group;
  logic [QpW-1:0] no_qp;
  logic [31:0] no_mid, no_index;
  assign {no_group, no_qp, no_mid, no_index} = '0;

  logic disagree_valid, disagree_ready;
  logic [GroupW-1:0] disagree_group;
  logic [15:0] disagree_status;
  logic [31:0] disagree_mid, disagree_sid;
  logic [63:0] disagree_contributors, disagree_ranks;
  tally_store_unit #(
    .Groups(Groups), .Slots(Slots), .Flights(Flights)
  ) u_store (
    .clk_i(store_clk), .rst_ni,
    .idle_o(store_idle),
    .axil_awvalid_i(write[tally_nic_pkg::ToStore]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToStore]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToStore]),
    .axil_wready_o(unused_store_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToStore]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToStore]),
    .mine_o(for_store),
    .taken_i(tables_taken_q && !puts),
    .rec_valid_i(pass_valid),
    .rec_ready_o(pass_ready),
    .rec_i(gate_rec),
    .adm_i(gate_admission),
    .flight_valid_i(gate_flight_valid),
    .flight_i(gate_flight),
    .pay_tvalid_i(pass_tvalid),
    .pay_tready_o(pass_tready),
    .pay_tdata_i(gate_tdata),
    .pay_tkeep_i(gate_tkeep),
    .pay_tlast_i(gate_tlast),
    .end_valid_o(store_end_valid),
    .end_ready_i(store_end_ready),
    .end_flight_o(store_end_flight),
    .end_stored_o(store_end_stored),
    .out_valid_o(past_valid),
    .out_ready_i(past_ready),
    .out_o(rec_o),
    .out_admission_o(adm_o),
    .out_flight_valid_o(rec_flight_valid_o),
    .out_flight_o(rec_flight_o),
    .out_here_o(past_here),
    .dat_tvalid_o(past_tvalid),
    .dat_tready_i(past_tready),
    .dat_tdata_o(pay_tdata_o),
    .dat_tkeep_o(pay_tkeep_o),
    .dat_tlast_o(pay_tlast_o),
    .other_valid_i(fly_end_valid || end_valid_i),
    .other_ready_o(other_ready),
    .other_flight_i(fly_end_valid ? fly_end_flight : end_flight_i),
    .other_stored_i(fly_end_valid ? fly_end_stored : end_stored_i),
    .loc_valid_i(loc_valid), .loc_ready_o(loc_ready), .loc_i(loc), .loc_tdata_i(loc_tdata),
    .loc_tkeep_i(loc_tkeep), .loc_tlast_i(loc_tlast), .room_o(room),
    .post_valid_i(post_valid), .post_ready_o(post_ready), .post_i(post),
    .read_valid_i(1'b0), .read_ready_o(unused_store_read), .read_group_i(no_group),
    .read_index_i(no_index),
    .look_valid_o(unused_store_looked), .look_o(unused_store_look),
    .disagree_valid_o(disagree_valid), .disagree_ready_i(disagree_ready),
    .disagree_group_o(disagree_group), .disagree_status_o(disagree_status),
    .disagree_mid_o(disagree_mid), .disagree_sid_o(disagree_sid),
    .disagree_contributors_o(disagree_contributors), .disagree_ranks_o(disagree_ranks),
    .ans_valid_o, .ans_ready_i, .ans_o, .cmd_valid_i(cmd_valid), .cmd_ready_o(cmd_ready),
    .cmd_i(cmd), .moved_valid_o, .moved_o(moved), .moved_raised_o(moved_raised),
    .moved_here_o(moved_here),
    .res_tvalid_o(res_tvalid), .res_tready_i(res_tready), .res_tdata_o(res_tdata),
    .res_tkeep_o(unused_res_tkeep), .res_tlast_o(res_tlast), .res_o(res), .res_slot_o(res_slot),
    .does_write_o(does_write), .does_group_o(does_group), .does_o(does),
    .wake_i(wake || (acked_valid && acked_ready)),
    .chunk_valid_o(chunk_valid), .chunk_ready_i(chunk_ready), .chunk_end_i(chunk_end),
    .chunk_o(chunk), .words_tvalid_o(words_tvalid), .words_tready_i(words_tready),
    .words_tdata_o(words_tdata), .words_tkeep_o(words_tkeep), .words_tlast_o(words_tlast),
    .acked_valid_i(acked_valid && acked_here), .acked_ready_o(store_acked_ready), .acked_i(acked_o),
    .again_valid_i(again_valid && again_here), .again_ready_o(store_again_ready), .again_i(again_o),
    .left_valid_o, .left_o, .there_valid_o, .there_o
  );
  assign moved_o = moved;

  // ---- Messages of descriptors leave the stream of packets behind it ----
  logic take_busy, mes_valid, mes_ready, mes_tvalid, mes_tready;
  tally_trigger_take #(.Groups(Groups)) u_take (
    .clk_i, .rst_ni, .busy_o(take_busy),
    .does_write_i(does_write), .does_group_i(does_group), .does_i(does),
    .in_valid_i(past_valid), .in_ready_o(past_ready), .in_i(rec_o), .in_admission_i(adm_o),
    .in_flight_valid_i(rec_flight_valid_o), .in_here_i(past_here),
    .dat_tvalid_i(past_tvalid), .dat_tready_o(past_tready),
    .out_valid_o(rec_valid_o), .out_ready_i(rec_ready_i), .out_here_o(rec_here_o),
    .out_tvalid_o(pay_tvalid_o), .out_tready_i(pay_tready_i),
    .rec_valid_o(mes_valid), .rec_ready_i(mes_ready),
    .pay_tvalid_o(mes_tvalid), .pay_tready_i(mes_tready)
  );
  // Ends of flights: the request processor's go first.
  assign fly_end_ready = other_ready;
  assign end_ready_o = other_ready && !fly_end_valid;

  // ---- Whose packets: of the store, of descriptors, and of the units beyond the boundary ----
  logic acked_desc, again_desc, desc_acked_ready, desc_again_ready;
  assign acked_here = acked_o.ref_[tally_head_pkg::RefStoreBit];
  assign again_here = again_o.ref_[tally_head_pkg::RefStoreBit];
  assign acked_desc = !acked_here && acked_o.ref_[tally_trigger_pkg::RefTriggerBit];
  assign again_desc = !again_here && again_o.ref_[tally_trigger_pkg::RefTriggerBit];
  assign acked_valid_o = acked_valid && !acked_here && !acked_desc;
  assign again_valid_o = again_valid && !again_here && !again_desc;
  assign acked_ready = acked_here ? store_acked_ready :
                       acked_desc ? desc_acked_ready : acked_ready_i;
  assign again_ready = again_here ? store_again_ready :
                       again_desc ? desc_again_ready : again_ready_i;

  // ---- Numbers of packets that leave ----
  logic ask_valid, ask_ready, ask_ok, ask_full, ask_second, send_busy, number_busy, head_busy;
  logic [1:0] asks, asks_ready;  // of tally_edge_number, and of tally_send
  tally_edge_pkg::ask_t ask, number_ask, head_ask;
  logic [31:0] ask_seq, ask_before;

  tally_rr_arbiter #(.Num(2)) u_asks (
    .clk_i(send_clk), .rst_ni, .request_valid_i(asks), .request_ready_o(asks_ready),
    .grant_valid_o(ask_valid), .grant_ready_i(ask_ready), .grant_o(ask_second)
  );
  assign ask = ask_second ? head_ask : number_ask;
  assign set_valid = set_offered && !closing;

  tally_edge_send #(
    .Groups(Groups), .Rows(Edges)
  ) u_send (
    .clk_i(send_clk), .rst_ni,
    .busy_o(send_busy),
    .now_i,
    .deadline_valid_o(send_deadline_valid),
    .deadline_o(send_deadline),
    .set_valid_i(set_valid),
    .set_ready_o(set_ready),
    .set_failed_o(set_failed),
    .set_op_i(set_op),
    .set_group_i(set_group),
    .set_edge_i(set_edge),
    .set_seq_i(set_seq),
    .set_rto_i(set_rto),
    .set_cap_i(set_cap),
    .set_limit_i(set_limit),
    .set_row_o(set_row),
    .taken_o(taken),
    .gone_o(gone),
    .stopped_o(stopped),
    .look_valid_i(look_valid),
    .look_ready_o(look_ready),
    .look_group_i(look_group),
    .look_edge_i(look_edge),
    .look_row_o(look_row),
    .look_found_o(look_found),
    .reply_valid_i(reply_valid),
    .reply_ready_o(reply_ready),
    .reply_i(reply),
    .reply_group_i(reply_context[GroupW-1:0]),
    .reply_edge_i(reply_edge[EdgeW-1:0]),
    .reply_seq_i(reply_seq),
    .reply_seen_i(reply_seen),
    .ask_valid_i(ask_valid),
    .ask_ready_o(ask_ready),
    .ask_i(ask),
    .ask_ok_o(ask_ok),
    .ask_full_o(ask_full),
    .ask_seq_o(ask_seq),
    .ask_before_o(ask_before),
    .acked_valid_o(acked_valid), .acked_ready_i(acked_ready), .acked_o,
    .again_valid_o(again_valid), .again_ready_i(again_ready), .again_o,
    .expired_valid_o, .expired_ready_i, .expired_o
  );

  // ---- Packets of the store, NOTIFY, and acknowledgements of groups that it does ----
  //
  // Rows are closed when an edge has got them, and with FREEZE. An edge that begins anew is.
  logic head_look, head_look_ready, head_deadline_valid, ones_valid, ones_ready;
  logic ones_tvalid, ones_tready, ones_tlast;
  logic [GroupW-1:0] head_look_group;
  logic [EdgeW-1:0] head_look_edge;
  logic [63:0] head_deadline;
  logic [31:0] unused_seq;
  tally_encap_pkg::tx_hdr_t ones;
  logic [tally_net_pkg::WordBits-1:0] ones_tdata;
  logic [tally_net_pkg::WordBytes-1:0] ones_tkeep;

  // ---- The store, messages of descriptors, and their BUSY, in front of the headers ----
  logic source_valid, source_ready, source_tvalid, source_tready, source_tlast;
  logic desc_valid, desc_ready, desc_tvalid, desc_tready, desc_tlast;
  logic mhead_valid, mhead_ready, mtx_tvalid, mtx_tready, mtx_tlast, busy_valid, busy_ready;
  tally_head_pkg::source_t source, desc_source, mhead, busy_source;
  tally_trigger_pkg::busy_t busy_reply;
  logic [tally_net_pkg::WordBits-1:0] source_tdata, desc_tdata, mtx_tdata;
  logic [tally_net_pkg::WordBytes-1:0] source_tkeep, desc_tkeep, mtx_tkeep;
  logic unused_busy_tready;
  always_comb begin
    busy_source = '0;
    busy_source.kind = 8'(tally_pkg::KindBusy);
    busy_source.context_ = busy_reply.context_;
    busy_source.edge_ = busy_reply.edge_;
    busy_source.seq = busy_reply.seq;
  end
  tally_send_merge u_messages (
    .clk_i(head_clk), .rst_ni,
    .first_valid_i(mhead_valid), .first_ready_o(mhead_ready), .first_i(mhead),
    .first_tvalid_i(mtx_tvalid), .first_tready_o(mtx_tready), .first_tdata_i(mtx_tdata),
    .first_tkeep_i(mtx_tkeep), .first_tlast_i(mtx_tlast),
    .second_valid_i(busy_valid), .second_ready_o(busy_ready), .second_i(busy_source),
    .second_tvalid_i(1'b0), .second_tready_o(unused_busy_tready), .second_tdata_i('0),
    .second_tkeep_i('0), .second_tlast_i(1'b0),
    .out_valid_o(desc_valid), .out_ready_i(desc_ready), .out_o(desc_source),
    .out_end_i(chunk_end), .dat_tvalid_o(desc_tvalid), .dat_tready_i(desc_tready),
    .dat_tdata_o(desc_tdata), .dat_tkeep_o(desc_tkeep), .dat_tlast_o(desc_tlast)
  );
  tally_send_merge u_sources (
    .clk_i(head_clk), .rst_ni,
    .first_valid_i(chunk_valid), .first_ready_o(chunk_ready), .first_i(chunk),
    .first_tvalid_i(words_tvalid), .first_tready_o(words_tready), .first_tdata_i(words_tdata),
    .first_tkeep_i(words_tkeep), .first_tlast_i(words_tlast),
    .second_valid_i(desc_valid), .second_ready_o(desc_ready), .second_i(desc_source),
    .second_tvalid_i(desc_tvalid), .second_tready_o(desc_tready), .second_tdata_i(desc_tdata),
    .second_tkeep_i(desc_tkeep), .second_tlast_i(desc_tlast),
    .out_valid_o(source_valid), .out_ready_i(source_ready), .out_o(source),
    .out_end_i(chunk_end), .dat_tvalid_o(source_tvalid), .dat_tready_i(source_tready),
    .dat_tdata_o(source_tdata), .dat_tkeep_o(source_tkeep), .dat_tlast_o(source_tlast)
  );
  assign message_left_valid_o = mhead_valid && mhead_ready &&
                                chunk_end == tally_head_pkg::EndSent;
  assign message_busy_o = busy_valid && busy_ready && chunk_end == tally_head_pkg::EndSent;
  always_comb begin
    message_left_o = '0;
    message_left_o.again = mhead.again;
    message_left_o.group_ = mhead.context_;
    message_left_o.edge_ = mhead.edge_;
    message_there_o = '0;
    message_there_o.group_ = acked_o.context_;
    message_there_o.edge_ = acked_o.edge_;
  end
  assign message_there_valid_o = acked_valid && acked_desc && acked_ready;

  assign renews = set_valid && set_ready && !set_failed &&
                  set_op == tally_edge_pkg::SetOpen;
  tally_send #(.Groups(Groups), .Rows(Edges)) u_head (
    .clk_i(head_clk), .rst_ni, .busy_o(head_busy), .now_i,
    .deadline_valid_o(head_deadline_valid), .deadline_o(head_deadline), .mac_i(mac), .gid_i(gid),
    .axil_awvalid_i(head_write), .axil_awready_o(head_ready), .axil_awaddr_i(at_addr),
    .axil_wvalid_i(head_write), .axil_wready_o(unused_head_wready), .axil_wdata_i(at_data),
    .axil_wstrb_i(at_strb),
    .axil_bvalid_o(head_bvalid), .axil_bready_i(next_bready), .axil_bresp_o(head_bresp),
    .mine_o(head_mine),
    .taken_i((tables_taken_q && !head_mine_q) || store_taken_q || renewed_q),
    .row_i(written_row), .regs_busy_o(head_regs_busy),
    .close_i((taken && set_op == tally_edge_pkg::SetRow) || stopped), .close_row_i(set_row),
    .closing_o(closing),
    .does_write_i(does_write), .does_group_i(does_group), .does_i(does),
    .moved_valid_i(moved_valid_o && moved_here), .moved_group_i(moved.group_[GroupW-1:0]),
    .moved_done_i(moved.done), .moved_limit_i(moved.limit), .moved_posted_i(moved_raised),
    .heard_valid_i(peer_q), .heard_ready_o(heard_ready), .heard_row_i(peer_row_q),
    .heard_done_i(peer_done_q), .heard_limit_i(peer_limit_q),
    .ack_valid_i(ack_valid), .ack_ready_o(ack_ready), .ack_i(ack_o),
    .pass_valid_o(ack_valid_o), .pass_ready_i(ack_ready_i),
    .chunk_valid_i(source_valid), .chunk_ready_o(source_ready), .chunk_i(source),
    .chunk_end_o(chunk_end), .chunk_seq_o(unused_seq), .wake_o(wake),
    .pay_tvalid_i(source_tvalid), .pay_tready_o(source_tready), .pay_tdata_i(source_tdata),
    .pay_tkeep_i(source_tkeep), .pay_tlast_i(source_tlast),
    .ask_valid_o(asks[1]), .ask_ready_i(asks_ready[1]), .ask_o(head_ask), .ask_ok_i(ask_ok),
    .ask_seq_i(ask_seq), .ask_before_i(ask_before),
    .look_valid_o(head_look), .look_ready_i(head_look_ready), .look_group_o(head_look_group),
    .look_edge_o(head_look_edge), .look_row_i(look_row), .look_found_i(look_found),
    .out_valid_o(ones_valid), .out_ready_i(ones_ready), .out_o(ones), .dat_tvalid_o(ones_tvalid),
    .dat_tready_i(ones_tready), .dat_tdata_o(ones_tdata), .dat_tkeep_o(ones_tkeep),
    .dat_tlast_o(ones_tlast)
  );

  // A register slice: the chain of those who send packets begins here.
  logic heads_valid, heads_ready;
  tally_encap_pkg::tx_hdr_t heads;
  tally_skid #(.Width(tally_encap_pkg::TxHdrBits)) u_heads (
    .clk_i(tx_clk), .rst_ni, .in_valid_i(ones_valid), .in_ready_o(ones_ready), .in_i(ones),
    .out_valid_o(heads_valid), .out_ready_i(heads_ready), .out_o(heads)
  );
  // The ready of their words begins here, too. The clock never stops, as a word may come while
  // those who send have none.
  logic heads_kept, heads_tvalid, heads_tready, heads_tlast;
  logic [tally_net_pkg::WordBits-1:0] heads_tdata;
  logic [tally_net_pkg::WordBytes-1:0] heads_tkeep;
  tally_keep #(.Width(1 + tally_net_pkg::WordBytes + tally_net_pkg::WordBits)) u_head_words (
    .clk_i, .rst_ni, .kept_o(heads_kept), .in_valid_i(ones_tvalid), .in_ready_o(ones_tready),
    .in_i({ones_tlast, ones_tkeep, ones_tdata}), .out_valid_o(heads_tvalid),
    .out_ready_i(heads_tready), .out_o({heads_tlast, heads_tkeep, heads_tdata})
  );

  // ---- Packets of the firmware, with those ----
  logic sent_look, sent_look_ready, sent_valid, sent_ready, sent_tvalid, sent_tready, sent_tlast;
  logic [GroupW-1:0] sent_look_group;
  logic [EdgeW-1:0] sent_look_edge;
  tally_encap_pkg::tx_hdr_t sent;
  logic [tally_net_pkg::WordBits-1:0] sent_tdata;
  logic [tally_net_pkg::WordBytes-1:0] sent_tkeep;

  tally_nic_firmware #(.Groups(Groups), .Tombs(Tombs), .Rows(Edges)) u_firmware (
    .clk_i, .rst_ni, .starts_i(starts_q), .busy_o(firmware_busy), .mac_i(mac), .gid_i(gid),
    .axil_awvalid_i(write[tally_nic_pkg::ToFirmware]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToFirmware]), .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToFirmware]), .axil_wready_o(unused_firmware_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToFirmware]),
    .axil_bready_i(bready), .axil_bresp_o(bresp[tally_nic_pkg::ToFirmware]),
    .mine_o(for_firmware), .random_valid_i, .random_ready_o, .random_i,
    .put_valid_o(put_valid), .put_ready_i(put_ready), .put_addr_o(put_addr),
    .put_data_o(put_data), .put_bvalid_i(put_bvalid), .put_bresp_i(put_bresp),
    .written_i(tables_taken_q || store_taken_q || renewed_q), .row_i(written_row),
    .keeps_o(firmware_listens),
    .moved_valid_i(moved_valid_o && moved.ok), .moved_group_i(moved.group_[GroupW-1:0]),
    .moved_done_i(moved.done), .moved_limit_i(moved.limit),
    .open_valid_i(open_valid), .open_ready_o(open_ready), .open_event_i(open_event), .open_o(open),
    .head_look_valid_i(head_look), .head_look_ready_o(head_look_ready),
    .head_look_group_i(head_look_group), .head_look_edge_i(head_look_edge),
    .look_valid_o(sent_look), .look_ready_i(sent_look_ready), .look_group_o(sent_look_group),
    .look_edge_o(sent_look_edge), .look_row_i(look_row), .look_found_i(look_found),
    .head_valid_i(heads_valid), .head_ready_o(heads_ready), .head_i(heads),
    .head_tvalid_i(heads_tvalid), .head_tready_o(heads_tready), .head_tdata_i(heads_tdata),
    .head_tkeep_i(heads_tkeep), .head_tlast_i(heads_tlast),
    .out_valid_o(sent_valid), .out_ready_i(sent_ready), .out_o(sent), .dat_tvalid_o(sent_tvalid),
    .dat_tready_i(sent_tready), .dat_tdata_o(sent_tdata), .dat_tkeep_o(sent_tkeep),
    .dat_tlast_o(sent_tlast)
  );

  tally_edge_look #(.Groups(Groups)) u_look (
    .clk_i, .rst_ni,
    .first_valid_i(admission_look), .first_ready_o(admission_look_ready),
    .first_group_i(admission_look_group), .first_edge_i(admission_look_edge),
    .second_valid_i(sent_look), .second_ready_o(sent_look_ready),
    .second_group_i(sent_look_group), .second_edge_i(sent_look_edge),
    .look_valid_o(look_valid), .look_ready_i(look_ready), .look_group_o(look_group),
    .look_edge_o(look_edge)
  );

  logic num_valid, num_ready, num_tvalid, num_tready, merge_busy;
  tally_encap_pkg::tx_hdr_t num;

  tally_edge_number u_number (
    .clk_i(tx_clk), .rst_ni,
    .busy_o(number_busy),
    .in_valid_i(hdr_valid_i),
    .in_ready_o(hdr_ready_o),
    .in_i(hdr_i),
    .in_name_i(name_i),
    .pay_tvalid_i(dat_tvalid_i),
    .pay_tready_o(dat_tready_o),
    .pay_tlast_i(dat_tlast_i),
    .out_valid_o(num_valid),
    .out_ready_i(num_ready),
    .out_o(num),
    .dat_tvalid_o(num_tvalid),
    .dat_tready_i(num_tready),
    .ask_valid_o(asks[0]),
    .ask_ready_i(asks_ready[0]),
    .ask_o(number_ask),
    .ask_ok_i(ask_ok),
    .ask_full_i(ask_full),
    .ask_seq_i(ask_seq),
    .ask_before_i(ask_before)
  );
  assign hdr_full_o = asks[0] && asks_ready[0] && ask_full;

  logic enc_valid, enc_ready, enc_tvalid, enc_tready, enc_tlast;
  tally_encap_pkg::tx_hdr_t enc;
  logic [tally_net_pkg::WordBits-1:0] enc_tdata;
  logic [tally_net_pkg::WordBytes-1:0] enc_tkeep;

  tally_encap_merge u_merge (
    .clk_i(tx_clk), .rst_ni, .busy_o(merge_busy),
    .first_valid_i(num_valid), .first_ready_o(num_ready), .first_i(num),
    .first_tvalid_i(num_tvalid), .first_tready_o(num_tready), .first_tdata_i(dat_tdata_i),
    .first_tkeep_i(dat_tkeep_i), .first_tlast_i(dat_tlast_i),
    .second_valid_i(sent_valid), .second_ready_o(sent_ready), .second_i(sent),
    .second_tvalid_i(sent_tvalid), .second_tready_o(sent_tready), .second_tdata_i(sent_tdata),
    .second_tkeep_i(sent_tkeep), .second_tlast_i(sent_tlast),
    .out_valid_o(enc_valid), .out_ready_i(enc_ready), .out_o(enc), .dat_tvalid_o(enc_tvalid),
    .dat_tready_i(enc_tready), .dat_tdata_o(enc_tdata), .dat_tkeep_o(enc_tkeep),
    .dat_tlast_o(enc_tlast)
  );

  tally_encap u_encap (
    .clk_i(tx_clk), .rst_ni,
    .hdr_valid_i(enc_valid),
    .hdr_ready_o(enc_ready),
    .hdr_i(enc),
    .pay_tvalid_i(enc_tvalid),
    .pay_tready_o(enc_tready),
    .pay_tdata_i(enc_tdata),
    .pay_tkeep_i(enc_tkeep),
    .pay_tlast_i(enc_tlast),
    .frame_tvalid_o(tx_tvalid_o),
    .frame_tready_i(tx_tready_i),
    .frame_tdata_o(tx_tdata_o),
    .frame_tkeep_o(tx_tkeep_o),
    .frame_tlast_o(tx_tlast_o),
    .err_valid_o, .err_o
  );

  // ---- Host memory ----
  //
  // tally_requests asks whether accesses are permitted. Accesses of local ranks and of descriptors
  // are told from those of the engine by acr_of_* and ace_of_*.
  logic chk_valid, chk_ready, ans_valid;
  logic [PdW-1:0] chk_pd;
  logic [15:0] ans_status;
  tally_request_pkg::access_t chk;
  logic lac_valid, lac_ready, lac_dat_valid, lac_dat_ready, acr_of_local, ace_of_local;
  logic dac_valid, dac_ready, dac_dat_valid, dac_dat_ready, acr_of_desc, ace_of_desc;
  tally_local_pkg::access_t lac, dac;
  logic [JobW-1:0] lac_job;
  logic [DescW-1:0] dac_desc;
  logic [511:0] lac_dat, dac_dat;
  logic fetch_arvalid, fetch_arready, fetch_rvalid, fetch_rready;
  logic [MasterIdW-2:0] fetch_arid, fetch_rid;
  logic [63:0] fetch_araddr;
  logic [7:0] fetch_arlen;
  logic [2:0] fetch_arsize;
  logic [1:0] fetch_arburst, fetch_rresp;
  logic [511:0] fetch_rdata;
  logic bell_valid, bell_ready, bell_counts, bell_arms;  // doorbells of completion queues
  logic [CqnW-1:0] bell_cqn;
  logic [63:0] bell_count, bell_arm;
  logic sta_valid, sta_ready, sta_solicited;
  assign done_valid_o = sta_valid;
  assign done_taken_o = sta_valid && sta_ready;

  tally_nic_memory #(
    .NumCq(NumCq), .NumMr(NumMr), .Descs(Descs), .AccessTagW(AccessTagW), .JobW(JobW), .OwnW(OwnW),
    .CqSlots(CqSlots)
  ) u_memory (
    .clk_i, .rst_ni, .starts_i(starts_q), .busy_o(memory_busy), .now_ns_i,
    .axil_awvalid_i(write[tally_nic_pkg::ToMemory]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToMemory]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToMemory]),
    .axil_wready_o(unused_memory_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToMemory]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToMemory]),
    .mine_o(for_memory),
    .acc_valid_i, .acc_ready_o, .acc_pd_i, .acc_lkey_i, .acc_addr_i, .acc_len_i, .acc_write_i,
    .acc_tag_i, .acw_valid_i, .acw_ready_o, .acw_data_i,
    .acr_valid_o, .acr_ready_i, .acr_data_o, .acr_keep_o, .acr_last_o, .acr_tag_o, .acr_error_o,
    .ace_valid_o, .ace_ready_i, .ace_tag_o, .ace_status_o,
    .loc_valid_i(lac_valid), .loc_ready_o(lac_ready), .loc_i(lac), .loc_job_i(lac_job),
    .loc_dat_valid_i(lac_dat_valid), .loc_dat_ready_o(lac_dat_ready), .loc_dat_i(lac_dat),
    .loc_out_o(acr_of_local), .loc_done_o(ace_of_local),
    .desc_valid_i(dac_valid), .desc_ready_o(dac_ready), .desc_i(dac), .desc_number_i(dac_desc),
    .desc_dat_valid_i(dac_dat_valid), .desc_dat_ready_o(dac_dat_ready), .desc_dat_i(dac_dat),
    .desc_out_o(acr_of_desc), .desc_done_o(ace_of_desc),
    .acl_valid_o, .acl_o, .acl_job_o, .alw_valid_o, .alw_o,
    .chk_valid_i(chk_valid), .chk_ready_o(chk_ready), .chk_pd_i(chk_pd), .chk_i(chk),
    .ans_valid_o(ans_valid), .ans_status_o(ans_status),
    .req_arvalid_i(fetch_arvalid), .req_arready_o(fetch_arready), .req_arid_i(fetch_arid),
    .req_ar_i({fetch_araddr, fetch_arlen, fetch_arsize, fetch_arburst}),
    .req_rvalid_o(fetch_rvalid), .req_rready_i(fetch_rready), .req_rid_o(fetch_rid),
    .req_rdata_o(fetch_rdata), .req_rresp_o(fetch_rresp),
    .bell_valid_i(bell_valid), .bell_ready_o(bell_ready), .bell_cqn_i(bell_cqn),
    .bell_counts_i(bell_counts), .bell_count_i(bell_count), .bell_arms_i(bell_arms),
    .bell_arm_i(bell_arm),
    .done_valid_i(sta_valid), .done_ready_o(sta_ready), .done_go_i, .done_cqn_i(done_cqn_o),
    .done_i(done_o), .done_solicited_i(sta_solicited), .rung_i, .rung_at_i,
    .cpl_valid_i, .cpl_ready_o, .cpl_cqn_i, .cpl_cqe_i, .cpl_solicited_i, .cpl_rung_i,
    .cpl_rung_at_i,
    .evt_valid_i, .evt_ready_o, .evt_eqn_i, .evt_type_i, .evt_id_i, .evt_data_i,
    .waits_o, .told_valid_o, .told_eqn_o, .told_type_o, .told_cqn_o, .cqe_o, .overrun_o,
    .dma_error_o, .fatal_code_o,
    .dma_awvalid_o, .dma_awready_i, .dma_awid_o,
    .dma_aw_o({dma_awaddr_o, dma_awlen_o, dma_awsize_o, dma_awburst_o}),
    .dma_wvalid_o, .dma_wready_i, .dma_wdata_o, .dma_wstrb_o, .dma_wlast_o,
    .dma_bvalid_i, .dma_bready_o, .dma_bid_i, .dma_bresp_i,
    .dma_arvalid_o, .dma_arready_i, .dma_arid_o,
    .dma_ar_o({dma_araddr_o, dma_arlen_o, dma_arsize_o, dma_arburst_o}),
    .dma_rvalid_i, .dma_rready_o, .dma_rid_i, .dma_rdata_i, .dma_rresp_i,
    .irq_valid_o, .irq_ready_i, .irq_vector_o, .irq_eqn_o
  );

  // ---- Work requests ----
  logic unused_full;
  logic req_valid, req_ready, skip_valid, skip_passes, retire_valid, retire_ready, told_valid,
      told_ready, told_fails;
  logic [QpW-1:0] req_qp, skip_qp, told_qp;
  logic [31:0] skip_index;
  logic req_root;
  tally_fw_pkg::verdict_e req_verdict;
  tally_request_pkg::request_t req;
  tally_local_pkg::row_t req_row;
  tally_local_pkg::entry_t gather, result;

  tally_requests #(
    .Groups(Groups), .Qps(Qps), .NumCq(NumCq), .Uars(Uars), .Slots(CqSlots), .IdW(PushIdW)
  ) u_requests (
    .clk_i(requests_clk), .rst_ni, .busy_o(requests_busy),
    .axil_awvalid_i(write[tally_nic_pkg::ToRequests]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToRequests]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToRequests]),
    .axil_wready_o(unused_requests_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToRequests]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToRequests]),
    .write_i(wrote && at_strb == 4'b1111), .addr_i(at_addr), .data_i(at_data),
    .mine_o(requests_listen),
    .push_awvalid_i, .push_awready_o, .push_awid_i, .push_awaddr_i, .push_awlen_i, .push_awsize_i,
    .push_awburst_i, .push_wvalid_i, .push_wready_o, .push_wdata_i, .push_wstrb_i, .push_wlast_i,
    .push_bvalid_o, .push_bready_i, .push_bid_o, .push_bresp_o,
    .bell_valid_o(bell_valid), .bell_ready_i(bell_ready), .bell_cqn_o(bell_cqn),
    .bell_counts_o(bell_counts), .bell_count_o(bell_count),
    .bell_arms_o(bell_arms), .bell_arm_o(bell_arm),
    .retire_valid_i(retire_valid), .retire_ready_o(retire_ready), .retire_qp_i(retire_qp_o),
    .told_valid_i(told_valid), .told_ready_o(told_ready), .told_qp_i(told_qp),
    .told_fails_i(told_fails),
    .skip_valid_o(skip_valid), .skip_qp_o(skip_qp), .skip_index_o(skip_index),
    .skip_passes_o(skip_passes), .posted_valid_o, .posted_qp_o,
    .posted_count_o, .over_valid_o, .over_qp_o, .begin_o,
    .chk_valid_o(chk_valid), .chk_ready_i(chk_ready), .chk_pd_o(chk_pd), .chk_o(chk),
    .ans_valid_i(ans_valid), .ans_status_i(ans_status),
    .data_valid_o(inline_valid_o), .data_index_o(inline_index_o), .data_o(inline_o),
    .entry_valid_o, .entry_result_o, .entry_index_o, .entry_addr_o, .entry_lkey_o,
    .req_valid_o(req_valid), .req_ready_i(req_ready), .req_qp_o(req_qp),
    .req_verdict_o(req_verdict), .req_o(req), .req_root_o(req_root),
    .dma_arvalid_o(fetch_arvalid), .dma_arready_i(fetch_arready), .dma_arid_o(fetch_arid),
    .dma_araddr_o(fetch_araddr), .dma_arlen_o(fetch_arlen), .dma_arsize_o(fetch_arsize),
    .dma_arburst_o(fetch_arburst), .dma_rvalid_i(fetch_rvalid), .dma_rready_o(fetch_rready),
    .dma_rid_i(fetch_rid), .dma_rdata_i(fetch_rdata), .dma_rresp_i(fetch_rresp),
    .full_o(unused_full), .pushed_o, .dma_error_o(unread_o)
  );

  // The outcome of requests has the clock of requests: it takes what cannot be held up. So have the
  // local ranks and descriptors, whose commands come before it. They and the engine tell it of
  // ends.
  logic stc_valid, stc_ready, stl_valid, stl_ready, stc_pass, stc_pass_ready, free_valid,
      lend_valid, dend_valid, any_end, end_ready, end_flag, it_valid;
  localparam logic [1:0] OfModel = 2'd0;
  localparam logic [1:0] OfLocal = 2'd1;    // of ends; of updates: of the sender
  localparam logic [1:0] OfSender = 2'd1;
  logic [1:0] end_of, upd_of;
  logic [QpW-1:0] stc_qp, lend_qp, dend_qp, end_qp, upd_qp, got_qp, it_qp;
  logic [EntryW-1:0] it_entry;
  logic [7:0] stc_state;
  logic [GroupW-1:0] stc_group;
  tally_sender_pkg::command_e stc;
  tally_sender_pkg::event_e it;
  logic [EntryW-1:0] free_entry, lend_entry, dend_entry, end_entry, upd_entry;
  logic [2:0] ends_ready;
  logic [4:0] row_valid, row_ready, got_valid;
  logic [4:0][EntryW-1:0] row_entry;
  tally_sender_pkg::end_t lend, dend, end_is;
  tally_request_pkg::request_t got;
  tally_local_pkg::row_t got_row;

  assign req_row = {16'(chk_pd), req_root, gather, result};
  tally_rr_arbiter #(.Num(3)) u_ends (
    .clk_i(requests_clk), .rst_ni, .request_valid_i({dend_valid, lend_valid, fin_valid_i}),
    .request_ready_o(ends_ready), .grant_valid_o(any_end), .grant_ready_i(end_ready),
    .grant_o(end_of)
  );
  assign fin_ready_o = ends_ready[0];
  assign fin_flag_o = end_flag && end_of == OfModel;
  always_comb begin
    unique case (end_of)
      OfModel: {end_qp, end_entry, end_is} = {fin_qp_i, fin_entry_i, fin_i};
      OfLocal: {end_qp, end_entry, end_is} = {lend_qp, lend_entry, lend};
      default: {end_qp, end_entry, end_is} = {dend_qp, dend_entry, dend};
    endcase
  end

  // So do the sender, descriptors and the engine of what has begun.
  logic any_upd, upd_ready, upd_flag, sup_valid, dup_valid, flag_valid, flag_ready;
  logic [2:0] upds_ready;
  logic [QpW-1:0] sup_qp, dup_qp;
  logic [EntryW-1:0] sup_entry, dup_entry;
  tally_sender_pkg::update_t sup, dup, upd_is;
  tally_rr_arbiter #(.Num(3)) u_upds (
    .clk_i(requests_clk), .rst_ni, .request_valid_i({dup_valid, sup_valid, upd_valid_i}),
    .request_ready_o(upds_ready), .grant_valid_o(any_upd), .grant_ready_i(upd_ready),
    .grant_o(upd_of)
  );
  assign upd_ready_o = upds_ready[0];
  assign upd_flag_o = upd_flag && upd_of == OfModel;
  always_comb begin
    unique case (upd_of)
      OfModel: {upd_qp, upd_entry, upd_is} = {upd_qp_i, upd_entry_i, upd_i};
      OfSender: {upd_qp, upd_entry, upd_is} = {sup_qp, sup_entry, sup};
      default: {upd_qp, upd_entry, upd_is} = {dup_qp, dup_entry, dup};
    endcase
  end

  tally_status_unit #(
    .Qps(Qps), .Groups(Groups), .NumCq(NumCq), .Entries(Entries)
  ) u_status (
    .clk_i(requests_clk), .rst_ni, .busy_o(status_busy),
    .axil_awvalid_i(write[tally_nic_pkg::ToStatus]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToStatus]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToStatus]),
    .axil_wready_o(unused_status_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToStatus]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToStatus]),
    .write_i(wrote && at_strb == 4'b1111), .addr_i(at_addr), .data_i(at_data),
    .mine_o(status_listens),
    .req_valid_i(req_valid), .req_ready_o(req_ready), .req_qp_i(req_qp),
    .req_verdict_i(req_verdict), .req_i(req),
    .skip_valid_i(skip_valid), .skip_qp_i(skip_qp), .skip_index_i(skip_index),
    .skip_passes_i(skip_passes),
    .posted_valid_i(posted_valid_o), .posted_qp_i(posted_qp_o), .posted_count_i(posted_count_o),
    .retire_valid_o(retire_valid), .retire_ready_i(retire_ready), .retire_qp_o,
    .told_valid_o(told_valid), .told_ready_i(told_ready), .told_qp_o(told_qp),
    .told_fails_o(told_fails),
    .took_valid_o, .took_qp_o, .took_skip_o, .took_passes_o, .took_entry_o, .took_row_o,
    .took_begin_o, .took_ask_o, .req_verdict_o, .req_o, .retired_o(retire_valid_o),
    .req_row_i(req_row), .it_valid_o(it_valid), .it_o(it), .it_qp_o(it_qp), .it_entry_o(it_entry),
    .cmd_valid_o(stc_valid), .cmd_ready_i(stc_ready), .cmd_o(stc), .cmd_qp_o(stc_qp),
    .cmd_state_o(stc_state), .cmd_group_o(stc_group),
    .pass_valid_i(stc_pass), .pass_ready_o(stc_pass_ready),
    .row_valid_i(row_valid), .row_ready_o(row_ready), .row_entry_i(row_entry),
    .got_valid_o(got_valid), .got_qp_o(got_qp), .got_o(got), .got_row_o(got_row),
    .free_valid_o(free_valid), .free_entry_o(free_entry),
    .end_valid_i(any_end), .end_ready_o(end_ready), .end_qp_i(end_qp), .end_entry_i(end_entry),
    .end_i(end_is), .end_flag_o(end_flag),
    .upd_valid_i(any_upd), .upd_ready_o(upd_ready), .upd_qp_i(upd_qp), .upd_entry_i(upd_entry),
    .upd_i(upd_is), .upd_flag_o(upd_flag),
    .cpl_valid_o(sta_valid), .cpl_ready_i(sta_ready), .cpl_cqn_o(done_cqn_o), .cpl_o(done_o),
    .cpl_solicited_o(sta_solicited),
    .fail_valid_o, .fail_ready_i, .fail_qp_o, .fail_status_o, .fail_ranks_o, .fail_mid_o,
    .message_o, .message_failed_o,
    .peek_valid_i(1'b0), .peek_ready_o(unused_status_peek), .peek_qp_i(no_qp), .peek_mid_i(no_mid),
    .peeked_valid_o(unused_status_peeked), .peeked_ranks_o(unused_status_ranks),
    .peeked_more_o(unused_status_more)
  );

  // ---- The request sender ----
  logic ans_of_post, hold, ref_valid, due_valid, due_ready, hand_valid, hand_ready, hand_took,
      desc_mark_valid;
  logic [QpW-1:0] desc_mark_qp;
  logic [SlotW-1:0] ref_slot;
  logic [RankW-1:0] ref_rank;
  logic [EntryW-1:0] ref_entry;
  tally_store_pkg::answer_t ans;
  tally_local_pkg::due_t due;
  logic want_valid;
  logic [GroupW-1:0] want_group;
  logic [31:0] want_top;
  assign ans = ans_o;
  assign ans_of_post = ans_valid_o && ans_ready_i && ans.of_ == tally_store_pkg::OfPost;
  tally_sender_unit #(
    .Groups(Groups), .Qps(Qps), .Entries(Entries), .Slots(Slots)
  ) u_sender (
    .clk_i(requests_clk), .rst_ni, .busy_o(sender_busy),
    .axil_awvalid_i(write[tally_nic_pkg::ToSender]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToSender]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToSender]),
    .axil_wready_o(unused_sender_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToSender]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToSender]),
    .it_valid_i(it_valid), .it_i(it), .it_qp_i(it_qp), .it_entry_i(it_entry),
    .moved_valid_i(moved_valid_o && moved.ok && moved_here),
    .moved_group_i(moved.group_[GroupW-1:0]),
    .moved_done_i(moved.done), .moved_limit_i(moved.limit),
    .row_valid_o(row_valid[3]), .row_ready_i(row_ready[3]), .row_entry_o(row_entry[3]),
    .got_valid_i(got_valid[3]), .got_i(got), .got_row_i(got_row),
    .room_i(room), .post_valid_o(post_valid), .post_ready_i(post_ready), .post_o(post),
    .ans_valid_i(ans_of_post), .ans_i(ans),
    .ref_valid_o(ref_valid), .ref_slot_o(ref_slot), .ref_rank_o(ref_rank), .ref_entry_o(ref_entry),
    .began_valid_o, .began_o,
    .upd_valid_o(sup_valid), .upd_ready_i(upds_ready[1]), .upd_flag_i(upd_flag),
    .upd_qp_o(sup_qp), .upd_entry_o(sup_entry), .upd_o(sup),
    .hand_valid_o(hand_valid), .hand_ready_i(hand_ready), .hand_took_i(hand_took),
    .mark_valid_i(desc_mark_valid), .mark_qp_i(desc_mark_qp),
    .flag_valid_o(flag_valid), .flag_ready_i(flag_ready),
    .due_valid_o(due_valid), .due_ready_i(due_ready), .due_o(due), .hold_o(hold),
    .ask_valid_o(want_valid), .ask_group_o(want_group), .ask_top_o(want_top),
    .cmd_valid_i(stc_valid), .cmd_ready_o(stc_ready), .cmd_i(stc), .cmd_qp_i(stc_qp),
    .cmd_state_i(stc_state), .cmd_group_i(stc_group), .pass_valid_o(stl_valid),
    .pass_ready_i(stl_ready),
    .look_valid_o, .look_ready_i(1'b1), .look_qp_o,
    .peek_valid_i(1'b0), .peek_ready_o(unused_sender_peek), .peek_group_i(no_group),
    .peek_mid_i(no_mid),
    .peeked_valid_o(unused_sender_peeked), .peeked_begun_o(unused_sender_begun)
  );
  assign began_qp_o = sup_qp;
  assign began_entry_o = sup_entry;

  // ---- Segments ----
  tally_pool_unit #(.Groups(Groups), .Segs(Slots)) u_pool (
    .clk_i(requests_clk), .rst_ni, .busy_o(pool_busy),
    .axil_awvalid_i(write[tally_nic_pkg::ToPool]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToPool]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToPool]),
    .axil_wready_o(unused_pool_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToPool]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToPool]),
    .ask_valid_i(want_valid), .ask_group_i(want_group), .ask_top_i(want_top),
    .moved_valid_i(moved_valid_o), .moved_ended_i(moved.ended),
    .moved_group_i(moved.group_[GroupW-1:0]), .moved_done_i(moved.done),
    .in_valid_i(cmd_valid_i), .in_ready_o(cmd_ready_o), .in_i(cmd_i),
    .out_valid_o(cmd_valid), .out_ready_i(cmd_ready), .out_o(cmd), .lends_o, .owes_o,
    .grant_valid_o, .grant_group_o, .grant_num_o,
    .peek_valid_i(1'b0), .peek_ready_o(unused_pool_peek), .peek_group_i(no_group),
    .peeked_valid_o(unused_pool_peeked), .peeked_owed_o(unused_pool_owed)
  );

  // ---- Local ranks ----
  logic ans_of_local, dflag_valid, dflag_ready, dline_valid, dline_ready, dinl_valid, dinl_ready,
      std_valid, std_ready, lfault_valid, lfault_ready, dfault_valid, dfault_ready;
  logic [EntryW-1:0] dline_entry;
  logic [12:0] dline_from, dline_len;
  logic [511:0] dinl_data;
  logic [15:0] lfault_group;
  logic [63:0] lfault_ranks;
  logic [31:0] lfault_mid;
  logic fenced_valid, fenced_ready;
  logic [GroupW-1:0] fenced_group;
  assign ans_of_local = ans_valid_o && ans_ready_i && ans.of_ == tally_store_pkg::OfLocal;
  tally_local_unit #(
    .Slots(Slots), .Qps(Qps), .Entries(Entries), .Groups(Groups), .Lines(Lines)
  ) u_local (
    .clk_i(requests_clk), .rst_ni, .busy_o(local_busy),
    .begin_i(begin_o), .data_valid_i(inline_valid_o), .data_index_i(inline_index_o),
    .data_i(inline_o), .entry_valid_i(entry_valid_o), .entry_result_i(entry_result_o),
    .entry_index_i(entry_index_o), .entry_i({entry_addr_o, entry_lkey_o}), .gather_o(gather),
    .result_o(result), .keep_valid_i(took_valid_o && took_row_o), .keep_entry_i(took_entry_o),
    .free_valid_i(free_valid), .free_entry_i(free_entry),
    .due_valid_i(due_valid), .due_ready_o(due_ready), .due_qp_i(sup_qp), .due_entry_i(sup_entry),
    .due_i(due), .ref_write_i(ref_valid), .ref_slot_i(ref_slot), .ref_rank_i(ref_rank),
    .ref_entry_i(ref_entry), .flag_valid_i(flag_valid), .flag_ready_o(flag_ready),
    .flag_qp_i(sup_qp), .flag_entry_i(sup_entry),
    .desc_flag_valid_i(dflag_valid), .desc_flag_ready_o(dflag_ready), .desc_flag_qp_i(dup_qp),
    .desc_flag_entry_i(dup_entry), .desc_line_valid_i(dline_valid),
    .desc_line_ready_o(dline_ready), .desc_line_entry_i(dline_entry),
    .desc_line_from_i(dline_from), .desc_line_len_i(dline_len), .desc_inl_valid_o(dinl_valid),
    .desc_inl_ready_i(dinl_ready), .desc_inl_data_o(dinl_data),
    .cmd_valid_i(stl_valid), .cmd_ready_o(stl_ready), .cmd_qp_i(stc_qp), .cmd_valid_o(std_valid),
    .cmd_ready_i(std_ready), .fence_valid_i(fence_valid), .fence_ready_o(fence_ready),
    .fence_begins_i(fence_begins), .fence_group_i(fence_group), .fenced_valid_o(fenced_valid),
    .fenced_ready_i(fenced_ready), .fenced_group_o(fenced_group),
    .end_valid_o(lend_valid), .end_ready_i(ends_ready[1]), .end_qp_o(lend_qp),
    .end_entry_o(lend_entry), .end_o(lend), .end_flag_i(end_flag),
    .fault_valid_o(lfault_valid), .fault_ready_i(lfault_ready), .fault_group_o(lfault_group),
    .fault_ranks_o(lfault_ranks), .fault_mid_o(lfault_mid),
    .row_valid_o(row_valid[2:0]), .row_ready_i(row_ready[2:0]), .row_entry_o(row_entry[2:0]),
    .got_valid_i(got_valid[2:0]), .got_qp_i(got_qp), .got_i(got), .got_row_i(got_row),
    .far_sge_valid_o, .far_sge_ready_i, .far_sge_result_o, .far_sge_entry_o, .far_sge_index_o,
    .far_sgot_valid_i, .far_sgot_i, .far_read_valid_o, .far_read_ready_i, .far_read_entry_o,
    .far_read_first_o, .far_read_words_o, .far_word_valid_i, .far_word_ready_o, .far_word_i,
    .acc_valid_o(lac_valid), .acc_ready_i(lac_ready), .acc_o(lac), .acc_job_o(lac_job),
    .dat_valid_o(lac_dat_valid), .dat_ready_i(lac_dat_ready), .dat_o(lac_dat),
    .done_valid_i(ace_valid_o && ace_of_local), .done_job_i(ace_tag_o[JobW-1:0]),
    .done_failed_i(ace_status_o != 16'(tally_pkg::CollOk)),
    .out_valid_i(acr_valid_o && acr_of_local), .out_data_i(acr_data_o), .out_last_i(acr_last_o),
    .out_job_i(acr_tag_o[JobW-1:0]), .out_error_i(acr_error_o),
    .hold_i(hold), .res_tvalid_i(res_tvalid), .res_tready_o(res_tready), .res_tdata_i(res_tdata),
    .res_tlast_i(res_tlast), .res_i(res), .res_slot_i(res_slot),
    .op_valid_o(loc_valid), .op_ready_i(loc_ready), .op_o(loc), .op_tdata_o(loc_tdata),
    .op_tkeep_o(loc_tkeep), .op_tlast_o(loc_tlast),
    .ans_valid_i(ans_of_local), .ans_answer_i(ans.answer), .ans_err_vector_i(ans.err_vector)
  );
  logic unused_local;
  assign unused_local = ^{ans, lac, lfault_group};

  // ---- Triggered descriptors ----
  logic desc_deadline_valid, unused_lacks, unused_unsaid, unused_dend, late_valid, late_ready;
  logic [15:0] late_status;
  logic [GroupW-1:0] late_group;
  logic [63:0] late_contributors, late_ranks;
  logic [31:0] late_mid;
  logic [63:0] desc_deadline;
  logic [QpW-1:0] unused_dflag_qp;
  logic [EntryW-1:0] unused_dflag_entry;
  tally_trigger_unit #(
    .Groups(Groups), .Qps(Qps), .Entries(Entries), .Descs(Descs), .Cells(Cells), .Flights(Flights)
  ) u_trigger (
    .clk_i(requests_clk), .rst_ni, .now_i, .busy_o(trigger_busy),
    .deadline_valid_o(desc_deadline_valid), .deadline_o(desc_deadline),
    .axil_awvalid_i(write[tally_nic_pkg::ToTrigger]),
    .axil_awready_o(write_ready[tally_nic_pkg::ToTrigger]),
    .axil_awaddr_i(at_addr),
    .axil_wvalid_i(write[tally_nic_pkg::ToTrigger]),
    .axil_wready_o(unused_trigger_wready),
    .axil_wdata_i(at_data), .axil_wstrb_i(at_strb),
    .axil_bvalid_o(bvalid[tally_nic_pkg::ToTrigger]),
    .axil_bready_i(bready),
    .axil_bresp_o(bresp[tally_nic_pkg::ToTrigger]),
    .begin_valid_i(hand_valid), .begin_ready_o(hand_ready), .begin_took_o(hand_took),
    .begin_qp_i(sup_qp), .begin_entry_i(sup_entry), .mark_valid_o(desc_mark_valid),
    .mark_qp_o(desc_mark_qp),
    .fired_o(fired_valid_o), .upd_valid_o(dup_valid), .upd_ready_i(upds_ready[2]),
    .upd_qp_o(dup_qp), .upd_entry_o(dup_entry), .upd_o(dup),
    .end_valid_o(dend_valid), .end_ready_i(ends_ready[2]), .end_qp_o(dend_qp),
    .end_entry_o(dend_entry), .end_o(dend), .end_flag_i(end_flag),
    .flag_valid_o(dflag_valid), .flag_ready_i(dflag_ready), .flag_qp_o(unused_dflag_qp),
    .flag_entry_o(unused_dflag_entry),
    .cmd_valid_i(std_valid), .cmd_ready_o(std_ready), .cmd_i(stc), .cmd_qp_i(stc_qp),
    .cmd_group_i(stc_group), .cmd_state_i(stc_state), .cmd_valid_o(stc_pass),
    .cmd_ready_i(stc_pass_ready),
    .row_valid_o(row_valid[4]), .row_ready_i(row_ready[4]), .row_entry_o(row_entry[4]),
    .got_valid_i(got_valid[4]), .got_i(got), .got_row_i(got_row),
    .line_valid_o(dline_valid), .line_ready_i(dline_ready), .line_entry_o(dline_entry),
    .line_from_o(dline_from), .line_len_o(dline_len), .inl_valid_i(dinl_valid),
    .inl_ready_o(dinl_ready), .inl_data_i(dinl_data),
    .acc_valid_o(dac_valid), .acc_ready_i(dac_ready), .acc_o(dac), .acc_desc_o(dac_desc),
    .dat_valid_o(dac_dat_valid), .dat_ready_i(dac_dat_ready), .dat_o(dac_dat),
    .done_valid_i(ace_valid_o && ace_of_desc), .done_desc_i(ace_tag_o[DescW-1:0]),
    .done_failed_i(ace_status_o != 16'(tally_pkg::CollOk)),
    .out_valid_i(acr_valid_o && acr_of_desc), .out_data_i(acr_data_o), .out_last_i(acr_last_o),
    .out_desc_i(acr_tag_o[DescW-1:0]), .out_error_i(acr_error_o),
    .fault_valid_o(dfault_valid), .fault_ready_i(dfault_ready),
    .exc_valid_o(late_valid), .exc_ready_i(late_ready), .exc_status_o(late_status),
    .exc_contributors_o(late_contributors), .exc_lacks_o(unused_lacks),
    .exc_group_o(late_group), .exc_ranks_o(late_ranks), .exc_mid_o(late_mid),
    .rec_valid_i(mes_valid), .rec_ready_o(mes_ready), .rec_i(rec_o), .adm_i(adm_o),
    .flight_i(rec_flight_o), .pay_tvalid_i(mes_tvalid), .pay_tready_o(mes_tready),
    .pay_tdata_i(pay_tdata_o),
    .end_flight_valid_o(fly_end_valid), .end_flight_ready_i(fly_end_ready),
    .end_flight_o(fly_end_flight), .end_stored_o(fly_end_stored), .dropped_o(message_bad_o),
    .unsaid_o(unused_unsaid), .busy_valid_o(busy_valid), .busy_ready_i(busy_ready),
    .busy_reply_o(busy_reply),
    .head_valid_o(mhead_valid), .head_ready_i(mhead_ready), .head_end_i(chunk_end), .head_o(mhead),
    .txp_tvalid_o(mtx_tvalid), .txp_tready_i(mtx_tready), .txp_tdata_o(mtx_tdata),
    .txp_tkeep_o(mtx_tkeep), .txp_tlast_o(mtx_tlast),
    .acked_valid_i(acked_valid && acked_desc), .acked_ready_o(desc_acked_ready),
    .acked_i(acked_o), .again_valid_i(again_valid && again_desc),
    .again_ready_o(desc_again_ready), .again_i(again_o),
    .wake_i(wake || (acked_valid && acked_ready))
  );
  assign fired_qp_o = dup_qp;
  assign fired_entry_o = dup_entry;
  assign message_end_valid_o = fly_end_valid && fly_end_ready;
  assign message_end_flight_o = fly_end_flight;
  assign message_end_stored_o = fly_end_stored;
  assign unused_dend = ^dac;

  // ---- What ends epochs ----
  logic exceptions_busy;
  tally_events_pkg::exception_t exc;
  always_comb begin
    exc.cause = exc_cause_i;
    exc.status = exc_status_i;
    exc.mid = exc_mid_i;
    exc.sid = exc_sid_i;
    exc.contributors = exc_contributors_i;
    exc.ranks = exc_ranks_i;
  end
  tally_nic_exceptions #(.Groups(Groups)) u_exceptions (
    .clk_i, .rst_ni, .busy_o(exceptions_busy),
    .disagree_valid_i(disagree_valid), .disagree_ready_o(disagree_ready),
    .disagree_group_i(disagree_group), .disagree_status_i(disagree_status),
    .disagree_mid_i(disagree_mid), .disagree_sid_i(disagree_sid),
    .disagree_contributors_i(disagree_contributors), .disagree_ranks_i(disagree_ranks),
    .fault_valid_i(lfault_valid), .fault_ready_o(lfault_ready),
    .fault_group_i(lfault_group[GroupW-1:0]), .fault_ranks_i(lfault_ranks),
    .fault_mid_i(lfault_mid),
    .desc_fault_valid_i(dfault_valid), .desc_fault_ready_o(dfault_ready),
    .desc_late_valid_i(late_valid), .desc_late_ready_o(late_ready), .desc_group_i(late_group),
    .desc_status_i(late_status), .desc_contributors_i(late_contributors),
    .desc_ranks_i(late_ranks), .desc_mid_i(late_mid),
    .exc_valid_i, .exc_ready_o, .exc_group_i, .exc_i(exc), .drained_valid_i, .drained_ready_o,
    .drained_group_i, .fenced_valid_i(fenced_valid), .fenced_ready_o(fenced_ready),
    .fenced_group_i(fenced_group), .set_valid_i(epoch_valid), .set_ready_o(epoch_ready),
    .set_begins_i(epoch_begins), .set_group_i(epoch_group), .freeze_valid_o, .freeze_group_o,
    .raise_valid_o(raise_valid), .raise_ready_i(raise_ready), .raise_kind_o(raise_kind),
    .raise_group_o(raise_group), .raise_exception_o(raise_exception)
  );

  // ---- When the clock is needed ----
  logic acks_first, edges_valid, edges_first, works_valid, heads_first;
  logic [63:0] edges_deadline, works_deadline;

  assign acks_first = acks_deadline_valid &&
      !(send_deadline_valid && send_deadline < acks_deadline);
  assign edges_valid = acks_deadline_valid || send_deadline_valid;
  assign edges_deadline = acks_first ? acks_deadline : send_deadline;
  assign heads_first = head_deadline_valid &&
      !(desc_deadline_valid && desc_deadline < head_deadline);
  assign works_valid = head_deadline_valid || desc_deadline_valid;
  assign works_deadline = heads_first ? head_deadline : desc_deadline;
  assign edges_first = edges_valid && !(works_valid && works_deadline < edges_deadline);
  assign deadline_valid_o = edges_valid || works_valid;
  assign deadline_o = edges_first ? edges_deadline : works_deadline;

  // ---- What is inside ----
  //
  // The first word of a frame counts it, and its record ends it when the admission takes it. The
  // same holds for its payload, which is there before the record or after it.
  logic rx_inside_q, rx_begin, rec_pay, pay_end, hdr_taken;
  logic [InsideW-1:0] frames_q, payloads_q, headers_q;

  assign rx_begin = rx_tvalid_i && rx_tready_o && !rx_inside_q;
  assign rec_taken = in_valid && in_ready;
  assign rec_good = in.verdict == 8'(tally_pkg::RxOk);
  assign rec_pay = rec_taken && rec_good && in.payload_len != '0;
  assign pay_end = in_tvalid && in_tready && in_tlast;
  assign hdr_taken = enc_valid && enc_ready;
  assign tx_end = tx_tvalid_o && tx_tready_i && tx_tlast_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      rx_inside_q <= 1'b0;
      frames_q <= '0;
      payloads_q <= '0;
      headers_q <= '0;
    end else begin
      if (rx_tvalid_i && rx_tready_o) rx_inside_q <= !rx_tlast_i;
      frames_q <= frames_q + InsideW'(rx_begin) - InsideW'(rec_taken);
      payloads_q <= payloads_q + InsideW'(rec_pay) - InsideW'(pay_end);
      headers_q <= headers_q + InsideW'(hdr_taken) - InsideW'(tx_end) - InsideW'(err_valid_o);
    end
  end
  assign rx_needed = rx_tvalid_i || frames_q != '0 || payloads_q != '0;
  assign send_needed = set_valid || reply_valid || ask_valid || look_valid || send_busy ||
      (send_deadline_valid && send_deadline <= now_i);
  assign head_needed = head_write || tables_taken_q || store_taken_q || renewed_q || closing ||
      taken || stopped || does_write || moved_valid_o || peer_q || ack_valid || source_valid ||
      head_busy || (head_deadline_valid && head_deadline <= now_i);
  assign tx_needed = hdr_valid_i || number_busy || ones_valid || heads_valid || heads_kept ||
      sent_valid || merge_busy || headers_q != '0;
  // requests_busy is high while something is offered.
  assign requests_needed = write[tally_nic_pkg::ToRequests] ||
      (wrote && (requests_listen || status_listens)) || push_awvalid_i || push_wvalid_i ||
      fetch_rvalid || requests_busy;
  // A group is created by a register that others have.
  assign status_needed = write[tally_nic_pkg::ToStatus] || wrote_tables || upd_valid_i ||
      fin_valid_i || status_busy;
  assign sender_needed = write[tally_nic_pkg::ToSender] || (moved_valid_o && moved.ok) ||
      ans_of_post || sender_busy;
  assign pool_needed = write[tally_nic_pkg::ToPool] || moved_valid_o || want_valid || pool_busy;
  assign local_needed = far_sgot_valid_i || far_word_valid_i || res_tvalid || ans_of_local ||
      (acr_valid_o && acr_of_local) || (ace_valid_o && ace_of_local) || fence_valid ||
      local_busy;
  assign trigger_needed = write[tally_nic_pkg::ToTrigger] || mes_valid || mes_tvalid ||
      (acked_valid && (acked_desc || acked_ready)) || (again_valid && again_desc) || wake ||
      (acr_valid_o && acr_of_desc) || (ace_valid_o && ace_of_desc) ||
      (desc_deadline_valid && desc_deadline <= now_i) || trigger_busy;
  assign idle_o = frames_q == '0 && payloads_q == '0 && headers_q == '0 && !regs_busy &&
      !writes_busy && !admission_busy &&
      !gate_busy && !gate_end_valid && !edge_regs_busy && !replies_busy && !send_busy &&
      !number_busy &&
      !peer_q && !head_busy && !closing && !heads_valid && !merge_busy &&
      store_idle && !memory_busy && !requests_busy && !status_busy &&
      !local_busy && !sender_busy && !trigger_busy && !pool_busy && !take_busy && !events_busy &&
      !exceptions_busy && !firmware_busy;
endmodule
