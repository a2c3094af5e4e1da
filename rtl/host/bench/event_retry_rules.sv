// SPDX-License-Identifier: BSD-2-Clause
// A rule for the users of tally_event_retry: in the clock in which the event queues decide about an
// event, no CQ is configured and no event is taken, as the row of that event is written.
module event_retry_rules (
  input logic clk_i,
  input logic rst_ni,
  input logic given_i,
  input logic forget_i,
  input logic taken
);
  alone: assert property (@(posedge clk_i) disable iff (!rst_ni) given_i |-> !forget_i && !taken)
    else $error("a decision comes with a configuration, or while an event is taken");
endmodule

bind tally_event_retry event_retry_rules u_rules (.*);
