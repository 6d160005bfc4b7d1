// The loop of several weight vectors, one-vs-rest or joint.

#pragma once

#include "arithmetic/calibration.h"
#include "arithmetic/rules.h"
#include "arithmetic/stepper.h"

namespace INSTRUCTION_SET {

// Bytes of W above which a sparse row's weights are loaded ahead: more than caches close by hold.
constexpr i64 LARGE_WEIGHTS = 1 << 20;

// Whether another class has a higher score, or one before `label` the same.
INLINE bool is_beaten(const double* scores, i64 K, i64 label) {
  const double own = scores[label];
  i64 rivals = 0;
  for (i64 k = 0; k < K; ++k) rivals += (scores[k] > own) | ((scores[k] == own) & (k < label));
  return rivals > 0 || own != own;
}

// One step for every active class (lecture row L3.5); returns whether any is not zero. Nothing is
// counted before all are computed: a rule may raise.
template <class Rows>
bool step_each(const Stepper<Rows>& stepper, const OneVsRest& example, i64 i) {
  if (stepper.rule().act_on_all) return stepper.rule().act_on_all(stepper.spec.parameters, example);
  double* losses = stepper.work.losses;
  i64 moves = 0;
  for (i64 k = 0; k < example.K; ++k) {
    const double y = k == example.label ? 1.0 : -1.0;
    const double weight = k == example.label ? example.own_weight : example.rest_weight;
    const Outcome outcome = stepper.act(example.scores[k], y, example.sqnorm, weight, i, k, -1);
    const bool active = example.active[k];
    example.taus[k] = active ? outcome.tau : 0.0;
    losses[k] = active ? outcome.loss : 0.0;
    moves += example.taus[k] != 0.0;
  }
  for (i64 k = 0; k < example.K; ++k) {
    const double y = k == example.label ? 1.0 : -1.0;
    example.losses[k] += losses[k];
    example.mistakes[k] += example.active[k] && is_mistake(example.scores[k], y, example.tie);
  }
  return moves > 0;
}

// One step of the right class against its strongest rival: Kesler's construction (Duda and Hart
// 1973, §5.12; Crammer and Singer 2003). The example is the difference of two copies of x, with
// label +1 and squared norm 2‖x‖².
template <class Rows>
bool step_joint(const Stepper<Rows>& stepper, const OneVsRest& example, i64 i) {
  const double* scores = example.scores;
  const i64 label = example.label;
  i64 rival = -1;
  for (i64 k = 0; k < example.K; ++k) {
    example.taus[k] = 0.0;
    if (example.active[k] && k != label && (rival < 0 || scores[k] > scores[rival])) rival = k;
  }
  if (rival < 0) return false;
  const double score = scores[label] - scores[rival];
  const double sqnorm = 2.0 * example.sqnorm;
  const Outcome outcome = stepper.act(score, 1.0, sqnorm, example.own_weight, i, label, rival);
  example.losses[label] += outcome.loss;
  example.mistakes[label] += is_mistake(score, 1.0, 0.0);
  example.taus[label] = outcome.tau;
  example.taus[rival] = -outcome.tau;
  return outcome.tau != 0.0;
}

// The derivatives g_k = p_k − [k = label] of −log p_label by all scores, p the softmax: Bishop 2006,
// §4.3.4. Those of theory/logistic.py; the loss and the mistake are counted as in step_joint.
INLINE bool step_softmax(const OneVsRest& example) {
  const double* scores = example.scores;
  double* gradients = example.taus;
  const i64 label = example.label;
  i64 rival = -1;
  for (i64 k = 0; k < example.K; ++k)
    if (example.active[k] && k != label && (rival < 0 || scores[k] > scores[rival])) rival = k;
  for (i64 k = 0; k < example.K; ++k) gradients[k] = 0.0;
  if (rival < 0) return false;
  const double most = greatest(scores[label], scores[rival]);
  double rest = 0.0;
  for (i64 k = 0; k < example.K; ++k) {
    if (!example.active[k] || k == label) continue;
    gradients[k] = std::exp(scores[k] - most);
    rest += gradients[k];
  }
  const double total = rest + std::exp(scores[label] - most);
  gradients[label] = -rest;
  i64 moves = 0;
  for (i64 k = 0; k < example.K; ++k) {
    gradients[k] = defined(gradients[k] / total * example.own_weight);
    moves += gradients[k] != 0.0;
  }
  example.losses[label] += std::log(total) + (most - scores[label]);
  example.mistakes[label] += is_mistake(scores[label] - scores[rival], 1.0, 0.0);
  return moves > 0;
}

// The parts of the steps of a weightwise rule that takes parts: of a softmax, whole steps.
template <class Rows>
void find_parts(const Stepper<Rows>& stepper, const OneVsRest& example, i64 i) {
  const double *scores = example.scores, *changes = stepper.work.changes;
  double* parts = stepper.work.parts;
  const i64 K = example.K, label = example.label;
  for (i64 k = 0; k < K; ++k) parts[k] = 1.0;
  const bool joint = stepper.spec.scheme == Scheme::joint;
  if (joint && stepper.rule().softmax) return;
  stepper.find_changes(i, example.taus);
  i64 rival = -1;
  for (i64 k = 0; k < K; ++k) {
    if (example.taus[k] == 0.0 || k == label) continue;
    if (joint) rival = k;
    else parts[k] = stepper.part(scores[k], -1.0, changes[k]);
  }
  if (!joint) parts[label] = stepper.part(scores[label], 1.0, changes[label]);
  else
    parts[label] = parts[rival] =
        stepper.part(scores[label] - scores[rival], 1.0, changes[label] - changes[rival]);
}

template <class Rows>
i64 learn_multi(const Rows& rows, const Problem& problem) {
  using T = typename Rows::Value;
  State<T> s(problem.state);
  const Spec& spec = problem.spec;
  const Work work(problem);
  const Stepper<Rows> stepper = {rows, s, spec, work};
  const Calibration<Rows> calibration = {rows, s, spec, work};
  const i64 K = spec.K, P = s.P;
  const int vectors = int((K + WIDTH - 1) / WIDTH);
  const i64* y = (const i64*)problem.y;
  const double* weight = problem.weight;
  const i64 *order = problem.order, m = problem.m;
  const Kind kind = spec.rule->kind;
  const bool reads_sqnorm = spec.rule->reads_sqnorm;
  const bool reads_if_weighted = spec.rule->weighted_reads_sqnorm;
  const bool confident = kind == Kind::confident || kind == Kind::full;
  const bool weightwise = kind == Kind::weightwise, touches = spec.rule->touches;
  const bool calibrates = spec.calibrates;
  const bool fetch = s.d * P * i64(sizeof(T)) > LARGE_WEIGHTS;
  double *dots = work.dots, *taus = work.taus, *steps = work.steps, *scores = work.scores;
  double squares[BLOCK_ROWS] = {};
  for (i64 k = 0; k < P; ++k) {
    work.active[k] = k < K && s.active[k] ? -1 : 0;
    work.which[k] = 0;
    taus[k] = steps[k] = scores[k] = 0.0;
  }
  int scored = 0, r = 0;  // as in the binary loop
  i64 bad = FINITE;
  for (i64 n = 0; n < m; ++n) {
    rows.prefetch_row(order, n, m);
    const i64 next = order[smaller(n + PREFETCH_DISTANCE, m - 1)];
    prefetch(y + next);
    prefetch(weight + next);
    const i64 i = order[n], label = y[i];
    const double own_weight = rounded<T>(spec.class_weight[label] * weight[i]);
    if (touches) {
      const double others = spec.scheme == Scheme::joint ? own_weight : weight[i];
      for (i64 k = 0; k < K; ++k)
        work.which[k] = (k == label ? own_weight : others) != 0.0 ? work.active[k] : 0;
      stepper.move_own(i, nullptr);
      scored = 0;
    }
    if (++r >= scored) {
      r = 0;
      const i64 end = touches ? n + 1 : m;
      scored = score_rows(rows, order, n, end, s.W, P, vectors, dots, fetch, squares, reads_sqnorm);
    }
    const double* row_dots = dots + r * P;
    for (i64 k = 0; k < K; k += WIDTH)
      store(scores + k, rounded<T>(load(row_dots + k) * load(s.scale + k)) + load(s.b + k));
    if (calibrates && is_used(s.t[0], own_weight))
      calibration.learn_multi(i, label, scores, row_dots, vectors);
    const bool weighted = own_weight != 1.0 || weight[i] != 1.0;
    double own = 0.0;
    if (reads_sqnorm) own = squares[r];
    else if (reads_if_weighted && weighted) own = rows.sqnorm(i);
    const double sqnorm = own + spec.bias_sqnorm;
    const OneVsRest example = {scores,   label,       K,    sqnorm,   own_weight, weight[i],
                               spec.tie, work.active, taus, s.losses, s.mistakes};
    const bool joint = spec.scheme == Scheme::joint;
    bool moved = joint && spec.rule->softmax ? step_softmax(example)
                 : joint                     ? step_joint(stepper, example, i)
                                             : step_each(stepper, example, i);
    const bool wrong = is_beaten(scores, K, label);
    s.errors[0] += wrong;
    if (spec.pocket) count_streak(s, wrong);
    if (spec.penalised) moved = shrink_scales(s, K, rounded<T>(spec.decay)) || moved;
    if (kind == Kind::rescaling)
      for (i64 k = 0; k < K; ++k)
        if (s.active[k])
          moved = rescale_column(s, k, work.factors[k], taus[k], scores[k], sqnorm) || moved;
    if (moved && weightwise) {
      scored = 0;
      for (i64 k = 0; k < K; ++k) work.which[k] = taus[k] != 0.0 ? -1 : 0, s.updates[k] -= work.which[k];
      if (spec.rule->part) find_parts(stepper, example, i);
      stepper.move_own(i, taus);
    } else if (moved && confident) {
      scored = 0;
      for (i64 k = 0; k < K; ++k) {
        if (taus[k] == 0.0) continue;
        const double step = stepper.move(i, k, taus[k], s.b[k], s.area[k]);
        s.updates[k] += 1;
        s.b[k] += step;
        if (spec.average) s.ub[k] += double(s.t[0]) * step;
      }
    } else if (moved) {
      for (i64 k = 0; k < K; ++k) {
        const double step = rounded<T>(rounded<T>(taus[k]) / s.scale[k]);
        steps[k] = taus[k] != 0.0 ? step : 0.0;
        s.updates[k] += taus[k] != 0.0;
      }
      if (problem.log)
        for (i64 k = 0; k < K; ++k)
          if (taus[k] != 0.0) record_step(*problem.log, i, k, steps[k], s.t[0]);
      const double size = reads_sqnorm ? own : rows.bound_of_sqnorm(i);
      r = -1;
      scored = rows.axpy_dot_multi(order, n, m, steps, s.W, P, vectors, dots, squares, reads_sqnorm);
      for (i64 k = 0; k < K; ++k)
        if (bad < 0 && taus[k] != 0.0 && overflows(taus[k], rows, i, size, s, k)) bad = i;
      if (spec.average) {
        const double one = spec.intercept ? 1.0 : 0.0;
        for (i64 k = 0; k < K; ++k) {
          s.ub[k] += double(s.t[0]) * taus[k] * one;
          steps[k] *= s.area[k];
        }
        rows.axpy_multi(i, steps, s.U, P);
      }
      if (spec.intercept)
        for (i64 k = 0; k < K; ++k) s.b[k] += taus[k];
    }
    if (spec.penalised && spec.truncation != 0.0) {
      scored = 0;
      for (i64 k = 0; k < K; ++k) {
        if (!s.active[k]) continue;
        s.owed[k] += spec.truncation;
        truncate(rows, i, s, k, s.owed[k], s.scale[k], s.area[k]);
      }
    }
    for (i64 k = 0; k < K; ++k) s.area[k] += s.scale[k];
    s.t[0] += 1;
  }
  double total = 0.0;  // stays 0 where all are finite: 0 · ∞ and 0 · NaN are NaN
  for (i64 k = 0; k < K; ++k) total += 0.0 * (spec.intercept ? s.b[k] : s.losses[k]);
  if (m > 0) {
    score_rows(rows, order, m - 1, m, s.W, P, vectors, dots);
    for (i64 k = 0; k < K; ++k) total += 0.0 * dots[k];
  }
  return bad >= 0 || total == 0.0 ? bad : BEYOND;
}

}  // namespace INSTRUCTION_SET
