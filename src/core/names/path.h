// Rows of named features: each is encoded, scored and learned in one call.

#pragma once

#include <nanobind/stl/vector.h>

#include "linear/learner.h"
#include "matrices/row_scorer.h"
#include "names/encoder.h"

namespace names {

class Path {
 public:
  // What a call returns for a row with names beyond the weights, which is encoded and nothing else;
  // and after a step that left the floating-point range.
  static constexpr i64 BEYOND = -1, INFINITE = -2;

  // The learner is null where the rule is not one of the core: rows are only predicted.
  Path(Encoder& encoder, RowScorer& scorer, Learner* learner)
      : encoder_(encoder), scorer_(scorer), learner_(learner) {}

  // The code of the class, or BEYOND.
  i64 predict(nb::dict features) {
    encoder_.encode(features, false);
    return encoder_.fits(scorer_.features()) ? scorer_.predict_named(encoder_) : BEYOND;
  }

  // Learn a row; returns the code of its class before that, 0 unless it is wanted; or a fault.
  i64 learn(nb::dict features, double y, double weight, bool predict) {
    check_learner();
    encoder_.encode(features, true);
    return learn_encoded(y, weight, predict);
  }

  // Learn the rows of a block from `start` on, one after the other, up to a fault: as many as there
  // are targets. Returns the code of each before it was learned, and last the fault.
  nb::list learn_rows(const Block& block, i64 start, nb::list y, nb::list weight) {
    check_learner();
    block.check_part(start, i64(y.size()));
    // Copied: what encodes a row may run Python, which could change the lists.
    const auto targets = nb::cast<std::vector<double>>(y),
               weights = nb::cast<std::vector<double>>(weight);
    if (targets.size() != weights.size())
      throw std::invalid_argument("y and weight must have one length.");
    nb::list codes;
    for (std::size_t i = 0; i < targets.size(); ++i) {
      const double target = targets[i], w = weights[i];
      encoder_.encode_row(block, start + i64(i), true);
      const i64 code = learn_encoded(target, w, true);
      codes.append(code);
      if (code < 0) break;
    }
    return codes;
  }

 private:
  void check_learner() const {
    if (!learner_) throw std::invalid_argument("There is no learner.");
  }

  i64 learn_encoded(double y, double weight, bool predict) {
    if (!encoder_.fits(scorer_.features())) return BEYOND;
    const i64 code = predict ? scorer_.predict_named(encoder_) : 0;
    return learner_->named_row(encoder_, y, weight) ? code : INFINITE;
  }

  Encoder& encoder_;
  RowScorer& scorer_;
  Learner* learner_;
};

}  // namespace names
