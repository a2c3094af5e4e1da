// SPDX-License-Identifier: BSD-2-Clause
// Tables of groups and edges, as far as the admission of packets needs them, and the lists of
// contexts by job id. A context is a group or a tombstone; tombstones follow the groups.
//
// axil_*: the write channels of an AXI4-Lite slave, for the registers of the firmware's map
// (docs/registers.md): jid and source_gid of struct setup; flags, parent, state, epoch, group_key
// and destroyed of struct group; state, key, nonce and peer_nonce of struct edge; gid of struct
// neighbour. A nonce is complete with the write of its high word. first_seq of struct edge is not
// kept here: first_* pass it on, in the clock after its write, if the edge is of a group. A
// write to `go` of struct command with CmdCreate puts the context at the beginning of the list of
// its job id, and closes all edges of a tombstone; its registers other than those of its edges must
// be written before. CmdRelease
// takes it out of this list. Any other access, and CmdRelease of a context that is not in its list,
// changes nothing and is answered with SLVERR. A context that is in its list must not be created
// again. Address and data of a write are taken together.
//
// Lookups and writes take turns, so that a lookup sees every write completely or not at all. A
// write is taken only in a clock with grant_i. A lookup may begin in a clock in which free_o is
// high, which does not depend on grant_i; then grant_i must stay low until it has ended. The rows
// belong to the job id, and to the context and the edge, of the clock before. In the 2**BucketW
// clocks after reset, in which the lists are emptied, free_o is low. busy_o is low if the clock may
// stop.
//
// The edges of groups have rows that others give them (tally_edge_rows); a tombstone has a row for
// each edge that it may have. wr_row_i: the row of the edge, if a write is of one of a group.
// new_*: a row is given to an edge, which becomes closed; there is no write in this clock, and none
// is being carried out. look_*: asks for the row of a group's edge, as tally_edge_rows answers. The
// row of an edge is read a clock later than those of the job id and the context: it belongs to the
// edge of two clocks before. look_valid_o is high in any clock in which context_i is a group, and
// row_ready_o if the edge's row will be there.
module tally_admission_tables #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned Tombs = tally_pkg::MaxTombstones,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,  // edges of a context
  parameter int unsigned Rows = tally_pkg::MaxEdges,                // edges of groups
  parameter int unsigned BucketW = 10,                              // log2 of the number of lists
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned RowW = $clog2(Rows),
  localparam int unsigned Contexts = Groups + Tombs,
  localparam int unsigned ContextW = $clog2(Contexts),
  localparam int unsigned EdgeW = $clog2(EdgesOf)
) (
  input  logic                            clk_i,
  input  logic                            rst_ni,

  input  logic                            axil_awvalid_i,
  output logic                            axil_awready_o,
  input  logic [31:0]                     axil_awaddr_i,
  input  logic                            axil_wvalid_i,
  output logic                            axil_wready_o,
  input  logic [31:0]                     axil_wdata_i,
  input  logic [3:0]                      axil_wstrb_i,
  output logic                            axil_bvalid_o,
  input  logic                            axil_bready_i,
  output logic [1:0]                      axil_bresp_o,

  input  logic [RowW-1:0]                 wr_row_i,
  input  logic                            new_valid_i,
  input  logic [RowW-1:0]                 new_row_i,

  output logic                            look_valid_o,
  input  logic                            look_ready_i,
  output logic [GroupW-1:0]               look_group_o,
  output logic [EdgeW-1:0]                look_edge_o,
  input  logic [RowW-1:0]                 look_row_i,
  input  logic                            look_found_i,

  input  logic                            grant_i,
  output logic                            free_o,
  output logic                            busy_o,

  input  logic [31:0]                     jid_i,
  // some context is in the list of this job id
  output logic                            head_valid_o,
  output logic [ContextW-1:0]             head_o,        // the first of them
  input  logic [ContextW-1:0]             context_i,
  input  logic [EdgeW-1:0]                edge_i,
  output logic                            row_ready_o,  // the row of the edge will be there
  output tally_admission_pkg::group_row_t group_o,
  output tally_admission_pkg::edge_row_t  edge_o,

  output logic                            first_valid_o,
  output logic [RowW-1:0]                 first_row_o,
  output logic [GroupW-1:0]               first_group_o,
  output logic [EdgeW-1:0]                first_edge_o,
  output logic [31:0]                     first_seq_o
);
  // Rows of edges of tombstones follow those of groups.
  localparam int unsigned AllRows = Rows + Tombs * EdgesOf;
  localparam int unsigned AllRowW = $clog2(AllRows);
  localparam int unsigned LinkW = 1 + ContextW;
  localparam logic [1:0] RespOkay = 2'b00;
  localparam logic [1:0] RespSlvErr = 2'b10;
  localparam int unsigned GroupShift = $clog2(tally_fw_pkg::GroupStride);
  localparam int unsigned EdgeShift = $clog2(tally_fw_pkg::EdgeStride);
  localparam logic [1:0] ClosedState = 2'(tally_pkg::EdgeNone);

  typedef enum logic [2:0] {
    Init = 3'd0,   // empties the lists
    Ready = 3'd1,  // lookups and writes
    Clear = 3'd2,  // closes the edges of a tombstone
    Fetch = 3'd3,  // reads its row
    Seek = 3'd4,   // reads the head of its list
    Link = 3'd5,   // puts it there, or takes it out if it is the first one
    Step = 3'd6,   // reads the row of one before it
    Check = 3'd7   // takes it out if it is the next one
  } state_e;

  state_e state_q;
  logic [BucketW-1:0] bucket_q;  // next list to be emptied
  logic [EdgeW-1:0] clear_q;     // next edge to be closed
  logic [ContextW-1:0] op_q, at_q;  // context of the command; one before it in the list
  logic release_q, bvalid_q, failed_q;
  logic [LinkW-1:0] after_q;     // link of the context of the command
  logic [31:0] low_q;            // low word of a nonce

  // ---- Which register a write is for ----
  logic [31:0] in_groups;
  logic [GroupShift-1:0] at;
  logic [GroupShift-EdgeShift-1:0] page;
  logic [EdgeShift-1:0] in_edge;
  logic [ContextW-1:0] reg_context, go_context;
  logic [EdgeW-1:0] reg_edge;
  logic whole, of_group, of_edge, is_go, go_ok, create, forget, unused;

  assign in_groups = axil_awaddr_i - tally_fw_pkg::GroupBase;
  assign at = in_groups[GroupShift-1:0];
  assign page = at[GroupShift-1:EdgeShift];
  assign in_edge = at[EdgeShift-1:0];
  assign reg_context = ContextW'(in_groups >> GroupShift);
  assign reg_edge = EdgeW'(32'(page) - tally_fw_pkg::EdgeOffset / tally_fw_pkg::EdgeStride);
  assign go_context = ContextW'(axil_wdata_i[31:16]);
  assign unused = ^axil_wdata_i[15:8];  // the edge of a command
  assign whole = axil_wstrb_i == 4'b1111;
  assign of_group = whole && axil_awaddr_i >= tally_fw_pkg::GroupBase &&
      in_groups >> GroupShift < Contexts && 32'(at) < tally_fw_pkg::EdgeOffset;
  assign of_edge = whole && axil_awaddr_i >= tally_fw_pkg::GroupBase &&
      in_groups >> GroupShift < Contexts && 32'(at) >= tally_fw_pkg::EdgeOffset &&
      32'(page) < tally_fw_pkg::EdgeOffset / tally_fw_pkg::EdgeStride + EdgesOf;
  assign is_go = whole && axil_awaddr_i == tally_fw_pkg::CommandBase +
                 tally_fw_pkg::CommandGoOffset;
  assign go_ok = is_go && 32'(axil_wdata_i[31:16]) < Contexts;
  assign create = go_ok && axil_wdata_i[7:0] == 8'(tally_fw_pkg::CmdCreate);
  assign forget = go_ok && axil_wdata_i[7:0] == 8'(tally_fw_pkg::CmdRelease);

  logic set_jid, set_flags, set_parent, set_state, set_epoch, set_key, set_destroyed;
  logic set_edge_state, set_edge_key, set_nonce, set_nonce_low, set_peer, set_peer_low, set_first;
  logic [3:0] set_source, set_gid;
  logic known;

  assign set_jid = of_group && 32'(at) == tally_fw_pkg::SetupOffset + tally_fw_pkg::SetupJidOffset;
  assign set_flags = of_group && 32'(at) == tally_fw_pkg::GroupFlagsOffset;
  assign set_parent = of_group && 32'(at) == tally_fw_pkg::GroupParentOffset;
  assign set_state = of_group && 32'(at) == tally_fw_pkg::GroupStateOffset;
  assign set_epoch = of_group && 32'(at) == tally_fw_pkg::GroupEpochOffset;
  assign set_key = of_group && 32'(at) == tally_fw_pkg::GroupGroupKeyOffset;
  assign set_destroyed = of_group && 32'(at) == tally_fw_pkg::GroupDestroyedOffset;
  assign set_edge_state = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeStateOffset;
  assign set_edge_key = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeKeyOffset;
  assign set_nonce_low = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeNonceOffset;
  assign set_nonce = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeNonceOffset + 4;
  assign set_peer_low = of_edge && 32'(in_edge) == tally_fw_pkg::EdgePeerNonceOffset;
  assign set_peer = of_edge && 32'(in_edge) == tally_fw_pkg::EdgePeerNonceOffset + 4;
  assign set_first = of_edge && 32'(in_edge) == tally_fw_pkg::EdgeFirstSeqOffset;
  always_comb begin
    for (int unsigned i = 0; i < 4; i++) begin
      set_source[i] = of_group && 32'(at) == tally_fw_pkg::SetupOffset +
                      tally_fw_pkg::SetupSourceGidOffset + 4 * i;
      set_gid[i] = of_edge && 32'(in_edge) == tally_fw_pkg::NeighbourOffset +
                   tally_fw_pkg::NeighbourGidOffset + 4 * i;
    end
  end
  assign known = set_jid || set_flags || set_parent || set_state || set_epoch || set_key ||
      set_destroyed ||
      set_source != '0 || set_edge_state || set_edge_key || set_nonce || set_nonce_low ||
      set_peer || set_peer_low ||
      set_gid != '0 || set_first;

  // ---- Taking a write ----
  logic want, write;

  assign want = state_q == Ready && axil_awvalid_i && axil_wvalid_i && !bvalid_q;
  assign write = want && grant_i;
  assign axil_awready_o = write;
  assign axil_wready_o = write;
  assign axil_bvalid_o = bvalid_q && state_q == Ready;
  assign axil_bresp_o = failed_q ? RespSlvErr : RespOkay;
  assign free_o = state_q == Ready && !want;
  assign busy_o = state_q != Ready || bvalid_q;

  // ---- Values as the rows have them ----
  logic [31:0] bytes;  // of an address, the first one in the highest bits
  logic alive, has_parent;

  assign bytes = {axil_wdata_i[7:0], axil_wdata_i[15:8], axil_wdata_i[23:16], axil_wdata_i[31:24]};
  assign alive = axil_wdata_i == 32'(tally_pkg::GroupOpening) ||
      axil_wdata_i == 32'(tally_pkg::GroupOpen) ||
      axil_wdata_i == 32'(tally_pkg::GroupDraining);
  assign has_parent = axil_wdata_i < EdgesOf;

  // ---- Memories ----
  logic [LinkW-1:0] heads_q [2**BucketW];
  logic [LinkW-1:0] links_q [Contexts];
  logic [31:0] jids_q [Contexts];
  logic [31:0] epochs_q [Contexts];
  logic [31:0] group_keys_q [Contexts];
  logic [127:0] sources_q [Contexts];
  logic multicasts_q [Contexts];
  logic [7:0] parents_q [Contexts];
  logic alives_q [Contexts];
  logic destroyeds_q [Contexts];
  logic [1:0] states_q [AllRows];
  logic [31:0] keys_q [AllRows];
  logic [63:0] nonces_q [AllRows];
  logic [63:0] peers_q [AllRows];
  logic [127:0] gids_q [AllRows];

  logic [ContextW-1:0] read_context;
  logic [AllRowW-1:0] tomb_row_q, read_row, write_row, state_row;
  logic of_tomb_q, tomb_read_q, write_state;
  logic [BucketW-1:0] read_bucket, write_bucket;
  logic [LinkW-1:0] head_q, link_q, head_new, link_new;
  logic [31:0] jid_q, epoch_q, group_key_q, key_q;
  logic [127:0] source_q, gid_q;
  logic [7:0] parent_q;
  logic [63:0] nonce_q, peer_q;
  logic [1:0] edge_state_q;
  logic multicast_q, alive_q, destroyed_q, write_head, write_link, first_is_op, next_is_op;
  logic [ContextW-1:0] link_context;

  // Returns the list of a job id.
  function automatic logic [BucketW-1:0] bucket(input logic [31:0] jid);
    bucket = '0;
    for (int unsigned i = 0; i < 32; i++) bucket[i%BucketW] = bucket[i%BucketW] ^ jid[i];
  endfunction

  function automatic logic is_tomb(input logic [ContextW-1:0] context_in);
    is_tomb = 32'(context_in) >= Groups;
  endfunction

  // Returns the row of a tombstone's edge.
  function automatic logic [AllRowW-1:0] row_of_tomb(input logic [ContextW-1:0] context_in,
                                                     input logic [EdgeW-1:0] edge_in);
    row_of_tomb = AllRowW'(Rows) + (AllRowW'(context_in) - AllRowW'(Groups)) * AllRowW'(EdgesOf) +
                  AllRowW'(edge_in);
  endfunction

  assign read_context = state_q == Ready ? context_i : state_q == Step || state_q == Check ? at_q :
                        op_q;
  assign look_valid_o = !is_tomb(context_i);
  assign look_group_o = GroupW'(context_i);
  assign look_edge_o = edge_i;
  assign row_ready_o = look_ready_i || is_tomb(context_i);
  assign read_row = of_tomb_q ? tomb_row_q : AllRowW'(look_row_i);
  assign write_row = is_tomb(reg_context) ? row_of_tomb(reg_context, reg_edge) : AllRowW'(wr_row_i);
  assign write_state = state_q == Clear || new_valid_i || (write && set_edge_state);
  assign state_row = state_q == Clear ? row_of_tomb(op_q, clear_q) :
                     new_valid_i ? AllRowW'(new_row_i) : write_row;
  assign read_bucket = bucket(state_q == Ready ? jid_i : jid_q);
  assign write_bucket = state_q == Init ? bucket_q : bucket(jid_q);

  assign first_is_op = head_q == {1'b1, op_q};
  assign next_is_op = link_q == {1'b1, op_q};
  assign write_head = state_q == Init || (state_q == Link && (!release_q || first_is_op));
  assign head_new = state_q == Init ? '0 : release_q ? after_q : {1'b1, op_q};
  assign write_link = (state_q == Link && !release_q) || (state_q == Check && next_is_op);
  assign link_context = state_q == Link ? op_q : at_q;
  assign link_new = state_q == Link ? head_q : after_q;

  always_ff @(posedge clk_i) begin
    if (write_head) heads_q[write_bucket] <= head_new;
    if (write_link) links_q[link_context] <= link_new;
    if (write && set_jid) jids_q[reg_context] <= axil_wdata_i;
    if (write && set_epoch) epochs_q[reg_context] <= axil_wdata_i;
    if (write && set_key) group_keys_q[reg_context] <= axil_wdata_i;
    for (int unsigned i = 0; i < 4; i++) begin
      if (write && set_source[i]) sources_q[reg_context][96-32*i+:32] <= bytes;
    end
    if (write && set_flags) begin
      multicasts_q[reg_context] <= axil_wdata_i[tally_pkg::GroupFMulticastBit];
    end
    if (write && set_parent) parents_q[reg_context] <= {has_parent, axil_wdata_i[6:0]};
    if (write && set_state) alives_q[reg_context] <= alive;
    if (write && set_destroyed) destroyeds_q[reg_context] <= axil_wdata_i != '0;
    if (write_state)
      states_q[state_row] <= state_q == Clear || new_valid_i ? ClosedState : axil_wdata_i[1:0];
    if (write && set_edge_key) keys_q[write_row] <= axil_wdata_i;
    if (write && set_nonce) nonces_q[write_row] <= {axil_wdata_i, low_q};
    if (write && set_peer) peers_q[write_row] <= {axil_wdata_i, low_q};
    for (int unsigned i = 0; i < 4; i++) begin
      if (write && set_gid[i]) gids_q[write_row][96-32*i+:32] <= bytes;
    end

    head_q <= heads_q[read_bucket];
    link_q <= links_q[read_context];
    jid_q <= jids_q[read_context];
    epoch_q <= epochs_q[read_context];
    group_key_q <= group_keys_q[read_context];
    source_q <= sources_q[read_context];
    multicast_q <= multicasts_q[read_context];
    parent_q <= parents_q[read_context];
    alive_q <= alives_q[read_context];
    destroyed_q <= destroyeds_q[read_context];
    of_tomb_q <= is_tomb(context_i);
    tomb_read_q <= of_tomb_q;
    tomb_row_q <= row_of_tomb(context_i, edge_i);
    edge_state_q <= states_q[read_row];
    key_q <= keys_q[read_row];
    nonce_q <= nonces_q[read_row];
    peer_q <= peers_q[read_row];
    gid_q <= gids_q[read_row];
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) first_valid_o <= 1'b0;
    else first_valid_o <= write && set_first && !is_tomb(reg_context);
  end
  always_ff @(posedge clk_i) begin
    first_row_o <= wr_row_i;
    first_group_o <= GroupW'(reg_context);
    first_edge_o <= reg_edge;
    first_seq_o <= axil_wdata_i;
  end
  assign head_valid_o = head_q[ContextW];
  assign head_o = head_q[ContextW-1:0];
  always_comb begin
    group_o = '0;
    group_o.jid = jid_q;
    group_o.epoch = epoch_q;
    group_o.key = group_key_q;
    group_o.source_gid = source_q;
    group_o.multicast = multicast_q;
    group_o.has_parent = parent_q[7];
    group_o.parent = parent_q[6:0];
    group_o.alive = alive_q;
    group_o.destroyed = destroyed_q;
    group_o.next_valid = link_q[ContextW];
    group_o.next = 16'(link_q[ContextW-1:0]);
    edge_o = '0;
    edge_o.state = tomb_read_q || look_found_i ? edge_state_q : ClosedState;
    edge_o.key = key_q;
    edge_o.nonce = nonce_q;
    edge_o.peer_nonce = peer_q;
    edge_o.gid = gid_q;
  end

  // ---- Commands ----
  state_e state_d;
  logic fail;

  always_comb begin
    state_d = state_q;
    fail = 1'b0;
    unique case (state_q)
      Init: if (bucket_q == {BucketW{1'b1}}) state_d = Ready;
      Ready: begin
        fail = !known && !create && !forget;
        if (write && create) state_d = is_tomb(go_context) ? Clear : Fetch;
        else if (write && forget) state_d = Fetch;
      end
      Clear: if (clear_q == EdgeW'(EdgesOf - 1)) state_d = Seek;
      Fetch: state_d = Seek;
      Seek: state_d = Link;
      Link: begin
        fail = release_q && !head_q[ContextW];
        state_d = !release_q || first_is_op || fail ? Ready : Step;
      end
      Step: state_d = Check;
      default: begin  // Check
        fail = !link_q[ContextW];
        state_d = next_is_op || fail ? Ready : Step;
      end
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (write && (set_nonce_low || set_peer_low)) low_q <= axil_wdata_i;
    if (write) begin
      op_q <= go_context;
      release_q <= forget;
    end
    if (state_q == Seek) after_q <= link_q;
    if (state_q == Link) at_q <= head_q[ContextW-1:0];
    else if (state_q == Check) at_q <= link_q[ContextW-1:0];
    if (write || state_q == Link || state_q == Check) failed_q <= fail;
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q <= Init;
      bucket_q <= '0;
      clear_q <= '0;
      bvalid_q <= 1'b0;
    end else begin
      state_q <= state_d;
      if (state_q == Init) bucket_q <= bucket_q + 1'b1;
      clear_q <= state_q == Clear ? clear_q + 1'b1 : '0;
      bvalid_q <= write || (bvalid_q && !(axil_bvalid_o && axil_bready_i));
    end
  end

`ifdef FORMAL
  `include "admission_tables_proof.svh"
`endif
endmodule
