#include "linear/learner.h"

#include <nanobind/stl/string.h>

#include <cmath>
#include <new>

#include "boundary/log.h"
#include "linear/blend.h"

namespace nb = nanobind;

using arrays::AnyBuffer;
using arrays::Buffer;
using arrays::refuse;
using std::int64_t;

namespace {

constexpr std::size_t CACHE_LINE = 64;

double* aligned_zeros(int64_t size) {
  const std::size_t bytes =
      (std::size_t(size) * sizeof(double) + CACHE_LINE - 1) / CACHE_LINE * CACHE_LINE;
  void* memory = ::operator new(bytes, std::align_val_t(CACHE_LINE));
  double* array = static_cast<double*>(memory);
  for (int64_t i = 0; i < size; ++i) array[i] = 0.0;
  return array;
}

}  // namespace

void Learner::Free::operator()(double* p) const { ::operator delete(p, std::align_val_t(CACHE_LINE)); }

Learner::Learner(nb::tuple state, nb::tuple spec) {
  // --- the state, in the order of the fields of engine/state.py ----------------------------------
  if (state.size() != 21) refuse("state", "the fields of a State, and the arrays of its rule");
  const auto field = [&](std::size_t i, const char* name) -> const AnyBuffer& {
    return kept_.emplace_back(state[i], name, arrays::ANY_AXES, true);
  };
  StateView& s = problem_.state;
  const AnyBuffer& W = field(0, "W");
  if (W.dimensions() != 2) refuse("W", "a matrix");
  single_ = W.holds<float>();
  s.d = W.size(), s.P = W.columns();
  const auto weights = [&](const AnyBuffer& array, bool optional) -> void* {
    const int64_t size = optional && array.count() == 0 ? 0 : s.d * s.P;
    if (single_) return array.numbers<float>(size);
    return array.numbers<double>(size);
  };
  s.W = weights(W, false);
  s.b = field(1, "b").numbers<double>(s.P);
  s.scale = field(2, "scale").numbers<double>(s.P);
  const AnyBuffer& U = field(3, "U");
  s.U = U.numbers<double>(U.count() == 0 ? 0 : s.d * s.P);
  s.ub = field(4, "ub").numbers<double>(s.P);
  s.area = field(5, "area").numbers<double>(s.P);
  s.Q = weights(field(6, "Q"), true);
  s.owed = field(7, "owed").numbers<double>(s.P);
  s.t = field(8, "t").numbers<int64_t>(1);
  s.errors = field(9, "errors").numbers<int64_t>(1);
  s.mistakes = field(10, "mistakes").numbers<int64_t>(s.P);
  s.updates = field(11, "updates").numbers<int64_t>(s.P);
  s.losses = field(12, "losses").numbers<double>(s.P);
  s.active = field(13, "active").numbers<bool>(s.P);
  s.run = field(14, "run").numbers<int64_t>(2);
  s.champion_W = weights(field(15, "champion_W"), true);
  s.champion_b = field(16, "champion_b").numbers<double>(s.P);

  // --- the rule and its options --------------------------------------------------------------
  Spec& options = problem_.spec;
  if (spec.size() != 11) refuse("spec", "of eleven fields");
  if (nb::isinstance<nb::str>(spec[0])) {
    const auto name = nb::cast<std::string>(spec[0]);
    options.rule = arithmetic().rule(name.c_str());
    if (!options.rule)
      refuse("rule", "one of the library, compiled into its core: make compiles a new one");
    for (nb::handle number : nb::cast<nb::tuple>(spec[1]))
      parameters_.push_back(nb::cast<double>(number));
    parameters_.resize(2, 0.0);  // no rule has more
    options.parameters = parameters_.data();
  } else if (nb::isinstance<nb::dict>(spec[0])) {
    compiled_rule_.emplace(nb::cast<nb::dict>(spec[0]), nb::cast<std::string>(spec[1]));
    options.rule = &compiled_rule_->functions;
    options.parameters = compiled_rule_->parameters();
  } else {
    user_rule_.emplace(spec[0], nb::cast<std::string>(spec[1]));
    options.rule = user_rule_->functions();
    options.parameters = user_rule_->parameters();
  }
  const auto scheme = nb::cast<std::string>(spec[2]);
  if (scheme != "joint" && scheme != "one-vs-rest" && scheme != "none") refuse("spec", "of a scheme");
  options.scheme = scheme == "joint"         ? Scheme::joint
                   : scheme == "one-vs-rest" ? Scheme::one_vs_rest
                                             : Scheme::none;
  const Buffer<const double> factors(spec[3], "class_weight");
  const int64_t K = factors.size();
  class_weight_.assign(factors.data(), factors.data() + K);
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
  if (s.d > 0) {
    if (options.average && !s.U) refuse("U", "kept for an average");
    if (options.penalised && options.truncation != 0.0 && !s.Q) refuse("Q", "kept for a penalty");
    if (options.pocket && !s.champion_W) refuse("champion_W", "kept for the pocket");
  }
  read_own(nb::cast<nb::tuple>(state[20]));
  if (!spec[10].is_none()) read_calibration(nb::cast<nb::tuple>(spec[10]));
  work_.reset(aligned_zeros(work_size(s, options)));
  problem_.work = work_.get();
}

// What the rule keeps, in the order in which its kind or its class declares it.
void Learner::read_own(nb::tuple own) {
  StateView& s = problem_.state;
  const Kind kind = problem_.spec.rule->kind;
  const int numbers = problem_.spec.rule->numbers, counts = problem_.spec.rule->counts;
  const auto size = int64_t(own.size());
  if (kind == Kind::weightwise ? size != 2 * numbers + counts
      : kind == Kind::full     ? size != 1
      : kind == Kind::blended  ? size != 8
      : kind == Kind::plain    ? size != 0
                               : size != 2)
    refuse("state", "kept for this rule, with all arrays that it declares");
  const auto array = [&](int64_t i, int64_t rows) {
    return kept_.emplace_back(own[i], "an array of the rule", arrays::ANY_AXES, true)
        .numbers<double>(rows * s.P);
  };
  unknown_.assign(s.P, -1.0);
  s.norms = unknown_.data();
  if (kind == Kind::confident) s.C = array(0, s.d), s.cb = array(1, 1);
  if (kind == Kind::full) s.S = array(0, (s.d + 1) * (s.d + 1));
  if (kind == Kind::rescaling) s.norms = array(0, 1), s.norm_errors = array(1, 1);
  if (kind == Kind::blended) read_blend(s, own, kept_);
  if (kind != Kind::weightwise) return;
  s.size = numbers;
  for (int n = 0; n < s.size; ++n) {
    s.numbers[n] = array(2 * n, s.d);
    s.numbers_of_b[n] = array(2 * n + 1, 1);
  }
  for (int n = 0; n < counts; ++n) s.counts[n] = array(2 * numbers + n, 1);
}

// Whether the scores are those of the average, and the arrays of CalibrationView.
void Learner::read_calibration(nb::tuple calibration) {
  if (calibration.size() != 8) refuse("calibration", "of eight fields");
  StateView& s = problem_.state;
  Spec& options = problem_.spec;
  options.calibrates = true;
  options.calibrates_average = nb::cast<bool>(calibration[0]);
  if (options.calibrates_average && !options.average)
    refuse("calibration", "of an average that is kept");
  const auto array = [&](std::size_t i) -> const AnyBuffer& {
    return kept_.emplace_back(calibration[i], "an array of the calibration", arrays::ANY_AXES, true);
  };
  s.calibration.count = array(1).numbers<int64_t>(1);
  double** numbers[] = {&s.calibration.size, &s.calibration.aa, &s.calibration.ab,
                        &s.calibration.bb,   &s.calibration.a,  &s.calibration.b};
  for (std::size_t i = 0; i < 6; ++i) *numbers[i] = array(i + 2).numbers<double>(s.P);
}

RowsView Learner::view_of(const RowBuffers& rows) const {
  RowsView view = rows.view;
  if (rows.single != single_) refuse("the values of the rows", "an array of another type");
  if (!view.indptr && view.d != problem_.state.d) refuse("X", "a matrix with a column for each weight");
  view.d = problem_.state.d;
  return view;
}

Learner::Examples::Examples(const Learner& learner, nb::tuple rows, nb::handle y, nb::handle weight)
    : rows(rows, RowBuffers::ANY),
      y(y, "y", 1, false),
      weight(weight, "weight"),
      problem(learner.problem_) {
  problem.rows = learner.view_of(this->rows);
  const int64_t n = problem.rows.n;
  problem.y = problem.spec.scheme == Scheme::none ? (const void*)this->y.numbers<const double>(n)
                                                  : (const void*)this->y.numbers<const int64_t>(n);
  problem.weight = this->weight.numbers<const double>(n);
}

int64_t Learner::epoch(nb::tuple rows, nb::handle y, nb::handle weight, nb::handle order,
                       nb::object log) {
  Examples examples(*this, rows, y, weight);
  const Buffer<const int64_t> numbers(order, "order");
  Problem& problem = examples.problem;
  const int64_t m = numbers.size();
  problem.order = numbers.data(), problem.m = m;
  std::optional<LogArrays> record;
  LogView view;
  if (!log.is_none()) {
    record.emplace(log);
    view = record->view();
    const int64_t most = m * (problem.spec.scheme == Scheme::none ? 1 : problem.spec.K);
    if (view.size[0] < 0 || view.size[0] > record->slot.size() - most) refuse("log", "long enough");
    problem.log = &view;
  }
  const Run run(*this);
  check_rows(problem);
  return arithmetic().learn(problem, single_);
}

bool Learner::row(nb::tuple rows, double y, double weight) {
  const RowBuffers buffers(rows, RowBuffers::ANY);
  return learn_first(view_of(buffers), y, weight);
}

bool Learner::named_row(const names::Encoder& row, double y, double weight) {
  if (single_) refuse("W", "of float64 for rows of names");
  return learn_first(row.view(problem_.state.d), y, weight);
}

bool Learner::learn_first(const RowsView& rows, double y, double weight) {
  Problem problem = problem_;
  const bool coded = problem.spec.scheme != Scheme::none;
  if (coded && !(y >= 0.0 && y < double(problem.spec.K))) refuse("y", "the number of a class");
  const int64_t first = 0, label = coded ? int64_t(y) : 0;
  problem.rows = rows;
  problem.y = coded ? (const void*)&label : (const void*)&y;
  problem.weight = &weight;
  problem.order = &first;
  problem.m = 1;
  check_rows(problem);
  const int64_t bad = arithmetic().learn(problem, single_);
  return bad == FINITE || (bad == BEYOND && in_range(rows));
}

// A score may leave the range where no weight does: whether those of the first of `rows` are finite,
// with their averages.
bool Learner::in_range(const RowsView& rows) const {
  const StateView& s = problem_.state;
  const auto finite = [&](int64_t j, int64_t k) {
    const int64_t at = j * s.P + k;
    const double w = single_ ? double(((const float*)s.W)[at]) : ((const double*)s.W)[at];
    return std::isfinite(w) && (!s.U || std::isfinite(s.area[k] * w - s.U[at]));
  };
  for (int64_t k = 0; k < s.P; ++k) {
    if (!std::isfinite(s.b[k]) || !std::isfinite(s.b[k] - s.ub[k])) return false;
    const int64_t start = rows.indptr ? rows.indptr[0] : 0;
    const int64_t stop = rows.indptr ? rows.indptr[1] : s.d;
    for (int64_t p = start; p < stop; ++p)
      if (!finite(rows.indptr ? int64_t(rows.indices[p]) : p, k)) return false;
  }
  return true;
}

void Learner::choose(nb::tuple rows, nb::handle y, nb::handle weight, nb::handle order,
                     nb::handle chosen) {
  if (!problem_.spec.rule->overlap) refuse("rule", "one that chooses a row");
  Examples examples(*this, rows, y, weight);
  const Buffer<const int64_t> numbers(order, "order");
  Problem& problem = examples.problem;
  problem.order = numbers.data(), problem.m = numbers.size();
  const Buffer<int64_t> result(chosen, "chosen");
  int64_t* target = result.numbers<int64_t>(problem.spec.K);
  const Run run(*this);
  check_rows(problem);
  arithmetic().scan(problem, single_, target);
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
