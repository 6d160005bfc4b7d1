#include "linear/compiled_rule.h"

#include "boundary/arrays.h"

namespace nb = nanobind;

namespace {

const CompiledRule& of(const double* p) { return *reinterpret_cast<const CompiledRule*>(p); }

double loss(const double* p, double score, double y) {
  return of(p).loss(of(p).numbers.data(), score, y);
}
double overlap(const double* p, double score, double y) {
  return of(p).overlap(of(p).numbers.data(), score, y);
}
bool needs_variance(const double* p, double score, double y) {
  return of(p).needs_variance(of(p).numbers.data(), score, y) != 0.0;
}
double rate(const double* p, double before, double after) {
  return of(p).rate(of(p).numbers.data(), before, after);
}
double shrinkage(const double* p, double before, double after) {
  return of(p).shrinkage(of(p).numbers.data(), before, after);
}
Outcome act(const double* p, double score, double y, double sqnorm, double weight) {
  const double* numbers = of(p).numbers.data();
  return {of(p).step(numbers, score, y, sqnorm, weight), of(p).loss(numbers, score, y)};
}
Pair confident(const double* p, double score, double y, double variance, double weight) {
  double results[2];
  of(p).confident_step(of(p).numbers.data(), score, y, variance, weight, results);
  return {results[0], results[1]};
}
Pair rescale(const double* p, double score, double y, const Seen& seen, double weight) {
  double results[2];
  of(p).rescale(of(p).numbers.data(), score, y, seen.sqnorm, seen.wsqnorm, seen.t, seen.updates,
                weight, results);
  return {results[0], results[1]};
}

template <class F>
void set(F& function, nb::dict rule, const char* name) {
  if (!rule.contains(name)) arrays::refuse("rule", "one with all functions of its kind");
  function = reinterpret_cast<F>(nb::cast<std::uintptr_t>(rule[name]));
}

}  // namespace

CompiledRule::CompiledRule(nb::dict rule, const std::string& kind) {
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
    set(confident_step, rule, "step");
    set(needs_variance, rule, "needs_variance");
    set(rate, rule, "rate");
    set(shrinkage, rule, "shrinkage");
  }
  functions.reads_sqnorm = functions.weighted_reads_sqnorm = kind == "plain" || kind == "rescaling";
}
