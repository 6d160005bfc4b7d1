// The step of a rule on one example, and what rules of its kind do besides moving w along x.

#pragma once

#include "arithmetic/confidences.h"
#include "arithmetic/covariance.h"

namespace INSTRUCTION_SET {

// The work arrays of a problem, see work_size.
struct Work {
  double *dots, *taus, *steps, *scores, *losses, *betas, *factors, *variances, *changes, *parts;
  double *logits, *sizes, *shares, *averages, *projections;
  i64 *active, *which;  // −1 for an active class, and for a column that moves, else 0

  explicit Work(const Problem& problem) {
    const i64 columns = work_columns(problem.state.P);
    double* next = problem.work;
    const auto take = [&](i64 size) {
      double* array = next;
      next += size;
      return array;
    };
    dots = take(columns * BLOCK_ROWS);
    taus = take(columns), steps = take(columns), scores = take(columns), losses = take(columns);
    betas = take(columns), factors = take(columns), variances = take(columns);
    changes = take(columns), parts = take(columns);
    logits = take(columns), sizes = take(columns), shares = take(columns), averages = take(columns);
    active = (i64*)take(columns), which = (i64*)take(columns);
    projections = take(0);
  }
};

template <class Rows>
struct Stepper {
  using T = typename Rows::Value;
  const Rows& rows;
  State<T>& s;
  const Spec& spec;
  const Work& work;

  const Rule& rule() const { return *spec.rule; }

  // ‖w‖² of weight vector k, with its intercept.
  double squared_norm(i64 k) const {
    if (s.norms[k] < 0.0) {
      double total = 0.0;
      for (i64 j = 0; j < s.d; ++j) {
        const double weight = double(s.W[j * s.P + k]) * s.scale[k];
        total += weight * weight;
      }
      s.norms[k] = total + s.b[k] * s.b[k];
      s.norm_errors[k] = 0.0;
    }
    return s.norms[k];
  }

  double variance(i64 i, i64 k) const {
    if (rule().kind == Kind::full)
      return full_variance(rows, i, s, k, spec.intercept, work.projections, work.variances);
    return variance_of_score(rule(), spec.parameters, rows, i, s, k, spec.intercept);
  }

  // The step τ of weight vector k, and the loss. A score that is a difference has a rival, which is
  // not negative: variances add up, both get the β; norms and updates are those of all classes.
  Outcome act(double score, double y, double sqnorm, double weight, i64 i, i64 k, i64 rival) const {
    const double* p = spec.parameters;
    if (rule().kind == Kind::plain) return rule().act(p, score, y, sqnorm, weight);
    const double loss = rule().loss(p, score, y);
    if (rule().kind == Kind::weightwise) return {gradient(score, y, weight, i, k, rival), loss};
    if (rule().kind == Kind::rescaling) return {rescale(score, y, sqnorm, weight, k, rival), loss};
    if (rule().kind == Kind::full) {
      work.variances[k] = -1.0;
      if (rival >= 0) work.variances[rival] = -1.0;
    }
    double v = 0.0;
    if (rule().needs_variance(p, score, y)) {
      v = variance(i, k);
      if (rival >= 0) v += variance(i, rival);
    }
    const Pair move = rule().confident(p, score, y, v, weight);
    work.betas[k] = defined(move.second);
    if (rival >= 0) work.betas[rival] = work.betas[k];
    return {defined(move.first), loss};
  }

  // --- weightwise rules --------------------------------------------------------------------------

  // A walk over row i, and one over the intercepts.
  Walk walk_row(i64 i) const {
    Walk walk = walk_of(s.W, s.U, s.numbers);
    rows.point(walk, i);
    walk.single = sizeof(T) == sizeof(float), walk.area = s.area;
    return walk;
  }
  Walk walk_intercepts() const {
    static constexpr double one = 1.0;
    Walk walk = walk_of(s.b, s.ub, s.numbers_of_b);
    walk.values = &one, walk.count = 1, walk.t = double(s.t[0]);
    return walk;
  }
  Walk walk_of(void* W, double* U, double* const* numbers) const {
    Walk walk;
    walk.W = W, walk.U = U, walk.size = s.size;
    for (int n = 0; n < s.size; ++n) walk.numbers[n] = numbers[n];
    walk.counted = rule().counts;
    for (int n = 0; n < walk.counted; ++n) walk.counts[n] = s.counts[n];
    walk.P = s.P, walk.K = spec.scheme == Scheme::none ? 1 : spec.K;
    return walk;
  }

  // Move the columns of `which` along row i: before their scores, or after, by the derivatives.
  void move_own(i64 i, const double* gradients) const {
    const Rule& r = rule();
    const double* p = spec.parameters;
    const double* parts = r.part ? work.parts : nullptr;
    const auto move = [&](const Walk& walk) {
      if (gradients && r.move) r.move(p, walk, work.which, gradients, parts);
      else if (!gradients && r.touch) r.touch(p, walk, work.which);
      else call_columns(r, p, walk, work.which, gradients, parts);
    };
    const Walk row = walk_row(i);
    if (!gradients && r.begin) r.begin(p, row, work.which);
    else if (!gradients && r.counts) call_counts(r, p, row, work.which);
    move(row);
    if (spec.intercept) move(walk_intercepts());
  }

  // By how much whole steps would change the scores, for the parts of them that are taken.
  void find_changes(i64 i, const double* gradients) const {
    const Rule& r = rule();
    const auto add = [&](const Walk& walk) {
      if (r.change) r.change(spec.parameters, walk, gradients, work.changes);
      else call_changes(r, spec.parameters, walk, gradients, work.changes);
    };
    for (i64 k = 0; k < s.P; ++k) work.changes[k] = 0.0;
    add(walk_row(i));
    if (spec.intercept) add(walk_intercepts());
  }

  // The part of a step, of 0 to 1; none where the change left the range.
  double part(double score, double y, double change) const {
    return least(positive_part(defined(rule().part(spec.parameters, score, y, change))), 1.0);
  }

  double gradient(double score, double y, double weight, i64 i, i64 k, i64 rival) const {
    double v = 0.0;
    if (rule().rate_one) {
      v = own_variance(i, k);
      if (rival >= 0) v += own_variance(i, rival);
    }
    return defined(rule().gradient(spec.parameters, score, y, v, weight));
  }

  double own_variance(i64 i, i64 k) const {
    const double* p = spec.parameters;
    const double v = walked_variance<T>(rule(), p, walk_row(i), k);
    return spec.intercept ? v + walked_variance<double>(rule(), p, walk_intercepts(), k) : v;
  }

  // --- rules that rescale, and confidences -------------------------------------------------------

  // The step τ of weight vector k, whose factor is kept. Each update counts for two of rivals.
  double rescale(double score, double y, double sqnorm, double weight, i64 k, i64 rival) const {
    Seen seen = {sqnorm, squared_norm(k), s.t[0], s.updates[k]};
    if (rival >= 0) {
      seen.wsqnorm = 0.0, seen.updates = 0;
      for (i64 column = 0; column < s.P; ++column) {
        seen.wsqnorm += squared_norm(column);
        seen.updates += s.updates[column];
      }
      seen.updates /= 2;
    }
    const Pair move = rule().rescale(spec.parameters, score, y, seen, weight);
    if (rival >= 0)
      for (i64 column = 0; column < s.P; ++column) work.factors[column] = move.first;
    work.factors[k] = move.first;
    return move.second;
  }

  // Move weight vector k with a confidence, and the intercept b; returns the step of b.
  double move(i64 i, i64 k, double tau, double b, double area) const {
    const double beta = work.betas[k];
    if (rule().kind == Kind::full) {
      if (work.variances[k] < 0.0) variance(i, k);
      return move_by_covariance(rows, i, s, k, tau, beta, area, spec.intercept,
                                work.projections + k * (s.d + 1), work.variances[k]);
    }
    return move_by_rates(rule(), spec.parameters, rows, i, s, k, tau, beta, b, area, spec.intercept);
  }
};

}  // namespace INSTRUCTION_SET
