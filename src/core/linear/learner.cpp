#include "linear/learner.h"

#include <nanobind/stl/string.h>

#include <new>

namespace nb = nanobind;

using arrays::numbers;
using arrays::refuse;
using std::int64_t;

namespace {

constexpr std::size_t CACHE_LINE = 64;

double* aligned_zeros(int64_t size) {
  const std::size_t bytes = (std::size_t(size) * sizeof(double) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  void* memory = ::operator new(bytes, std::align_val_t(CACHE_LINE));
  double* array = static_cast<double*>(memory);
  for (int64_t i = 0; i < size; ++i) array[i] = 0.0;
  return array;
}

}  // namespace

void Learner::Free::operator()(double* p) const { ::operator delete(p, std::align_val_t(CACHE_LINE)); }

Learner::Learner(nb::tuple state, nb::tuple spec) {
  // --- the state, in the order of the fields of engine/state.py ----------------------------------
  if (state.size() != 25) refuse("state", "a State");
  const auto field = [&](std::size_t i) -> const arrays::Any& {
    kept_.push_back(arrays::cast<arrays::Any>(state[i], "an array of the state"));
    return kept_.back();
  };
  kept_.reserve(25);
  StateView& s = problem_.state;
  const arrays::Any& W = field(0);
  if (W.ndim() != 2) refuse("W", "a matrix");
  single_ = W.dtype() == nb::dtype<float>();
  s.d = W.shape(0), s.P = W.shape(1);
  const auto weights = [&](const arrays::Any& array, const char* name, bool optional) -> void* {
    const int64_t size = optional && array.size() == 0 ? 0 : s.d * s.P;
    if (single_) return numbers<float>(array, name, size);
    return numbers<double>(array, name, size);
  };
  const auto kept = [&](const arrays::Any& array, const char* name, int64_t rows) {
    return numbers<double>(array, name, array.size() == 0 ? 0 : rows * s.P);
  };
  s.W = weights(W, "W", false);
  s.b = numbers<double>(field(1), "b", s.P);
  s.scale = numbers<double>(field(2), "scale", s.P);
  s.U = kept(field(3), "U", s.d);
  s.ub = numbers<double>(field(4), "ub", s.P);
  s.area = numbers<double>(field(5), "area", s.P);
  s.Q = weights(field(6), "Q", true);
  s.owed = numbers<double>(field(7), "owed", s.P);
  s.C = kept(field(8), "C", s.d);
  s.cb = numbers<double>(field(9), "cb", s.P);
  s.S = kept(field(10), "S", (s.d + 1) * (s.d + 1));
  s.norms = numbers<double>(field(11), "norms", s.P);
  s.norm_errors = numbers<double>(field(12), "norm_errors", s.P);
  s.t = numbers<int64_t>(field(13), "t", 1);
  s.errors = numbers<int64_t>(field(14), "errors", 1);
  s.mistakes = numbers<int64_t>(field(15), "mistakes", s.P);
  s.updates = numbers<int64_t>(field(16), "updates", s.P);
  s.losses = numbers<double>(field(17), "losses", s.P);
  s.active = numbers<bool>(field(18), "active", s.P);
  s.run = numbers<int64_t>(field(19), "run", 2);
  s.champion_W = weights(field(20), "champion_W", true);
  s.champion_b = numbers<double>(field(21), "champion_b", s.P);

  // --- the rule and its options --------------------------------------------------------------
  Spec& options = problem_.spec;
  if (spec.size() != 10) refuse("spec", "of ten fields");
  const auto name = nb::cast<std::string>(spec[0]);
  options.rule = arithmetic().rule(name.c_str());
  if (!options.rule) refuse("rule", "one of the library");
  for (nb::handle number : nb::cast<nb::tuple>(spec[1])) parameters_.push_back(nb::cast<double>(number));
  parameters_.resize(2, 0.0);  // no rule has more
  options.parameters = parameters_.data();
  const auto scheme = nb::cast<std::string>(spec[2]);
  options.scheme = scheme == "joint"         ? Scheme::joint
                   : scheme == "one-vs-rest" ? Scheme::one_vs_rest
                                             : Scheme::none;
  const auto class_weight = arrays::cast<arrays::ReadOnly>(spec[3], "class_weight");
  const int64_t K = class_weight.size();
  const auto* factors = numbers<double>(class_weight, "class_weight", K);
  class_weight_.assign(factors, factors + K);
  options.class_weight = class_weight_.data();
  options.K = options.scheme == Scheme::none ? 1 : K;
  if (options.scheme == Scheme::none ? s.P != 1 : K < 2 || s.P % 8 != 0 || K > s.P)
    refuse("W", "a matrix with a column for each class, in eights, or of one column");
  options.tie = nb::cast<double>(spec[4]);
  options.intercept = nb::cast<bool>(spec[5]);
  options.bias_sqnorm = nb::cast<double>(spec[6]);
  options.penalised = !spec[7].is_none();
  if (options.penalised) {
    const auto penalty = nb::cast<nb::tuple>(spec[7]);
    if (penalty.size() != 2) refuse("penalty", "a decay and a truncation");
    options.decay = nb::cast<double>(penalty[0]);
    options.truncation = nb::cast<double>(penalty[1]);
  }
  options.average = nb::cast<bool>(spec[8]);
  options.pocket = nb::cast<bool>(spec[9]);
  const Kind kind = options.rule->kind;
  if (s.d > 0) {
    if (options.average && !s.U) refuse("U", "kept for an average");
    if (options.penalised && options.truncation != 0.0 && !s.Q) refuse("Q", "kept for a penalty");
    if (options.pocket && !s.champion_W) refuse("champion_W", "kept for the pocket");
    if (kind == Kind::confident && !s.C) refuse("C", "kept for a rule with a confidence");
  }
  if (kind == Kind::full && !s.S) refuse("S", "kept for a rule with a covariance");

  if (kind != Kind::rescaling)
    for (int64_t k = 0; k < s.P; ++k) s.norms[k] = -1.0;  // such a rule leaves them unknown
  work_.reset(aligned_zeros(work_size(s, options)));
  problem_.work = work_.get();
}

RowsView Learner::view_rows(nb::tuple rows) const {
  RowsView view = {};
  if (rows.size() != 1 && rows.size() != 3) refuse("rows", "Dense or CSR");
  view.d = problem_.state.d;
  const auto values = arrays::cast<arrays::ReadOnly>(rows[0], "the values of the rows");
  const int64_t size = values.size();
  view.values = single_ ? (const void*)numbers<float>(values, "the values of the rows", size)
                        : (const void*)numbers<double>(values, "the values of the rows", size);
  if (rows.size() == 1) {
    if (values.ndim() != 2 || int64_t(values.shape(1)) != view.d)
      refuse("X", "a matrix with a column for each weight");
    view.n = values.shape(0);
    return view;
  }
  const auto indices = arrays::cast<arrays::ReadOnly>(rows[1], "indices");
  const auto indptr = arrays::cast<arrays::ReadOnly>(rows[2], "indptr");
  view.indices = numbers<std::uint32_t>(indices, "indices", indices.size());
  view.indptr = numbers<int64_t>(indptr, "indptr", indptr.size());
  if (indptr.size() == 0) refuse("indptr", "at least one number");
  view.n = int64_t(indptr.size()) - 1;
  view.entries = size < int64_t(indices.size()) ? size : indices.size();
  return view;
}

Problem Learner::bound(nb::tuple rows, const arrays::ReadOnly& y, const arrays::ReadOnly& weight,
                       const int64_t* order, int64_t m) const {
  Problem problem = problem_;
  problem.rows = view_rows(rows);
  const int64_t n = problem.rows.n;
  problem.y = problem.spec.scheme == Scheme::none ? (const void*)numbers<double>(y, "y", n)
                                                  : (const void*)numbers<int64_t>(y, "y", n);
  problem.weight = numbers<double>(weight, "weight", n);
  problem.order = order;
  problem.m = m;
  return problem;
}

int64_t Learner::epoch(nb::tuple rows, arrays::ReadOnly y, arrays::ReadOnly weight,
                       arrays::ReadOnly order, nb::object log) {
  const int64_t m = order.size();
  Problem problem = bound(rows, y, weight, numbers<int64_t>(order, "order", m), m);
  LogView view;
  std::vector<arrays::Any> kept;
  if (!log.is_none()) {
    for (nb::handle array : nb::cast<nb::tuple>(log))
      kept.push_back(arrays::cast<arrays::Any>(array, "an array of the log"));
    if (kept.size() != 5) refuse("log", "a StepLog");
    const int64_t capacity = kept[0].size();
    view.slot = numbers<int64_t>(kept[0], "slot", capacity);
    view.column = numbers<int64_t>(kept[1], "column", capacity);
    view.tau = numbers<double>(kept[2], "tau", capacity);
    view.t = numbers<int64_t>(kept[3], "t", capacity);
    view.size = numbers<int64_t>(kept[4], "size", 1);
    const int64_t most = m * (problem.spec.scheme == Scheme::none ? 1 : problem.spec.K);
    if (view.size[0] < 0 || view.size[0] > capacity - most) refuse("log", "long enough");
    problem.log = &view;
  }
  nb::gil_scoped_release release;
  check_rows(problem);
  return arithmetic().learn(problem, single_);
}

bool Learner::row(nb::tuple rows, double y, double weight) {
  return learn_first(view_rows(rows), y, weight);
}

bool Learner::named_row(const names::Encoder& row, double y, double weight) {
  if (single_) refuse("W", "of float64 for rows of names");
  return learn_first(row.view(problem_.state.d), y, weight);
}

bool Learner::learn_first(const RowsView& rows, double y, double weight) {
  const int64_t first = 0, label = int64_t(y);
  Problem problem = problem_;
  problem.rows = rows;
  problem.y = problem.spec.scheme == Scheme::none ? (const void*)&y : (const void*)&label;
  problem.weight = &weight;
  problem.order = &first;
  problem.m = 1;
  check_rows(problem);
  return arithmetic().learn(problem, single_) == FINITE;
}

void Learner::choose(nb::tuple rows, arrays::ReadOnly y, arrays::ReadOnly weight,
                     arrays::ReadOnly order, arrays::Any chosen) {
  if (std::string(problem_.spec.rule->name) != "MinOver") refuse("rule", "one that chooses a row");
  const int64_t m = order.size();
  const Problem problem = bound(rows, y, weight, numbers<int64_t>(order, "order", m), m);
  int64_t* result = numbers<int64_t>(chosen, "chosen", problem.spec.K);
  nb::gil_scoped_release release;
  check_rows(problem);
  arithmetic().scan(problem, single_, result);
}

// Every row of the order, its label, and the ends of its entries; where the order has all rows, those
// of all, one after the other. Columns are checked by as_rows.
void Learner::check_rows(const Problem& problem) const {
  const RowsView& rows = problem.rows;
  const bool all = problem.m >= rows.n;
  const auto* labels = problem.spec.scheme == Scheme::none ? nullptr : (const int64_t*)problem.y;
  bool outside = false;
  for (int64_t r = 0; r < problem.m; ++r)
    outside |= std::uint64_t(problem.order[r]) >= std::uint64_t(rows.n);
  if (outside) refuse("order", "of rows that there are");
  bool unknown = false, beyond = false;
  const auto check = [&](int64_t i) {
    if (labels) unknown |= std::uint64_t(labels[i]) >= std::uint64_t(problem.spec.K);
    if (rows.indptr) {
      const int64_t start = rows.indptr[i], stop = rows.indptr[i + 1];
      beyond |= (start < 0) | (stop < start) | (stop > rows.entries);
    }
  };
  if (all)
    for (int64_t i = 0; i < rows.n; ++i) check(i);
  else
    for (int64_t r = 0; r < problem.m; ++r) check(problem.order[r]);
  if (unknown) refuse("y", "of classes that there are");
  if (beyond) refuse("indptr", "within the entries");
}
