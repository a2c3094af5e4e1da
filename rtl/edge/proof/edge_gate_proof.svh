// SPDX-License-Identifier: BSD-2-Clause
// No record and no payload is lost or made up. A row has at most one flight. What is marked is in
// flight. A word of a payload leaves only in the clock in which it is taken, and only behind a
// record that passes. What the window answers is proved with tally_edge_rx.
`include "tally_proof.svh"

(* anyconst *) logic [FlightW-1:0] one_f, other_f;
always_comb assume (32'(one_f) < Flights && 32'(other_f) < Flights && one_f != other_f);

// The window answers two clocks after it was asked.
logic [1:0] asked_q;
always_ff @(posedge clk_i or negedge rst_ni) begin
  if (!rst_ni) asked_q <= '0;
  else asked_q <= {asked_q[0], query};
end

logic was_q = 1'b0;
logic [1:0] inside_q;  // records that were not taken from here
logic held_q, dat_held_q, pay_waits_q, end_waits_q, took_q;
logic [7:0] held_verdict_q, watched_q;
logic [FlightW-1:0] held_flight_q, end_flight_q;
always_ff @(posedge clk_i) begin
  was_q <= started_q;
  held_q <= out_valid_o && !out_ready_i;
  held_verdict_q <= out_admission_o.verdict;
  held_flight_q <= out_flight_o;
  dat_held_q <= dat_tvalid_o && !dat_tready_i;
  pay_waits_q <= pay_tvalid_i && !pay_tready_o;
  end_waits_q <= end_valid_i && !end_ready_o;
  end_flight_q <= end_flight_i;
  took_q <= take;
  if (take) watched_q <= in_i.sgid[7:0];
  if (!started_q) inside_q <= '0;
  else inside_q <= inside_q + 2'(take) - 2'(out);
end

// The admission does not withdraw what it offers. A flight ends once, after its record was taken.
always_comb begin
  assume (32'(in_row_i) < Rows && 32'(first_row_i) < Rows && 32'(gone_row_i) < Rows);
  assume (!(first_valid_i && gone_valid_i));
  assume (32'(end_flight_i) < Flights);
  if (started_q && was_q && pay_waits_q) assume (pay_tvalid_i);
  if (started_q && was_q && end_waits_q) assume (end_valid_i && end_flight_i == end_flight_q);
  if (end_valid_i) assume (flying_q[end_flight_i]);
  if (end_valid_i && state_q == Out && passes_q) assume (end_flight_i != flight_q);
end

always_comb begin
  if (started_q) begin
    assert (inside_q == 2'(state_q != Idle));
    assert (!out_valid_o || inside_q == 2'd1);
    assert (busy_o || (inside_q == '0 && payload_q == NoPayload));
    assert (!dat_tvalid_o || pay_tvalid_i);
    assert (!(dat_tvalid_o && dat_tready_i) || pay_tready_o);
    assert (payload_q != Drop || !dat_tvalid_o);
    assert (payload_q != NoPayload || !pay_tready_o);
    assert (state_q == Idle || out_o.sgid[7:0] == watched_q);
    assert (!marks || (end_valid_i && end_stored_i && flying_q[end_flight_i]));
    assert (!(flying_q[one_f] && flying_q[other_f] && rows_q[one_f] == rows_q[other_f]));
    if (state_q == Ask) begin
      assert (!(flying_q[one_f] && rows_q[one_f] == row_q) && flying_q != {Flights{1'b1}});
    end
    if (state_q == Out && passes_q) assert (flying_q[flight_q] && rows_q[flight_q] == row_q);
    if (out_valid_o && out_flight_valid_o) begin
      assert (out_admission_o.verdict == 8'(tally_fw_pkg::AdmissionOk));
    end
    assert (answered == asked_q[1] && (state_q == Ask) == (asked_q == 2'b01 || asked_q == 2'b10));
    assert (!arm || !(marks && arms_duplicate));
    cover (out && out_flight_valid_o);
    cover (payload_q == Drop);
    cover (marks);
    cover (ends && end_stored_i && !marks);
  end
  if (started_q && was_q) begin
    if (held_q) begin
      assert (out_valid_o && out_admission_o.verdict == held_verdict_q &&
              out_flight_o == held_flight_q);
    end
    if (dat_held_q) assert (dat_tvalid_o);
  end
end
