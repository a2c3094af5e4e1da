// SPDX-License-Identifier: BSD-2-Clause
// Done and limit of both ends of each edge: whether a chunk may leave, what a packet tells, and
// which neighbours must be told of a change (probe.c, window.c and the announcements of edge.c in
// sim/engine). Groups with MULTICAST, which tell the values of a subtree, and those whose packets
// may be answered BUSY are not for this block.
//
// moved_*: done and limit of a group; posted: a local rank has posted its oldest chunk, or one for
// which the limit has risen. It is always taken, so the segment store never waits. group_*: what a
// group is: its number of contributors and peers, whether it has a parent besides them, and whether
// its limit may exceed its done by more than the segments that it owns.
//
// op_*: an operation, tally_edge_pkg::state_op_e, on the row of an edge, which has one; of the
// group where it is StateRenew or StateTell. The limit is counted from done, as packets tell it.
// gives, of StateOpen: the neighbour gives data of chunks in some mode: it is a contributor, the
// parent, or the left one in a ring. StateAsk asks for the chunk with number done, StateAskMessage
// for a message. The answer comes two clocks later: open, if the edge
// is; may, if the chunk or the message may leave; raised, if the neighbour's limit has risen, so
// what waits for it may try again; done and limit of this node.
//
// walk_*: looks at all edges of a group, and tells which ones need a packet: walk_soon_i: those
// that do not know the newest values; else only those that must learn the limit at once. A walk is
// taken when it ends. look_*: asks tally_edge_rows for rows. tell_*: the edge. What tells it takes
// the newest values by StateTell, if the edge is still open.
//
// A walk takes three clocks for an edge, and holds up operations in one of them. Operations never
// wait for tell_*.
module tally_edge_state #(
  parameter int unsigned Groups = tally_pkg::MaxGroup,
  parameter int unsigned EdgesOf = tally_pkg::MaxContributors + 1,
  parameter int unsigned Rows = tally_pkg::MaxEdges,
  parameter int unsigned NumW = 32,  // bits of a chunk's number
  localparam int unsigned GroupW = $clog2(Groups),
  localparam int unsigned EdgeW = $clog2(EdgesOf),
  localparam int unsigned RowW = $clog2(Rows)
) (
  input  logic                       clk_i,
  input  logic                       rst_ni,
  output logic                       busy_o,

  input  logic                       moved_valid_i,
  input  logic [GroupW-1:0]          moved_group_i,
  input  logic [NumW-1:0]            moved_done_i,
  input  logic [NumW-1:0]            moved_limit_i,
  input  logic                       moved_posted_i,

  input  logic                       group_write_i,
  input  logic [GroupW-1:0]          group_index_i,
  input  logic [EdgeW-1:0]           group_edges_i,
  input  logic                       group_parent_i,
  input  logic                       group_borrows_i,

  input  logic                       op_valid_i,
  output logic                       op_ready_o,
  input  tally_edge_pkg::state_op_e  op_i,
  input  logic [RowW-1:0]            op_row_i,
  input  logic [GroupW-1:0]          op_group_i,
  input  logic [NumW-1:0]            op_done_i,
  input  logic [NumW-1:0]            op_limit_i,
  input  logic                       op_gives_i,
  output logic                       answer_valid_o,
  output logic                       answer_open_o,
  output logic                       answer_may_o,
  output logic                       answer_raised_o,
  output logic [NumW-1:0]            answer_done_o,
  output logic [NumW-1:0]            answer_limit_o,  // counted from done

  input  logic                       walk_valid_i,
  output logic                       walk_ready_o,
  input  logic [GroupW-1:0]          walk_group_i,
  input  logic                       walk_soon_i,

  output logic                       look_valid_o,
  input  logic                       look_ready_i,
  output logic [GroupW-1:0]          look_group_o,
  output logic [EdgeW-1:0]           look_edge_o,
  input  logic [RowW-1:0]            look_row_i,
  input  logic                       look_found_i,

  output logic                       tell_valid_o,
  input  logic                       tell_ready_i,
  output logic [GroupW-1:0]          tell_group_o,
  output logic [EdgeW-1:0]           tell_edge_o,
  output logic [RowW-1:0]            tell_row_o
);
  typedef struct packed {
    logic open;
    logic settled;
    logic gives;
    logic [NumW-1:0] peer_done;
    logic [NumW-1:0] peer_limit;
    logic [NumW-1:0] told_done;
    logic [NumW-1:0] told_limit;
  } edge_t;
  localparam int unsigned RowBits = 3 + 4 * NumW;

  typedef struct packed {
    logic posted;
    logic [NumW-1:0] done;
    logic [NumW-1:0] limit;
  } window_t;
  localparam int unsigned WindowBits = 1 + 2 * NumW;

  typedef struct packed {
    logic [EdgeW-1:0] edges;
    logic parent;
    logic borrows;
  } config_t;
  localparam int unsigned ConfigBits = EdgeW + 2;

  typedef enum logic [2:0] {
    WalkIdle = 3'd0,
    WalkGroup = 3'd1,  // the configuration has been read
    WalkLook = 3'd2,   // asks for the row of an edge
    WalkRow = 3'd3,    // reads it
    WalkCheck = 3'd4,  // compares it
    WalkTurn = 3'd5,   // is the edge told?
    WalkTell = 3'd6
  } walk_e;

  function automatic logic precedes(input logic [NumW-1:0] a, input logic [NumW-1:0] b);
    logic [NumW-1:0] ahead;
    ahead = a - b;
    precedes = ahead[NumW-1];
  endfunction

  // ---- Memories ----
  //
  // What is written in the clock in which it is read is read.
  logic [RowBits-1:0] rows_q [Rows];
  logic [WindowBits-1:0] windows_q [Groups];
  logic [ConfigBits-1:0] configs_q [Groups];
  logic [RowBits-1:0] row_read_q;
  logic [WindowBits-1:0] window_read_q;
  logic [ConfigBits-1:0] config_read_q;
  logic [RowW-1:0] read_row, row_q;
  logic [GroupW-1:0] read_group;
  edge_t old, now;
  window_t window, window_new;
  config_t cfg, cfg_new;
  walk_e walk_q, walk_d;
  logic take, write_q;

  assign take = op_valid_i && op_ready_o;
  assign read_row = walk_q == WalkRow ? look_row_i : op_row_i;
  assign read_group = walk_q == WalkRow ? walk_group_i : op_group_i;
  assign window_new.posted = moved_posted_i;
  assign window_new.done = moved_done_i;
  assign window_new.limit = moved_limit_i;
  assign cfg_new.edges = group_edges_i;
  assign cfg_new.parent = group_parent_i;
  assign cfg_new.borrows = group_borrows_i;
  always_ff @(posedge clk_i) begin
    if (write_q) rows_q[row_q] <= now;
    if (moved_valid_i) windows_q[moved_group_i] <= window_new;
    if (group_write_i) configs_q[group_index_i] <= cfg_new;
    row_read_q <= write_q && row_q == read_row ? now : rows_q[read_row];
    window_read_q <= moved_valid_i && moved_group_i == read_group ? window_new :
                     windows_q[read_group];
    config_read_q <= configs_q[walk_group_i];
  end
  assign old = row_read_q;
  assign window = window_read_q;
  assign cfg = config_read_q;

  // ---- Operations: read, then written ----
  tally_edge_pkg::state_op_e op_q;
  logic [NumW-1:0] done_q, limit_q, heard_limit;
  logic gives_q, higher;

  assign op_ready_o = walk_q != WalkRow;
  assign heard_limit = done_q + limit_q;
  assign higher = precedes(old.peer_limit, heard_limit);
  always_comb begin
    now = old;
    unique case (op_q)
      tally_edge_pkg::StateClose: begin
        now.open = 1'b0;
        now.settled = 1'b0;
      end
      tally_edge_pkg::StateRenew: begin
        now.open = 1'b0;
        now.settled = 1'b0;
        now.peer_done = '0;
        now.peer_limit = heard_limit;
        now.told_done = '0;
        now.told_limit = window.limit;
      end
      tally_edge_pkg::StateOpen: begin
        now.open = 1'b1;
        now.settled = 1'b0;
        now.gives = gives_q;
        now.peer_limit = heard_limit;
      end
      tally_edge_pkg::StateSettle: now.settled = old.open;
      tally_edge_pkg::StateHeard: begin
        if (precedes(old.peer_done, done_q)) now.peer_done = done_q;
        if (higher) now.peer_limit = heard_limit;
      end
      tally_edge_pkg::StateTell: begin
        now.told_done = window.done;
        now.told_limit = window.limit;
      end
      default: now = old;  // StateAsk, StateAskMessage
    endcase
  end

  always_ff @(posedge clk_i) begin
    if (take) begin
      op_q <= op_i;
      row_q <= op_row_i;
      done_q <= op_done_i;
      limit_q <= op_limit_i;
      gives_q <= op_gives_i;
    end
    answer_open_o <= now.open;
    answer_may_o <= old.settled && (op_q == tally_edge_pkg::StateAskMessage ||
                                    precedes(done_q, old.peer_limit));
    answer_raised_o <= op_q == tally_edge_pkg::StateHeard && higher;
    answer_done_o <= window.done;
    answer_limit_o <= window.limit - window.done;
  end

  // ---- Which edges must be told ----
  logic [EdgeW-1:0] edge_q, edge_next;
  logic [NumW-1:0] untold;
  logic ends, news, at_once, tells, tells_q, skips, last, parent_q, found;

  localparam logic [EdgeW-1:0] Parent = EdgeW'(EdgesOf - 1);
  assign found = look_found_i && old.open;
  assign news = old.told_done != window.done || old.told_limit != window.limit;
  assign untold = window.limit - old.told_limit;
  // It may not send the oldest chunk, or does not know half of the numbers that it may use now.
  assign at_once = old.gives && untold != '0 &&
      (!precedes(window.done, old.told_limit) ||
       (window.posted && {untold[NumW-2:0], 1'b0} >= window.limit - window.done));
  assign tells = found && (walk_soon_i ? news : at_once);
  assign skips = walk_q == WalkTurn && !tells_q;

  // The contributors and peers, then a parent besides them.
  logic [EdgeW-1:0] edges_q;
  assign edge_next = edge_q + 1'b1;
  assign last = edge_q == Parent || (edge_next == edges_q && !parent_q);
  assign ends = (walk_q == WalkGroup && ((cfg.edges == '0 && !cfg.parent) ||
                                         !(walk_soon_i || cfg.borrows))) ||
                (last && (skips || (walk_q == WalkTell && tell_ready_i)));
  always_comb begin
    unique case (walk_q)
      WalkIdle: walk_d = walk_valid_i ? WalkGroup : WalkIdle;
      WalkGroup: walk_d = ends ? WalkIdle : WalkLook;
      WalkLook: walk_d = look_ready_i ? WalkRow : WalkLook;
      WalkRow: walk_d = WalkCheck;
      WalkCheck: walk_d = WalkTurn;
      WalkTurn: walk_d = tells_q ? WalkTell : ends ? WalkIdle : WalkLook;
      default: walk_d = !tell_ready_i ? WalkTell : ends ? WalkIdle : WalkLook;  // WalkTell
    endcase
  end
  assign walk_ready_o = ends;
  assign look_valid_o = walk_q == WalkLook;
  assign look_group_o = walk_group_i;
  assign look_edge_o = edge_q;
  assign tell_valid_o = walk_q == WalkTell;
  assign tell_group_o = walk_group_i;
  assign tell_edge_o = edge_q;

  always_ff @(posedge clk_i) begin
    if (walk_q == WalkRow) tell_row_o <= look_row_i;
    tells_q <= tells;
    if (walk_q == WalkGroup) begin
      edges_q <= cfg.edges;
      parent_q <= cfg.parent;
      edge_q <= cfg.edges == '0 ? Parent : '0;
    end else if (skips || (walk_q == WalkTell && tell_ready_i)) begin
      edge_q <= edge_next == edges_q ? Parent : edge_next;
    end
  end

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      write_q <= 1'b0;
      answer_valid_o <= 1'b0;
      walk_q <= WalkIdle;
    end else begin
      write_q <= take;
      answer_valid_o <= write_q;
      walk_q <= walk_d;
    end
  end
  assign busy_o = write_q || answer_valid_o || walk_q != WalkIdle;

`ifdef FORMAL
  `include "edge_state_proof.svh"
`endif
endmodule
