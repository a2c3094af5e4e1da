// SPDX-License-Identifier: BSD-2-Clause
// Events for the firmware, as tally_events has them.
package tally_events_pkg;
  // An event of a packet or a timer. The context is first, as tally_event_queue needs it.
  typedef struct packed {
    logic [15:0] context_;  // number of the group or tombstone; `context` is a keyword
    logic [7:0] type_;      // tally_fw_pkg::event_type_e
    logic [7:0] edge_;
    logic [15:0] flags;     // OPEN: of the header
    logic [31:0] epoch;
    logic [31:0] mid;
    logic [31:0] sid;       // OPEN: limit of the sender
    logic [511:0] data;     // payload, the first byte in the low bits; 0 behind its end
  } packet_t;

  // What an EXCEPTION tells.
  typedef struct packed {
    logic [1:0] cause;      // tally_fw_pkg::cause_e
    logic [15:0] status;
    logic [31:0] mid;
    logic [31:0] sid;
    logic [63:0] contributors;
    logic [63:0] ranks;
  } exception_t;

  typedef struct packed {
    logic [15:0] group;
    logic [31:0] mid;
  } query_t;

  // The event that the firmware handles. What an event does not have is 0.
  typedef struct packed {
    packet_t packet;        // also type, context and edge of other events
    logic [1:0] cause;
    logic [15:0] status;
    logic [63:0] contributors;
    logic [63:0] ranks;
    logic [15:0] qp;
  } event_t;

  // Events of a group that have a bit each, in the order in which those of one group are taken.
  typedef enum logic [1:0] {
    KindBegin = 2'd0,
    KindException = 2'd1,
    KindFenced = 2'd2,
    KindDrained = 2'd3
  } group_kind_e;
endpackage : tally_events_pkg
