// SPDX-License-Identifier: BSD-2-Clause
// The register `open` of struct event: what the firmware must know of an OPEN, its edge and its
// group, a sum of tally_fw_pkg::open_state_e (open_state() of sim/engine/open.c).
//
// event_i: an event of type OPEN, as tally_events has it. group_i, edge_i: the rows of its group
// and edge. The configurations agree if all of the payload that must be equal is, and the node may
// be there.
//
// Time: combinational; register its output.
module tally_open_state (
  input  tally_events_pkg::packet_t event_i,
  input  tally_open_pkg::group_t    group_i,
  input  tally_open_pkg::edge_t     edge_i,
  output logic [31:0]               open_o
);
  // Flags in which nodes need not agree.
  localparam logic [31:0] OneNode = tally_pkg::GroupFRoot | tally_pkg::GroupFShared;

  logic [511:0] payload;
  tally_pkg::tch_open_t opening;
  assign payload = tally_net_pkg::swap(event_i.data);
  assign opening = payload[511-:8*tally_pkg::TchOpenBytes];

  // ---- The configuration ----
  logic multicast, segs_agree, equal, is_there, agrees;
  logic [15:0] behind;  // nodes of the subtree in front of the sender
  assign multicast = (group_i.flags & tally_pkg::GroupFMulticast) != '0;
  // The limits of a subtree count together, from the beginning on.
  assign segs_agree = !multicast || opening.num_segs == group_i.num_segs;
  assign equal = opening.chunk == group_i.chunk && opening.rounds == group_i.rounds &&
      opening.mtu == group_i.mtu && opening.modes == group_i.modes &&
      opening.plan == group_i.plan && opening.num_nodes == group_i.num_nodes &&
      opening.total_ranks == group_i.total_ranks && opening.flags == (group_i.flags & ~OneNode);
  assign behind = opening.node - edge_i.first;
  assign is_there = opening.node != group_i.node &&
      (edge_i.count == '0 || (opening.node >= edge_i.first && behind < edge_i.count));
  assign agrees = segs_agree && equal && is_there;

  // ---- The sum ----
  logic known;
  assign known = opening.nonce == edge_i.peer_nonce;
  always_comb begin
    open_o = '0;
    if (known) open_o |= tally_fw_pkg::OpenKnown;
    if (known && opening.key == edge_i.peer_key) open_o |= tally_fw_pkg::OpenLearned;
    if (opening.echo == edge_i.nonce) open_o |= tally_fw_pkg::OpenEchoed;
    if (agrees) open_o |= tally_fw_pkg::OpenAgrees;
    if ((event_i.flags & tally_pkg::TchFConfirm) != '0) open_o |= tally_fw_pkg::OpenConfirm;
    if (event_i.epoch != '0) open_o |= tally_fw_pkg::OpenEpoch;
    if (event_i.epoch != '0 && event_i.epoch == group_i.epoch) begin
      open_o |= tally_fw_pkg::OpenSameEpoch;
    end
    if (edge_i.state == 2'(tally_pkg::EdgeOpen)) open_o |= tally_fw_pkg::OpenEdge;
    if (edge_i.unconfirmed) open_o |= tally_fw_pkg::OpenUnconfirmed;
    if (edge_i.awaits_epoch == 32'd1) open_o |= tally_fw_pkg::OpenAwaits;
    if (group_i.alive) open_o |= tally_fw_pkg::OpenAlive;
    if (group_i.epoch != '0 && (!multicast || group_i.key != '0)) begin
      open_o |= tally_fw_pkg::OpenKnowsEpoch;
    end
  end

  logic unused;  // other fields of the packet, and those that OPEN_EDGE takes
  assign unused = ^{event_i, opening, payload};
endmodule
