// The loop over a block of rows on a budget, and its schemes: see engine/kernel/budgets.py.

#pragma once

#include "kernel/schemes.h"
#include "matrices/shuffle.h"

namespace INSTRUCTION_SET {

// A row is linearly dependent on the support rows if its squared distance from their span is at most
// this share of k(x, x). With a much smaller share, coefficients of many millions cancel each other.
constexpr double DEPENDENCE_TOLERANCE = 1e-3;

// The least η² of Projectron++, as a share of k(x, x): with 1e-4 coefficients stay below some
// thousands, in float32, too; with 1e-6 they reach 10⁵.
constexpr double LEAST_SQUARED_SHARE = 1e-4;

class Budget {
 public:
  Budget(const BudgetView& of, const KernelSpec& spec, const SlotState& state, const SlotsView& slots,
         const StepBuffers& buffers)
      : of_(of), spec_(spec), state_(state), slots_(slots), buffers_(buffers) {}

  void learn() {
    const i64 K = spec_.K, P = state_.P;
    double* taus = buffers_.taus;
    for (i64 r = 0; r < of_.n; ++r) {
      const i64 label = of_.y[r];
      const double weight = of_.weight[r], own = spec_.class_weight[label];
      projected_ = false;
      score(r);
      const Example example = {label, of_.diagonal[r], own * weight, weight};
      const bool moved = compute_steps(spec_, example, state_.active, buffers_);
      for (i64 k = 0; k < K; ++k) {
        of_.wrong[k] += double(buffers_.mistakes[k]);
        state_.updates[k] += taus[k] != 0.0;
        if (of_.scheme != BudgetScheme::projectron_plus || taus[k] != 0.0 || !state_.active[k]) continue;
        const double y = label == (K > 1 ? k : 1) ? 1.0 : -1.0;
        const double step = margin_step(r, y, buffers_.scores[k]) * (weight * (y > 0.0 || K == 1 ? own : 1.0));
        if (step == 0.0) continue;
        state_.updates[k] += 1;
        move_along_projection(k, step);
      }
      if (moved) {
        i64 slot = of_.slot[of_.first_equal[r]];
        if (slot < 0) {
          slot = allocate_slot(r);
          if (slot >= 0) fill_slot(r, slot);
        }
        if (slot >= 0)
          for (i64 k = 0; k < K; ++k) state_.W[slot * P + k] += taus[k];
      }
      count_example(label, K, buffers_, state_);
    }
  }

 private:
  i64 size() const { return *slots_.size; }
  const double* support_gram(i64 r) const { return of_.support_gram + r * of_.B; }

  // The scores of row r by the support rows, each summed in the order of the slots.
  void score(i64 r) const {
    const double* values = support_gram(r);
    const i64 K = spec_.K, P = state_.P;
    for (i64 k = 0; k < K; ++k) buffers_.scores[k] = 0.0;
    for (i64 s = 0; s < size(); ++s)
      for (i64 k = 0; k < K; ++k) buffers_.scores[k] += state_.W[s * P + k] * values[s];
  }

  // The slot for row r, which moves w; −1 if its steps were projected.
  i64 allocate_slot(i64 r) {
    switch (of_.scheme) {
      case BudgetScheme::random: return random_slot();
      case BudgetScheme::forgetron: return oldest_slot(r);
      case BudgetScheme::projectron: return allocate_or_project(r, DEPENDENCE_TOLERANCE * of_.diagonal[r]);
      default: return allocate_or_project(r, squared_eta(r));
    }
  }

  // Put row r into a slot, in the place of the row that was there.
  void fill_slot(i64 r, i64 slot) {
    if (slot >= size()) *slots_.size = slot + 1;
    slots_.rows[slot] = of_.example[r];
    of_.entered[slot] = *state_.t;
    of_.slot_owner[slot] = r;
    for (i64 q = 0; q < of_.n; ++q) {
      if (of_.slot[q] == slot) of_.slot[q] = -1;
      of_.support_gram[q * of_.B + slot] = of_.block_gram[q * of_.n + r];
    }
    of_.slot[of_.first_equal[r]] = slot;
  }

  void clear_slot(i64 slot) {
    for (i64 k = 0; k < state_.P; ++k) state_.W[slot * state_.P + k] = 0.0;
  }

  // --- the random budget perceptron (Cavallanti, Cesa-Bianchi and Gentile 2007) -------------------

  i64 random_slot() {
    if (size() < of_.B) return size();
    *of_.random = xorshift32(std::uint32_t(*of_.random));
    const i64 slot = (*of_.random & 0x7FFFFFFF) % of_.B;
    clear_slot(slot);
    return slot;
  }

  // --- the self-tuned Forgetron (Dekel, Shalev-Shwartz and Singer 2008) ---------------------------

  i64 oldest_slot(i64 r) {
    const i64 B = of_.B, before = size();
    i64 slot = before;
    if (before == B) {
      slot = 0;
      for (i64 s = 1; s < B; ++s)
        if (of_.entered[s] < of_.entered[slot]) slot = s;
      for (i64 k = 0; k < spec_.K; ++k) shrink_column(r, slot, k);
      clear_slot(slot);
    }
    for (i64 s = 0, stop = smaller(before + 1, B); s < stop; ++s)
      of_.gram[slot * B + s] = of_.gram[s * B + slot] = support_gram(r)[s];
    of_.gram[slot * B + slot] = of_.diagonal[r];
    return slot;
  }

  // Multiply weight vector k, with row r's step, by φ: `slot` is about to be removed.
  void shrink_column(i64 r, i64 slot, i64 k) {
    const i64 B = of_.B, P = state_.P;
    double *W = state_.W + k, &tau = buffers_.taus[k];
    const double coef = W[slot * P];
    if (coef == 0.0) return;
    double score = tau * support_gram(r)[slot];
    for (i64 s = 0; s < B; ++s) score += W[s * P] * of_.gram[slot * B + s];
    // The damage is a φ² + b φ; the damage still allowed is left.
    const double a = coef * coef - 2.0 * coef * score, b = 2.0 * std::fabs(coef);
    const double left = greatest(0.0, 15.0 / 32.0 * of_.wrong[k] - of_.spent[k]);
    double phi = 1.0;
    if (a + b > left) phi = greatest(0.0, 2.0 * left / (b + std::sqrt(b * b + 4.0 * a * left)));
    of_.spent[k] += (a * phi + b) * phi;
    for (i64 s = 0; s < B; ++s) W[s * P] *= phi;
    tau *= phi;
  }

  // --- the Projectron (Orabona, Keshet and Caputo 2009) -------------------------------------------

  // Write the projection of row r onto the support rows; its squared distance from them.
  double project(i64 r) {
    if (projected_) return outside_;
    const i64 B = of_.B, k = size();
    const double* values = support_gram(r);
    double* sums = of_.projection;
    for (i64 s = 0; s < k; ++s) sums[s] = 0.0;
    for (i64 q = 0; q < k; ++q) {  // the inverse is symmetric to the last bit: a row is a column
      const double *column = of_.inverse + q * B, value = values[q];
      for (i64 s = 0; s < k; ++s) sums[s] += column[s] * value;
    }
    double outside = of_.diagonal[r];
    for (i64 s = 0; s < k; ++s) outside -= sums[s] * values[s];
    projected_ = true;
    return outside_ = greatest(0.0, outside);
  }

  // η² of row r for Projectron++ while the budget is not full.
  double squared_eta(i64 r) const {
    return greatest(of_.eta * of_.eta, LEAST_SQUARED_SHARE * of_.diagonal[r]);
  }

  void move_along_projection(i64 k, double step) const {
    for (i64 s = 0; s < size(); ++s) state_.W[s * state_.P + k] += step * of_.projection[s];
  }

  // A slot for row r if one is free and its squared distance exceeds `limit`, else −1: projected.
  i64 allocate_or_project(i64 r, double limit) {
    const i64 slot = size();
    const double outside = project(r);
    if (slot < of_.B && outside > limit) {
      extend_inverse(outside);
      return slot;
    }
    for (i64 k = 0; k < spec_.K; ++k)
      if (buffers_.taus[k] != 0.0) move_along_projection(k, buffers_.taus[k]);
    return -1;
  }

  // Add a row and a column to the inverse, for the row that was just projected (bordering).
  void extend_inverse(double outside) const {
    const i64 B = of_.B, k = size();
    const double* p = of_.projection;
    double *inverse = of_.inverse, *last = inverse + k * B;
    for (i64 s = 0; s < k; ++s) {
      for (i64 q = 0; q < k; ++q) inverse[s * B + q] += p[s] * p[q] / outside;
      inverse[s * B + k] = last[s] = -p[s] / outside;
    }
    last[k] = 1.0 / outside;
  }

  // y τ of Projectron++ if row r is right by a margin below 1, else 0.
  double margin_step(i64 r, double y, double score) {
    const double hinge = 1.0 - y * score;
    if (!(0.0 < hinge && hinge < 1.0)) return 0.0;
    const double outside = project(r), within = of_.diagonal[r] - outside;
    double left = hinge;
    if (size() < of_.B) left -= std::sqrt(outside / squared_eta(r));  // else η is infinite
    if (left <= 0.0 || within <= 0.0) return 0.0;
    return y * least(least(hinge / within, 2.0 * left / within), 1.0);
  }

  const BudgetView& of_;
  const KernelSpec& spec_;
  const SlotState& state_;
  const SlotsView& slots_;
  const StepBuffers& buffers_;
  bool projected_ = false;  // whether the projection is that of the current row
  double outside_ = 0.0;
};

}  // namespace INSTRUCTION_SET
