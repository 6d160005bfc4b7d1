#include "linear/compiled_rule.h"

#include <cmath>
#include <limits>

#include "boundary/arrays.h"

namespace nb = nanobind;

namespace {

// Compiled code that meets an error writes nothing.
constexpr double NOT_SAID = std::numeric_limits<double>::quiet_NaN();

const CompiledRule& of(const double* p) { return *reinterpret_cast<const CompiledRule*>(p); }

bool all_finite(double a, double b = 0.0) { return std::isfinite(a) && std::isfinite(b); }

// The result of a function of two numbers, or what the method says.
double result(const double* p, CompiledRule::OfTwo f, double (*called)(const double*, double, double),
              double a, double b) {
  double value = NOT_SAID;
  f(of(p).numbers.data(), a, b, &value);
  if (all_finite(value)) return value;
  nb::gil_scoped_acquire lock;
  return called(of(p).called.parameters(), a, b);
}

double loss(const double* p, double score, double y) {
  return result(p, of(p).loss, of(p).called.functions()->loss, score, y);
}
double overlap(const double* p, double score, double y) {
  return result(p, of(p).overlap, of(p).called.functions()->overlap, score, y);
}
bool needs_variance(const double* p, double score, double y) {
  double value = NOT_SAID;
  of(p).needs_variance(of(p).numbers.data(), score, y, &value);
  if (all_finite(value)) return value != 0.0;
  nb::gil_scoped_acquire lock;
  return of(p).called.functions()->needs_variance(of(p).called.parameters(), score, y);
}
double rate(const double* p, double before, double after) {
  return result(p, of(p).rate, of(p).called.functions()->rate, before, after);
}
double shrinkage(const double* p, double before, double after) {
  return result(p, of(p).shrinkage, of(p).called.functions()->shrinkage, before, after);
}
Outcome act(const double* p, double score, double y, double sqnorm, double weight) {
  double lost = NOT_SAID, tau = NOT_SAID;
  of(p).loss(of(p).numbers.data(), score, y, &lost);
  of(p).step(of(p).numbers.data(), score, y, sqnorm, weight, &tau);
  if (all_finite(lost, tau)) return {tau, lost};
  nb::gil_scoped_acquire lock;
  return of(p).called.functions()->act(of(p).called.parameters(), score, y, sqnorm, weight);
}
Pair confident(const double* p, double score, double y, double variance, double weight) {
  double results[2] = {NOT_SAID, NOT_SAID};
  of(p).step(of(p).numbers.data(), score, y, variance, weight, results);
  if (all_finite(results[0], results[1])) return {results[0], results[1]};
  nb::gil_scoped_acquire lock;
  return of(p).called.functions()->confident(of(p).called.parameters(), score, y, variance, weight);
}
Pair rescale(const double* p, double score, double y, const Seen& seen, double weight) {
  double results[2] = {NOT_SAID, NOT_SAID};
  of(p).rescale(of(p).numbers.data(), score, y, seen.sqnorm, seen.wsqnorm, seen.t, seen.updates, weight,
                results);
  if (all_finite(results[0], results[1])) return {results[0], results[1]};
  nb::gil_scoped_acquire lock;
  return of(p).called.functions()->rescale(of(p).called.parameters(), score, y, seen, weight);
}

template <class F>
void set(F& function, nb::dict rule, const char* name) {
  if (!rule.contains(name)) arrays::refuse("rule", "one with all functions of its kind");
  function = reinterpret_cast<F>(nb::cast<std::uintptr_t>(rule[name]));
}

}  // namespace

CompiledRule::CompiledRule(nb::dict rule, const std::string& kind) : called(rule["rule"], kind) {
  for (nb::handle number : nb::cast<nb::tuple>(rule["numbers"]))
    numbers.push_back(nb::cast<double>(number));
  functions.name = "compiled";
  functions.loss = ::loss;
  set(loss, rule, "loss");
  if (kind == "rescaling") {
    functions.kind = Kind::rescaling;
    functions.rescale = ::rescale;
    set(rescale, rule, "rescale");
  } else if (kind == "plain") {
    functions.kind = Kind::plain;
    functions.act = act;
    set(step, rule, "step");
    if (rule.contains("overlap")) {
      functions.overlap = ::overlap;
      set(overlap, rule, "overlap");
    }
  } else {
    if (kind != "confident" && kind != "full") arrays::refuse("kind", "one of the kinds of rules");
    functions.kind = kind == "full" ? Kind::full : Kind::confident;
    functions.rates = Rates::called;
    functions.confident = confident;
    functions.needs_variance = ::needs_variance;
    functions.rate = ::rate;
    functions.shrinkage = ::shrinkage;
    set(step, rule, "step");
    set(needs_variance, rule, "needs_variance");
    set(rate, rule, "rate");
    set(shrinkage, rule, "shrinkage");
  }
  functions.reads_sqnorm = functions.weighted_reads_sqnorm = kind == "plain" || kind == "rescaling";
}
