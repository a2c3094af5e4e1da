// SPDX-License-Identifier: BSD-2-Clause
// Nothing that was taken is lost. A packet that is kept enters the store with one last word, then
// its flight ends once, by the answer of the store to this packet, and then the answer is told
// once; an operation enters, and is told its answer. A post that was taken enters. Only one of
// both is inside at a time, and no packet replaces one that is kept. Each word of a payload goes
// to one side, and each end of another flight passes once. Offers to the store and answers stay,
// unchanged, until they are taken.
//
// The store answers once what enters it, in the clock of its first word or later.
`include "tally_proof.svh"

// What is kept, what of it has happened, and the answer of the store.
logic asked_q, amid_q, kept_f_q, post_f_q, packet_entered_q, op_entered_q, ended_q;
logic [FlightW-1:0] flight_f_q;
logic [12:0] bytes_f_q;
tally_store_pkg::answer_t answer_f_q;
logic keeps, first_word, packet_enters, op_enters, ends, packet_told, op_told, op_waits_q,
    loc_waits_q, post_taken, post_enters;

assign keeps = rec_valid_i && rec_ready_o && out_here_o;
assign first_word = in_tvalid_o && in_tready_i && !amid_q;
assign packet_enters = last_word && !of_op;
assign op_enters = (op_valid_i && op_ready_o) || (loc_valid_i && loc_ready_o && loc_tlast_i) ||
                   post_enters;
assign post_taken = post_valid_i && post_ready_o;
assign post_enters = last_word && of_op && user_q == UserPost;
assign ends = own_end && end_valid_o && end_ready_i;
assign packet_told = ans_valid_o && ans_ready_i && ans_o.of_ == tally_store_pkg::OfPacket;
assign op_told = ans_valid_o && ans_ready_i && ans_o.of_ != tally_store_pkg::OfPacket;

always_ff @(posedge clk_i) begin
  if (!started_q) begin
    asked_q <= 1'b0;
    amid_q <= 1'b0;
    kept_f_q <= 1'b0;
    packet_entered_q <= 1'b0;
    op_entered_q <= 1'b0;
    ended_q <= 1'b0;
    op_waits_q <= 1'b0;
    loc_waits_q <= 1'b0;
    post_f_q <= 1'b0;
  end else begin
    asked_q <= (asked_q || first_word) && !answer_valid_i;
    if (in_tvalid_o && in_tready_i) amid_q <= !in_tlast_o;
    kept_f_q <= keeps || (kept_f_q && !packet_told);
    packet_entered_q <= (packet_entered_q || packet_enters) && !packet_told;
    op_entered_q <= (op_entered_q || op_enters) && !op_told;
    ended_q <= (ended_q || ends) && !packet_told;
    op_waits_q <= op_valid_i && !op_tready_o;
    loc_waits_q <= loc_valid_i && !loc_ready_o;
    post_f_q <= (post_f_q || post_taken) && !post_enters;
  end
  if (keeps) begin
    flight_f_q <= flight_i;
    bytes_f_q <= rec_i.payload_len;
  end
  if (answer_valid_i) begin
    answer_f_q.answer <= 8'(answer_i);
    answer_f_q.status <= answer_status_i;
    answer_f_q.err_vector <= answer_err_vector_i;
    answer_f_q.slot <= 11'(answer_slot_i);
  end
end
always_comb begin
  if (started_q) begin
    assume (!answer_valid_i || asked_q || first_word);
    if (op_waits_q) assume (op_valid_i);
    if (loc_waits_q) assume (loc_valid_i);
  end
end

// What was offered in the clock before, and not taken.
logic tell_waits_q = 1'b0, in_waits_q = 1'b0;
tally_store_pkg::answer_t told_q;
logic of_op_q;
user_e user_f_q;
always_ff @(posedge clk_i) begin
  tell_waits_q <= started_q && ans_valid_o && !ans_ready_i;
  in_waits_q <= started_q && in_tvalid_o && !in_tready_i;
  told_q <= ans_o;
  of_op_q <= of_op;
  user_f_q <= user_q;
end

logic stored, to_store, beyond;
assign stored = answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerStored) ||
                answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerDuplicate) ||
                answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerPast);
assign to_store = in_tvalid_o && in_tready_i && !of_op && bytes_f_q != '0;
assign beyond = dat_tvalid_o && dat_tready_i;

always_comb begin
  if (started_q) begin
    assert ((rec_valid_i && rec_ready_o) == (out_valid_o && out_ready_i));
    assert (kept_q == kept_f_q && !(keeps && kept_f_q));
    if (kept_f_q) assert (flight_q == flight_f_q && bytes_q == bytes_f_q);

    // One at a time, and in its order.
    assert (!(packet_entered_q && op_entered_q));
    if (first_word) assert (!packet_entered_q && !op_entered_q && !asked_q && !answered_q);
    if (last_word) assert (!packet_entered_q && !op_entered_q);
    if (packet_enters) assert (kept_f_q);
    assert (op_enters == (last_word && of_op));
    if (post_taken) assert ((post_room_i || !is_post) && !post_f_q);
    assert (post_f_q == (of_op && user_q == UserPost));
    if (ends) assert (kept_f_q && packet_entered_q && !ended_q && !asked_q);
    if (ends) assert (end_flight_o == flight_f_q && end_stored_o == stored);
    if (packet_told) assert (kept_f_q && packet_entered_q && ended_q && !asked_q);
    if (packet_told) assert (ans_o.flight == 8'(flight_f_q));
    if (op_told) assert (op_entered_q && !asked_q);
    if (ans_valid_o) begin
      assert (ans_o.answer == answer_f_q.answer && ans_o.status == answer_f_q.status &&
              ans_o.err_vector == answer_f_q.err_vector && ans_o.slot == answer_f_q.slot);
    end
    // What has entered waits for the store, or goes on.
    if (packet_entered_q || op_entered_q) assert (asked_q || answered_q);
    if (packet_entered_q || op_entered_q) assert (busy_o && state_q != StIdle);
    if (state_q == StAnswer) assert (packet_entered_q || op_entered_q);

    assert ((pay_tvalid_i && pay_tready_o) == (to_store || beyond) && !(to_store && beyond));
    assert ((other_valid_i && other_ready_o) == (end_valid_o && end_ready_i && !own_end));
    if (end_valid_o && !own_end) begin
      assert (end_flight_o == other_flight_i && end_stored_o == other_stored_i);
    end

    if (tell_waits_q) assert (ans_valid_o && ans_o == told_q);
    if (in_waits_q) assert (of_op == of_op_q && (!of_op || user_q == user_f_q));

    cover (packet_told && flight_f_q == FlightW'(1) && bytes_f_q != '0 && stored);
    cover (op_told && kept_f_q && answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerPast));
    cover (op_told && ans_o.of_ == tally_store_pkg::OfLocal);
    cover (packet_enters && answer_valid_i);
    cover (packet_enters && answered_q);
    cover (own_end && other_valid_i);
  end
end
