// The loop of one weight vector.
//
// The average is lazy: an update τ x at step t adds (Σ scale before t) τ x to U, nothing else. The
// L2 penalty, and rules that rescale, shrink one number, `scale`.

#pragma once

#include "arithmetic/calibration.h"
#include "arithmetic/rules.h"
#include "arithmetic/stepper.h"

namespace INSTRUCTION_SET {

// Learn the rows of `order` once. Returns the first row whose step made a weight infinite, or FINITE
// or BEYOND. BARE: by a plain rule, without penalty and pocket; rows of a few entries take a
// twentieth less time where these are not asked for each time.
template <class Rows, bool BARE>
i64 learn_binary(const Rows& rows, const Problem& problem) {
  using T = typename Rows::Value;
  State<T> s(problem.state);
  const Spec& spec = problem.spec;
  const Work work(problem);
  const Stepper<Rows> stepper = {rows, s, spec, work};
  const Calibration<Rows> calibration = {rows, s, spec, work};
  const double *y = (const double*)problem.y, *weight = problem.weight;
  const i64 *order = problem.order, m = problem.m;
  const Kind kind = BARE ? Kind::plain : spec.rule->kind;
  const bool penalised = !BARE && spec.penalised, pocket = !BARE && spec.pocket;
  const bool intercept = spec.intercept, average = spec.average, calibrates = spec.calibrates;
  const double tie = spec.tie, bias_sqnorm = spec.bias_sqnorm;
  const double* parameters = spec.parameters;
  const bool confident = kind == Kind::confident || kind == Kind::full;
  const bool weightwise = kind == Kind::weightwise, touches = !BARE && spec.rule->touches;
  const auto act = spec.rule->act;
  const bool reads_sqnorm = spec.rule->reads_sqnorm;
  const bool reads_if_weighted = spec.rule->weighted_reads_sqnorm;
  double b = s.b[0], scale = s.scale[0], area = s.area[0], owed = s.owed[0], loss = s.losses[0];
  double dots[BLOCK_ROWS], squares[BLOCK_ROWS];
  const i64 earlier = s.updates[0];
  i64 t = s.t[0], mistakes = 0, updates = 0, bad = FINITE;
  // A few rows are scored at once. An update of the weights discards the scores left, so every score
  // is that of the current weights.
  int scored = 0, r = 0;
  const auto write_back = [&] {
    s.b[0] = b, s.scale[0] = scale, s.area[0] = area, s.owed[0] = owed;
    s.t[0] = t, s.losses[0] = loss;
    s.errors[0] += mistakes, s.mistakes[0] += mistakes;
    s.updates[0] = earlier + updates;
  };
  try {
    for (i64 n = 0; n < m; ++n) {
      rows.prefetch_row(order, n, m);
      const i64 next = order[smaller(n + PREFETCH_DISTANCE, m - 1)];
      prefetch(y + next);
      prefetch(weight + next);
      const i64 i = order[n];
      const auto move_own = [&](const double* gradient) {
        s.b[0] = b, s.t[0] = t, s.area[0] = area, work.which[0] = -1;
        stepper.move_own(i, gradient);
        b = s.b[0], scored = 0;
      };
      if (touches && weight[i] != 0.0) move_own(nullptr);
      if (++r >= scored) {
        r = 0;
        scored = rows.block(order, n, touches ? n + 1 : m, s.W, dots, squares, reads_sqnorm);
      }
      const double label = y[i], score = rounded<T>(dots[r] * scale) + b;
      if (calibrates && is_used(t, weight[i]))
        calibration.learn_binary(i, label, score, dots[r], area, b, double(t));
      double own = 0.0;
      if (reads_sqnorm) own = squares[r];
      else if (reads_if_weighted && weight[i] != 1.0) own = rows.sqnorm(i);
      const double sqnorm = own + bias_sqnorm;
      Outcome outcome;
      if (kind == Kind::plain) {
        outcome = act(parameters, score, label, sqnorm, weight[i]);
      } else {
        s.t[0] = t, s.updates[0] = earlier + updates, s.b[0] = b, s.scale[0] = scale;
        outcome = stepper.act(score, label, sqnorm, weight[i], i, 0, -1);
      }
      double tau = outcome.tau;
      loss += outcome.loss;
      const bool wrong = is_mistake(score, label, tie);
      mistakes += wrong;
      if (pocket) {
        s.b[0] = b, s.scale[0] = scale;
        count_streak(s, wrong);
      }
      if (penalised) {
        scale = rounded<T>(scale * rounded<T>(spec.decay));
        if (scale < Limits<T>::smallest_scale) {
          fold_scale(s, 0, scale, area);
          scale = 1.0, area = 0.0, scored = 0;
        }
      }
      if (kind == Kind::rescaling) {
        s.b[0] = b, s.scale[0] = scale, s.area[0] = area;
        if (rescale_column(s, 0, work.factors[0], tau, score, sqnorm)) scored = 0;
        b = s.b[0], scale = s.scale[0], area = s.area[0];
      }
      if (tau != 0.0) {
        scored = 0;
        ++updates;
        if (weightwise) {
          if (spec.rule->part) {
            s.b[0] = b;
            stepper.find_changes(i, &tau);
            work.parts[0] = stepper.part(score, label, work.changes[0]);
          }
          move_own(&tau);
        } else if (confident) {
          tau = stepper.move(i, 0, tau, b, area);
        } else {
          const double step = rounded<T>(rounded<T>(tau) / scale);
          rows.axpy(i, step, s.W);
          if (problem.log) record_step(*problem.log, i, 0, step, t);
          if (average) rows.axpy(i, area * step, s.U);
          if (bad < 0 && overflows(tau, rows, i, reads_sqnorm ? own : rows.bound_of_sqnorm(i), s, 0))
            bad = i;
        }
        if (intercept && !weightwise) {
          b += tau;
          s.ub[0] += double(t) * tau;
        }
      }
      if (penalised && spec.truncation != 0.0) {
        scored = 0;
        owed += spec.truncation;
        truncate(rows, i, s, 0, owed, scale, area);
      }
      area += scale;
      ++t;
    }
  } catch (...) {  // a rule of a user's has raised: the rows before are learned
    write_back();
    throw;
  }
  write_back();
  double total = intercept ? b : loss;
  // 0 · ∞ and 0 · NaN are NaN: the score of the last row says whether its weights are finite.
  if (m > 0) total += 0.0 * rows.dot(order[m - 1], s.W);
  return bad >= 0 || std::isfinite(total) ? bad : BEYOND;
}

}  // namespace INSTRUCTION_SET
