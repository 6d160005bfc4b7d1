#include "linear/user_rule.h"

#include <initializer_list>

#include "boundary/arrays.h"

namespace nb = nanobind;

namespace {

double as_double(const nb::object& result) {
  const double value = PyFloat_AsDouble(result.ptr());
  if (value == -1.0 && PyErr_Occurred()) throw nb::python_error();
  return value;
}

Pair as_pair(const nb::object& result) {
  const nb::tuple numbers(result);
  if (numbers.size() != 2) throw nb::value_error("A step must be two numbers.");
  return {as_double(numbers[0]), as_double(numbers[1])};
}

bool as_bool(const nb::object& result) {
  const int truth = PyObject_IsTrue(result.ptr());
  if (truth < 0) throw nb::python_error();
  return truth;
}

}  // namespace

struct UserFunctions {
  static const UserRule& of(const double* p) { return *reinterpret_cast<const UserRule*>(p); }

  static double loss(const double* p, double score, double y) {
    const UserRule& rule = of(p);
    return as_double(rule.loss_(rule.number(score), rule.number(y)));
  }

  static nb::object step(const UserRule& rule, double score, double y, double seen, double weight) {
    const nb::object first = rule.number(score), second = rule.number(y), third = rule.number(seen);
    return weight == 1.0 ? rule.step_(first, second, third)
                         : rule.weighted_step_(first, second, third, rule.number(weight));
  }

  static Outcome act(const double* p, double score, double y, double sqnorm, double weight) {
    const double lost = loss(p, score, y);
    return {as_double(step(of(p), score, y, sqnorm, weight)), lost};
  }

  static double overlap(const double* p, double score, double y) {
    const UserRule& rule = of(p);
    return as_double(rule.overlap_(rule.number(score), rule.number(y)));
  }

  static bool needs_variance(const double* p, double score, double y) {
    const UserRule& rule = of(p);
    return as_bool(rule.needs_variance_(rule.number(score), rule.number(y)));
  }

  static Pair confident(const double* p, double score, double y, double variance, double weight) {
    return as_pair(step(of(p), score, y, variance, weight));
  }

  static double rate(const double* p, double before, double after) {
    const UserRule& rule = of(p);
    return as_double(rule.rate_(rule.number(before), rule.number(after)));
  }

  static double shrinkage(const double* p, double before, double after) {
    const UserRule& rule = of(p);
    return as_double(rule.shrinkage_(rule.number(before), rule.number(after)));
  }

  static Pair rescale(const double* p, double score, double y, const Seen& seen, double weight) {
    const UserRule& rule = of(p);
    const nb::object first = rule.number(score), second = rule.number(y);
    const nb::object sqnorm = rule.number(seen.sqnorm), wsqnorm = rule.number(seen.wsqnorm);
    const nb::object t = rule.count(seen.t), updates = rule.count(seen.updates);
    return as_pair(weight == 1.0 ? rule.rescale_(first, second, sqnorm, wsqnorm, t, updates)
                                 : rule.weighted_rescale_(first, second, sqnorm, wsqnorm, t, updates,
                                                          rule.number(weight)));
  }

  static double gradient(const double* p, double score, double y, double variance, double weight) {
    const UserRule& rule = of(p);
    nb::list seen;
    seen.append(rule.number(score)), seen.append(rule.number(y));
    if (rule.rate_.is_valid()) seen.append(rule.number(variance));
    if (weight == 1.0) return as_double(rule.gradient_(*seen));
    seen.append(rule.number(weight));
    return as_double(rule.weighted_gradient_(*seen));
  }

  static nb::list listed(const UserRule& rule, const double* numbers, int size) {
    nb::list list;
    for (int n = 0; n < size; ++n) list.append(rule.number(numbers[n]));
    return list;
  }

  static nb::list weight_of(const UserRule& rule, double w, const double* numbers,
                            const double* counts) {
    nb::list seen = listed(rule, &w, 1);
    seen.extend(listed(rule, numbers, rule.numbers_));
    seen.extend(listed(rule, counts, rule.counts_));
    return seen;
  }

  static double rate_one(const double* p, const double* numbers) {
    return as_double(of(p).rate_(*listed(of(p), numbers, of(p).numbers_)));
  }

  // Numbers become what a method returns, unless it raises or returns something else.
  struct Numbers {
    double* first;
    int size;
  };
  static void become(const nb::object& result, std::initializer_list<Numbers> all) {
    const nb::tuple after(result);
    double values[1 + MOST_NUMBERS + MOST_COUNTS] = {};
    int total = 0;
    for (const Numbers& numbers : all) total += numbers.size;
    if (int(after.size()) != total)
      throw nb::value_error("A weight must become as many numbers as it had, with itself.");
    for (int n = 0; n < total; ++n) values[n] = as_double(after[n]);
    const double* next = values;
    for (const Numbers& numbers : all)
      for (int n = 0; n < numbers.size; ++n) numbers.first[n] = *next++;
  }

  static void begin_one(const double* p, double* counts) {
    const UserRule& rule = of(p);
    nb::object after = rule.begin_(*listed(rule, counts, rule.counts_));
    if (rule.counts_ == 1) after = nb::make_tuple(after);
    become(after, {{counts, rule.counts_}});
  }

  static void touch_one(const double* p, double& w, double* numbers, double* counts, double x) {
    const UserRule& rule = of(p);
    nb::list seen = weight_of(rule, w, numbers, counts);
    seen.append(rule.number(x));
    become(rule.touch_(*seen), {{&w, 1}, {numbers, rule.numbers_}, {counts, rule.counts_}});
  }

  static void move_one(const double* p, double& w, double* numbers, double* counts, double x, double g,
                       double part) {
    const UserRule& rule = of(p);
    nb::list seen = weight_of(rule, w, numbers, counts);
    seen.append(rule.number(x)), seen.append(rule.number(g));
    if (rule.part_.is_valid()) seen.append(rule.number(part));
    become(rule.move_(*seen), {{&w, 1}, {numbers, rule.numbers_}});
  }

  static double part(const double* p, double score, double y, double change) {
    const UserRule& rule = of(p);
    return as_double(rule.part_(rule.number(score), rule.number(y), rule.number(change)));
  }

  static Rule weightwise(const UserRule& user) {
    Rule rule = with_loss(Kind::weightwise, false);
    rule.gradient = gradient;
    rule.softmax = user.softmax_;
    rule.touches = user.touch_.is_valid(), rule.numbers = user.numbers_;
    rule.rate_one = user.rate_.is_valid() ? rate_one : nullptr;
    rule.counts = user.counts_;
    rule.part = user.part_.is_valid() ? part : nullptr;
    rule.begin_one = begin_one;
    rule.touch_one = touch_one;
    rule.move_one = move_one;
    return rule;
  }

  static Rule with_loss(Kind kind, bool reads_sqnorm) {
    Rule rule = {};
    rule.name = "of a user";
    rule.kind = kind;
    rule.reads_sqnorm = rule.weighted_reads_sqnorm = reads_sqnorm;
    rule.loss = loss;
    return rule;
  }
  static Rule plain(bool chooses) {
    Rule rule = with_loss(Kind::plain, true);
    rule.act = act;
    rule.overlap = chooses ? overlap : nullptr;
    return rule;
  }
  static Rule with_confidence(Kind kind) {
    Rule rule = with_loss(kind, false);
    rule.rates = Rates::called;
    rule.needs_variance = needs_variance;
    rule.confident = confident;
    rule.rate = rate;
    rule.shrinkage = shrinkage;
    return rule;
  }
  static Rule with_rescaling() {
    Rule rule = with_loss(Kind::rescaling, true);
    rule.rescale = rescale;
    return rule;
  }
};

UserRule::UserRule(nb::handle rule, const std::string& kind) {
  static const Rule PLAIN = UserFunctions::plain(false), CHOOSING = UserFunctions::plain(true),
                    CONFIDENT = UserFunctions::with_confidence(Kind::confident),
                    FULL = UserFunctions::with_confidence(Kind::full),
                    RESCALING = UserFunctions::with_rescaling();
  const nb::module_ numpy = nb::module_::import_("numpy");
  float64_ = numpy.attr("float64"), int64_ = numpy.attr("int64");
  loss_ = rule.attr("loss");
  if (kind == "rescaling") {
    functions_ = &RESCALING;
    rescale_ = rule.attr("rescale"), weighted_rescale_ = rule.attr("weighted_rescale");
    return;
  }
  if (kind == "weightwise") {
    numbers_ = int(nb::len(nb::object(rule.attr("numbers"))));
    if (numbers_ > MOST_NUMBERS) arrays::refuse("rule", "one of at most four numbers a weight");
    gradient_ = rule.attr("gradient"), weighted_gradient_ = rule.attr("weighted_gradient");
    move_ = rule.attr("move");
    softmax_ = as_bool(nb::getattr(rule, "softmax", nb::bool_(false)));
    if (nb::hasattr(rule, "counts")) {
      counts_ = int(nb::len(nb::object(rule.attr("counts"))));
      if (counts_ > MOST_COUNTS) arrays::refuse("rule", "one of at most two numbers a weight vector");
      begin_ = rule.attr("begin");
    }
    if (nb::hasattr(rule, "part")) part_ = rule.attr("part");
    if (nb::hasattr(rule, "touch")) touch_ = rule.attr("touch");
    if (nb::hasattr(rule, "rate")) rate_ = rule.attr("rate");
    own_functions_ = UserFunctions::weightwise(*this);
    functions_ = &own_functions_;
    return;
  }
  step_ = rule.attr("step"), weighted_step_ = rule.attr("weighted_step");
  if (kind == "plain") {
    const bool chooses = nb::hasattr(rule, "overlap");
    functions_ = chooses ? &CHOOSING : &PLAIN;
    if (chooses) overlap_ = rule.attr("overlap");
    return;
  }
  if (kind != "confident" && kind != "full") arrays::refuse("kind", "one of the kinds of rules");
  functions_ = kind == "full" ? &FULL : &CONFIDENT;
  needs_variance_ = rule.attr("needs_variance");
  rate_ = rule.attr("rate"), shrinkage_ = rule.attr("shrinkage");
}
