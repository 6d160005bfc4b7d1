// What an epoch works on: rows, labels, the state, the rule and its options, as plain pointers.
//
// Everything here is data, shared by all instruction sets; learner.cpp checks every length, and
// all indices but the columns of sparse rows, which as_rows has checked.

#pragma once

#include <cstdint>

// --- rules ---------------------------------------------------------------------------------------

// The step τ of one example, and its loss.
struct Outcome {
  double tau, loss;
};

// (τ, β) of a rule with a confidence, (factor, τ) of a rule that rescales.
struct Pair {
  double first, second;
};

// What a rule that rescales sees besides score and label: ‖x‖², ‖w‖², examples and updates before.
struct Seen {
  double sqnorm, wsqnorm;
  std::int64_t t, updates;
};

enum class Kind { plain, confident, full, weightwise, rescaling, blended };

// Most numbers that a rule keeps for each weight. That of theory/rule_kinds.py.
constexpr int MOST_NUMBERS = 4;
// Most numbers that it keeps for each weight vector, likewise.
constexpr int MOST_COUNTS = 2;

// Learners that a blended rule has, and terms of their blend: a score of each, and a constant.
// Those of theory/rules/auto.py.
constexpr int EXPERTS = 3, TERMS = EXPERTS + 1;

// What a blended rule keeps, see arithmetic/blend.h and theory/rules/auto.py.
struct BlendView {
  double *columns, *sums;            // (d + 1, blend_stride(P)), (d, 2)
  std::int64_t *seen, *dense;        // (d, 1)
  double* totals;                    // (2,)
  std::int64_t* lists;               // (2,)
  double *coefficients, *precision;  // (TERMS,), (TERMS²,), in one array
  double* offsets;                   // (P,): the logarithms of the classes' weights
};

// Numbers of all learners and classes, whole vectors; and what is kept of a column: twice so many, and
// two. That of engine/blend.py.
inline std::int64_t blend_slots(std::int64_t P) { return P == 1 ? EXPERTS + 1 : EXPERTS * P; }
inline std::int64_t blend_stride(std::int64_t P) { return P == 1 ? 8 : 2 * EXPERTS * P + 8; }

// A row, and the weight vectors with the numbers of a weightwise rule: K of P columns. The values
// are of float as the weights, or of double.
struct Walk {
  const void* values = nullptr;
  const std::uint32_t* indices = nullptr;  // null for a dense row
  std::int64_t count = 0;
  bool single = false;
  void* W = nullptr;
  double* numbers[MOST_NUMBERS] = {};
  int size = 0;  // of the numbers
  double* counts[MOST_COUNTS] = {};
  int counted = 0;               // how many counts
  double* U = nullptr;           // the lazy sum of an average, or null
  const double* area = nullptr;  // its factors, or null: t
  double t = 0.0;
  std::int64_t P = 1, K = 1;
};

// How the rate s of a weight follows from its sum c: 1/(1 + c) before the example, 1/√c after it,
// 1/(a + c) after it with weights that shrink; or by calls of rate and shrinkage.
enum class Rates { none, of_variance_before, of_gradients, of_sum, called };

// Scores and labels of one example for all classes, one-vs-rest.
struct OneVsRest {
  const double* scores;
  std::int64_t label, K;
  double sqnorm, own_weight, rest_weight, tie;
  const std::int64_t* active;  // −1 or 0 for each class
  double *taus, *losses;       // taus are written, losses and mistakes added to
  std::int64_t* mistakes;
};

struct Rule {
  const char* name;
  Kind kind;
  bool reads_sqnorm, weighted_reads_sqnorm;  // step; weighted_step
  Outcome (*act)(const double* p, double score, double y, double sqnorm, double weight);
  // The steps of all classes, or null; returns whether any is not zero.
  bool (*act_on_all)(const double* p, const OneVsRest& example);
  Rates rates;
  double (*regularisation)(const double* p);  // a of Rates::of_sum
  bool (*needs_variance)(const double* p, double score, double y);
  Pair (*confident)(const double* p, double score, double y, double variance, double weight);
  Pair (*rescale)(const double* p, double score, double y, const Seen& seen, double weight);
  double (*loss)(const double* p, double score, double y);
  double (*overlap)(const double* p, double score, double y);    // of a rule that chooses its row
  double (*rate)(const double* p, double before, double after);  // of Rates::called
  double (*shrinkage)(const double* p, double before, double after);
  // Of a weightwise rule; `which` has −1 for a column that moves, else 0.
  int numbers, counts;  // how many it keeps for each weight, and for each weight vector
  bool touches;
  bool softmax;  // its loss is the logistic one: a joint model descends on that of all classes
  double (*gradient)(const double* p, double score, double y, double variance, double weight);
  void (*begin)(const double* p, const Walk& walk, const std::int64_t* which);
  void (*touch)(const double* p, const Walk& walk, const std::int64_t* which);
  // `parts` of a rule with part, else null. `changes` is by how much whole steps change the scores.
  void (*move)(const double* p, const Walk& walk, const std::int64_t* which, const double* g,
               const double* parts);
  void (*change)(const double* p, const Walk& walk, const double* g, double* changes);
  double (*part)(const double* p, double score, double y, double change);
  double (*rate_one)(const double* p, const double* numbers);  // of one weight; null: no variance
  // The same of one weight, by a rule of a user's.
  void (*begin_one)(const double* p, double* counts);
  void (*touch_one)(const double* p, double& w, double* numbers, double* counts, double x);
  void (*move_one)(const double* p, double& w, double* numbers, double* counts, double x, double g,
                   double part);
};

// --- data ----------------------------------------------------------------------------------------

// Rows of a matrix, dense in C order or CSR, of float or double as the weights.
struct RowsView {
  const void* values;            // (n, d), or (nnz,)
  const std::uint32_t* indices;  // (nnz,)
  const std::int64_t* indptr;    // (n + 1,), null for dense rows
  std::int64_t n, d;
  std::int64_t entries;  // of sparse rows
};

// What a calibration keeps, by the names of theory/calibration.py without their beginning; null where
// there is none.
struct CalibrationView {
  std::int64_t* count;
  double *size, *aa, *ab, *bb, *a, *b;
};

// The arrays of a State of engine/state.py, by its names; null where an array has no rows. Those
// that a rule keeps are of its kind: OWN_FIELDS of theory/rule_kinds.py.
struct StateView {
  void* W;
  double *b, *scale, *U, *ub, *area;
  void* Q;
  double* owed;
  double *C, *cb, *S, *norms, *norm_errors;
  double *numbers[MOST_NUMBERS], *numbers_of_b[MOST_NUMBERS];
  int size;  // of the numbers
  double* counts[MOST_COUNTS];
  BlendView blend;
  CalibrationView calibration;
  std::int64_t *t, *errors, *mistakes, *updates;
  double* losses;
  bool* active;
  std::int64_t* run;
  void* champion_W;
  double* champion_b;
  std::int64_t d, P;
};

enum class Scheme { none, one_vs_rest, joint };

struct Spec {
  const Rule* rule;
  const double* parameters;
  Scheme scheme;
  const double* class_weight;
  std::int64_t K;
  double tie;
  bool intercept;
  double bias_sqnorm;
  bool penalised;
  double decay, truncation;
  bool average, pocket;
  bool calibrates, calibrates_average;  // the scores of the last weights, or of their average
};

// Where steps are recorded: a StepLog of engine/steps.py, with capacity for all there can be.
struct LogView {
  std::int64_t *slot, *column;
  double* tau;
  std::int64_t *t, *size;
};

struct Problem {
  RowsView rows;
  const void* y;  // double without a scheme, else int64
  const double* weight;
  const std::int64_t* order;
  std::int64_t m;
  StateView state;
  Spec spec;
  const LogView* log;  // or null
  double* work;        // work_size(state, spec) doubles, aligned to 64 bytes
};

// What a loop returns if no step made a weight infinite: whether what its last row sees is finite,
// or the weights had left the range before. Those of engine/linear/loops.py.
constexpr std::int64_t FINITE = -1, BEYOND = -2;

// Rows that are scored at once.
constexpr std::int64_t BLOCK_ROWS = 4;

// Columns of the work arrays: P, in whole vectors.
inline std::int64_t work_columns(std::int64_t P) { return (P + 7) / 8 * 8; }

inline std::int64_t work_size(const StateView& state, const Spec& spec) {
  const std::int64_t columns = work_columns(state.P);
  const std::int64_t projections = spec.rule->kind == Kind::full ? state.P * (state.d + 1) : 0;
  const std::int64_t blended = spec.rule->kind == Kind::blended ? columns * (6 * EXPERTS + 2) : 0;
  return columns * (BLOCK_ROWS + 15) + projections + blended;
}
