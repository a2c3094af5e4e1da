// SPDX-License-Identifier: BSD-2-Clause
// The commands of the firmware that send a packet, SEND, SEND_OPEN, CONFIRM and CHALLENGE of struct
// command: its registers (tally_command_regs), what packets are formed from (tally_fw_tables), and
// tally_fw_packet. From the same tables tally_fw_open finds what the firmware must know of an OPEN.
//
// axil_*: writes of struct command. mine_o: the write at axil_awaddr_i is one that this block
// answers: a register other than `go`, or one of these commands; only then it may be offered. A
// command is refused if its group, its edge or its values cannot be, or if its edge has no row. It
// is answered when its packet has left. Edges of tombstones have no rows.
//
// written_i: a register of a group or an edge is written in this clock, whoever answers it; row_i
// is the row of its edge. keeps_o: it is one of those that are kept here. moved_*: see
// tally_fw_tables. look_*: see tally_edge_rows. echo_i: nonce of the OPEN that is handled. out_*,
// dat_*: see tally_fw_packet.
//
// open_valid_i: asks for what is to be known of an OPEN, open_event_i, of a group or a tombstone;
// both stay until open_ready_o, in whose clock open_o is the answer: 0 if the edge has no row. It
// waits for a command that is being carried out, but does not count for busy_o.
module tally_fw_send #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  localparam int unsigned Contexts = Groups + Tombs,
  localparam int unsigned ContextW = $clog2(Contexts),
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                                clk_i,
  input  logic                                rst_ni,
  output logic                                busy_o,
  input  logic [47:0]                         mac_i,
  input  logic [127:0]                        gid_i,

  input  logic                                axil_awvalid_i,
  output logic                                axil_awready_o,
  input  logic [31:0]                         axil_awaddr_i,
  input  logic                                axil_wvalid_i,
  output logic                                axil_wready_o,
  input  logic [31:0]                         axil_wdata_i,
  input  logic [3:0]                          axil_wstrb_i,
  output logic                                axil_bvalid_o,
  input  logic                                axil_bready_i,
  output logic [1:0]                          axil_bresp_o,
  output logic                                mine_o,

  input  logic                                written_i,
  input  logic [RowW-1:0]                     row_i,
  output logic                                keeps_o,
  input  logic                                moved_valid_i,
  input  logic [GroupW-1:0]                   moved_group_i,
  input  logic [31:0]                         moved_done_i,
  input  logic [31:0]                         moved_limit_i,

  output logic                                look_valid_o,
  input  logic                                look_ready_i,
  output logic [GroupW-1:0]                   look_group_o,
  output logic [EdgeW-1:0]                    look_edge_o,
  input  logic [RowW-1:0]                     look_row_i,
  input  logic                                look_found_i,

  input  logic                                open_valid_i,
  output logic                                open_ready_o,
  input  tally_events_pkg::packet_t           open_event_i,
  output logic [31:0]                         open_o,

  input  logic [63:0]                         echo_i,
  output logic                                out_valid_o,
  input  logic                                out_ready_i,
  output tally_encap_pkg::tx_hdr_t            out_o,
  output logic                                dat_tvalid_o,
  input  logic                                dat_tready_i,
  output logic [tally_net_pkg::WordBits-1:0]  dat_tdata_o,
  output logic [tally_net_pkg::WordBytes-1:0] dat_tkeep_o,
  output logic                                dat_tlast_o
);
  localparam int unsigned Words = 32;  // registers of struct command
  localparam int unsigned Last = tally_fw_pkg::CommandDataOffset +
                                 4 * (tally_fw_pkg::DataWords - 1);

  function automatic logic is_send(input logic [7:0] code);
    is_send = code == 8'(tally_fw_pkg::CmdSend) || code == 8'(tally_fw_pkg::CmdSendOpen) ||
              code == 8'(tally_fw_pkg::CmdConfirm) || code == 8'(tally_fw_pkg::CmdChallenge);
  endfunction

  // ---- Registers ----
  logic [Words-1:0][31:0] value;
  logic [31:0] at, go;
  logic unused_judge, good, give_valid, give_ready, gone, regs_busy;

  assign at = axil_awaddr_i - tally_fw_pkg::CommandBase;
  assign mine_o = at < 4 * Words &&
                  (at != tally_fw_pkg::CommandGoOffset || is_send(axil_wdata_i[7:0]));
  tally_command_regs #(
    .Base(tally_fw_pkg::CommandBase), .Last(Last), .Words(Words)
  ) u_regs (
    .clk_i, .rst_ni, .axil_awvalid_i, .axil_awready_o, .axil_awaddr_i, .axil_wvalid_i,
    .axil_wready_o, .axil_wdata_i, .axil_wstrb_i, .axil_bvalid_o, .axil_bready_i, .axil_bresp_o,
    .busy_o(regs_busy), .value_o(value), .go_o(go), .judge_o(unused_judge), .good_i(good),
    .give_valid_o(give_valid), .give_ready_i(give_ready), .give_bad_i(gone)
  );

  // ---- The command, as the registers have it ----
  logic [7:0] code;
  logic [31:0] context_, edge_, kind, flags, length;
  logic is_tomb, is_open, values_ok;
  tally_fw_send_pkg::send_t send;

  assign code = go[7:0];
  assign edge_ = 32'(go[15:8]);
  assign context_ = 32'(go[31:16]);
  assign kind = value[tally_fw_pkg::CommandKindOffset/4];
  assign flags = value[tally_fw_pkg::CommandFlagsOffset/4];
  assign length = value[tally_fw_pkg::CommandLengthOffset/4];
  assign is_tomb = context_ >= Groups;
  assign is_open = code != 8'(tally_fw_pkg::CmdSend);
  assign values_ok = (kind == 32'(tally_pkg::KindKill) || kind == 32'(tally_pkg::KindAck)) &&
                     flags[31:16] == '0 && length <= 4 * tally_fw_pkg::DataWords;
  assign good = is_send(code) && context_ < Contexts && edge_ < EdgesOf && (is_open || values_ok);
  always_comb begin
    send.open = is_open;
    send.confirm = code == 8'(tally_fw_pkg::CmdConfirm);
    send.challenge = code == 8'(tally_fw_pkg::CmdChallenge);
    send.echo = echo_i;
    send.kind = kind[7:0];
    send.flags = flags[15:0];
    send.epoch = value[tally_fw_pkg::CommandEpochOffset/4];
    send.key = value[tally_fw_pkg::CommandKeyOffset/4];
    send.mid = value[tally_fw_pkg::CommandMidOffset/4];
    send.sid = value[tally_fw_pkg::CommandSidOffset/4];
    send.length = length[6:0];
    send.data = value[tally_fw_pkg::CommandDataOffset/4+:tally_fw_pkg::DataWords];
  end

  // ---- Steps: the row of the edge, then the packet or the comparison ----
  typedef enum logic [2:0] {
    Idle = 3'd0,
    Look = 3'd1,   // asks for the row
    Row = 3'd2,    // has it
    Found = 3'd3,  // if there is one
    Send = 3'd4,
    Gone = 3'd5,   // no edge has this name
    Open = 3'd6    // an OPEN is compared
  } state_e;

  state_e state_q, state_d;
  logic packet_ready, packet_busy, of_open_q, tomb_opens, compared;
  logic [RowW-1:0] row_q;
  logic [ContextW-1:0] context_now;
  logic [EdgeW-1:0] edge_now;
  logic [31:0] open;

  assign tomb_opens = 32'(open_event_i.context_) >= Groups;

  always_comb begin
    unique case (state_q)
      Idle: begin
        if (open_valid_i) state_d = tomb_opens ? Open : Look;
        else state_d = !give_valid ? Idle : is_tomb ? Send : Look;
      end
      Look: state_d = look_ready_i ? Row : Look;
      Row: state_d = Found;
      Found: state_d = !look_found_i ? Gone : of_open_q ? Open : Send;
      Send: state_d = packet_ready ? Idle : Send;
      Open: state_d = compared ? Idle : Open;
      default: state_d = Idle;  // Gone
    endcase
  end
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) state_q <= Idle;
    else state_q <= state_d;
  end
  always_ff @(posedge clk_i) begin
    if (state_q == Row) row_q <= look_row_i;
    if (state_q == Idle) of_open_q <= open_valid_i;
  end
  assign context_now = of_open_q ? open_event_i.context_[ContextW-1:0] : context_[ContextW-1:0];
  assign edge_now = of_open_q ? open_event_i.edge_[EdgeW-1:0] : edge_[EdgeW-1:0];
  assign look_valid_o = state_q == Look;
  assign look_group_o = context_now[GroupW-1:0];
  assign look_edge_o = edge_now;
  assign gone = state_q == Gone && !of_open_q;
  assign give_ready = (state_q == Send && packet_ready) || gone;
  assign open_ready_o = (state_q == Open && compared) || (state_q == Gone && of_open_q);
  assign open_o = state_q == Open ? open : '0;
  assign busy_o = regs_busy || packet_busy;

  // ---- What packets are formed from, and the packet, or an OPEN is compared with ----
  logic [tally_fw_send_pkg::WordW-1:0] read, packet_read, open_read;
  logic [31:0] read_value;

  tally_fw_tables #(.Groups(Groups), .Tombs(Tombs), .EdgesOf(EdgesOf), .Rows(Rows)) u_tables (
    .clk_i, .rst_ni, .write_i(written_i), .addr_i(axil_awaddr_i), .data_i(axil_wdata_i), .row_i,
    .mine_o(keeps_o), .moved_valid_i, .moved_group_i, .moved_done_i, .moved_limit_i,
    .read_context_i(context_now), .read_edge_i(edge_now), .read_row_i(row_q),
    .read_i(read), .read_o(read_value)
  );
  assign read = state_q == Open ? open_read : packet_read;
  tally_fw_open u_open (
    .clk_i, .rst_ni, .in_valid_i(state_q == Open), .in_ready_o(compared), .in_i(open_event_i),
    .open_o(open), .read_o(open_read), .read_i(read_value)
  );
  tally_fw_packet u_packet (
    .clk_i, .rst_ni, .busy_o(packet_busy), .mac_i, .gid_i,
    .in_valid_i(state_q == Send), .in_ready_o(packet_ready), .in_i(send),
    .read_o(packet_read), .read_i(read_value), .out_valid_o, .out_ready_i, .out_o,
    .dat_tvalid_o, .dat_tready_i,
    .dat_tdata_o, .dat_tkeep_o, .dat_tlast_o
  );

  // The registers have more than what these commands need, and an event than what names its edge.
  logic unused;
  assign unused = ^{value, unused_judge, open_event_i};
endmodule
