// SPDX-License-Identifier: BSD-2-Clause
// Nothing that was taken is lost. A packet that is kept enters the store with one last word, then
// its flight ends once, by the answer of the store to this packet, and then the answer is told
// once; an operation enters, and is told its answer. A post that was taken enters. Answers are told
// in the order in which operations have entered, and no packet replaces one that is kept. Each word
// of a payload goes to one side, and each end of another flight passes once. Offers to the store
// and answers stay, unchanged, until they are taken.
//
// The store answers once what enters it, in its order, in the clock of the first word or later. The
// proof follows operation number_f of those that enter.
`include "tally_proof.svh"

(* anyconst *) logic [4:0] number_f;
logic [4:0] begun_q, entered_q, answers_q, told_q;
logic amid_q, rec_f_q, kept_f_q, post_f_q, is_packet_q, ended_f_q;
logic [FlightW-1:0] flight_f_q, flight_of_q;
logic [12:0] bytes_f_q;
logic [1:0] of_f_q;
tally_store_pkg::answer_t answer_f_q;
logic keeps, first_word, packet_enters, op_enters, ends, told_here, loc_waits_q, post_taken,
    post_enters;

assign keeps = out && out_here_o;
assign first_word = in_tvalid_o && in_tready_i && !amid_q;
assign packet_enters = last_word && !of_op;
assign op_enters = (loc_valid_i && loc_ready_o && loc_tlast_i) || post_enters;
assign post_taken = post_valid_i && post_ready_o;
assign post_enters = last_word && of_post;
assign ends = own_end && end_valid_o && end_ready_i;
assign told_here = ans_valid_o && told_q == number_f;

always_ff @(posedge clk_i) begin
  if (!started_q) begin
    begun_q <= '0;
    entered_q <= '0;
    answers_q <= '0;
    told_q <= '0;
    amid_q <= 1'b0;
    rec_f_q <= 1'b0;
    kept_f_q <= 1'b0;
    post_f_q <= 1'b0;
    ended_f_q <= 1'b0;
    loc_waits_q <= 1'b0;
  end else begin
    begun_q <= begun_q + 5'(first_word);
    entered_q <= entered_q + 5'(last_word);
    answers_q <= answers_q + 5'(answer_valid_i);
    told_q <= told_q + 5'(tell);
    if (in_tvalid_o && in_tready_i) amid_q <= !in_tlast_o;
    rec_f_q <= (rec_valid_i && rec_ready_o) || (rec_f_q && !out);
    kept_f_q <= keeps || (kept_f_q && !packet_enters);
    post_f_q <= (post_f_q || post_taken) && !post_enters;
    ended_f_q <= ended_f_q || (ends && told_q == number_f);
    loc_waits_q <= loc_valid_i && !loc_ready_o;
  end
  if (keeps) begin
    flight_f_q <= out_flight_o;
    bytes_f_q <= out_o.payload_len;
  end
  if (last_word && entered_q == number_f) begin
    is_packet_q <= !of_op;
    flight_of_q <= flight_f_q;
    of_f_q <= !of_op ? tally_store_pkg::OfPacket : of_post ? tally_store_pkg::OfPost :
              tally_store_pkg::OfLocal;
  end
  if (answer_valid_i && answers_q == number_f) begin
    answer_f_q.answer <= 8'(answer_i);
    answer_f_q.status <= answer_status_i;
    answer_f_q.err_vector <= answer_err_vector_i;
    answer_f_q.slot <= 11'(answer_slot_i);
  end
end
always_comb begin
  if (started_q) begin
    assume (!answer_valid_i || answers_q != begun_q || first_word);
    if (loc_waits_q) assume (loc_valid_i);
  end
end

// What was offered in the clock before, and not taken.
logic tell_waits_q = 1'b0, in_waits_q = 1'b0;
tally_store_pkg::answer_t answer_last_q;
logic of_op_q;
logic of_post_q;
always_ff @(posedge clk_i) begin
  tell_waits_q <= started_q && ans_valid_o && !ans_ready_i;
  in_waits_q <= started_q && in_tvalid_o && !in_tready_i;
  answer_last_q <= ans_o;
  of_op_q <= of_op;
  of_post_q <= of_post;
end

logic stored, to_store, beyond;
assign stored = answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerStored) ||
                answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerDuplicate) ||
                answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerPast);
assign to_store = in_tvalid_o && in_tready_i && !of_op && bytes_f_q != '0;
assign beyond = dat_tvalid_o && dat_tready_i;

always_comb begin
  if (started_q) begin
    assert (look_q == rec_f_q && !(rec_valid_i && rec_ready_o && rec_f_q));
    if (out_valid_o) assert (rec_f_q);
    assert (kept_q == kept_f_q && !(keeps && kept_f_q));
    if (kept_f_q) assert (flight_q == flight_f_q && bytes_q == bytes_f_q);
    if (packet_enters) assert (kept_f_q);
    assert (op_enters == (last_word && of_op));
    if (post_taken) assert (post_room_i && !post_f_q);
    assert (post_f_q == post_full_q);
    if (of_post) assert (post_f_q && (state_q == StOp || post_room_i));
    if (post_f_q || rec_f_q) assert (busy_o);

    // The answer of each one, once, in its order.
    assert (inside_q == InsideW'(entered_q - told_q) + InsideW'(state_q != StIdle));
    assert (32'(inside_q) <= Inside);
    if (ans_valid_o || own_end) assert (told_q != entered_q && told_q != answers_q);
    if (ends && told_q == number_f) begin
      assert (is_packet_q && !ended_f_q && end_flight_o == flight_of_q && end_stored_o == stored);
    end
    if (told_here) begin
      assert (ans_o.of_ == of_f_q && is_packet_q == ended_f_q);
      assert (ans_o.answer == answer_f_q.answer && ans_o.status == answer_f_q.status &&
              ans_o.err_vector == answer_f_q.err_vector && ans_o.slot == answer_f_q.slot);
      if (is_packet_q) assert (ans_o.flight == 8'(flight_of_q));
    end
    // What is answered is told, or ends its flight first.
    if (told_q != entered_q && told_q != answers_q) assert (ans_valid_o || own_end);
    if (entered_q != told_q) assert (busy_o);

    assert ((pay_tvalid_i && pay_tready_o) == (to_store || beyond) && !(to_store && beyond));
    assert ((other_valid_i && other_ready_o) == (end_valid_o && end_ready_i && !own_end));
    if (end_valid_o && !own_end) begin
      assert (end_flight_o == other_flight_i && end_stored_o == other_stored_i);
    end

    if (tell_waits_q) assert (ans_valid_o && ans_o == answer_last_q);
    if (in_waits_q) assert (of_op == of_op_q && (!of_op || of_post == of_post_q));

    cover (told_here && is_packet_q && flight_of_q == FlightW'(1) && stored && number_f == 5'd1);
    cover (told_here && kept_f_q && answer_f_q.answer == 8'(tally_fw_pkg::StoreAnswerPast));
    cover (told_here && ans_o.of_ == tally_store_pkg::OfLocal);
    cover (packet_enters && answer_valid_i && entered_q != told_q);
    cover (inside_q == 3);
    cover (own_end && other_valid_i);
  end
end
