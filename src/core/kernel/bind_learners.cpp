// rosenblatt._core.kernel: the loops that learn a block of rows.

#include <algorithm>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "arithmetic/table.h"
#include "bindings.h"
#include "boundary/arrays.h"
#include "boundary/log.h"
#include "cpu.h"
#include "kernel/spec.h"

namespace {

namespace nb = nanobind;
using arrays::AnyBuffer;
using arrays::Buffer;
using arrays::check_indices;
using arrays::i64;
using arrays::Table;

// The arrays of a State of engine/state.py over slots.
struct StateArrays {
  Table<double> W;
  Buffer<double> b;
  Table<double> U;
  Buffer<double> ub, area, losses;
  Buffer<i64> t, errors, mistakes, updates;
  Buffer<const bool> active;

  std::deque<AnyBuffer> calibrated;
  CalibrationView calibration = {};

  explicit StateArrays(nb::handle state)
      : W(state.attr("W"), "W"),
        b(state.attr("b"), "b", W.columns()),
        U(state.attr("U"), "U"),
        ub(state.attr("ub"), "ub", W.columns()),
        area(state.attr("area"), "area", W.columns()),
        losses(state.attr("losses"), "losses", W.columns()),
        t(state.attr("t"), "t", 1),
        errors(state.attr("errors"), "errors", 1),
        mistakes(state.attr("mistakes"), "mistakes", W.columns()),
        updates(state.attr("updates"), "updates", W.columns()),
        active(state.attr("active"), "active", W.columns()) {
    if (U.size() > 0) {
      U.check_size(W.size());
      U.check_columns(W.columns());
    }
    const auto own = nb::cast<nb::dict>(state.attr("own"));
    if (own.contains("calibration.count")) read_calibration(own);
  }

  void read_calibration(nb::dict own) {
    const auto array = [&](const char* name) -> const AnyBuffer& {
      const auto key = std::string("calibration.") + name;
      return calibrated.emplace_back(own[key.c_str()], name, arrays::ANY_AXES, true);
    };
    const auto numbers = [&](const char* name) { return array(name).numbers<double>(W.columns()); };
    calibration = {array("count").numbers<i64>(1),
                   numbers("size"),
                   numbers("aa"),
                   numbers("ab"),
                   numbers("bb"),
                   numbers("a"),
                   numbers("b")};
  }

  SlotState view() const {
    return {W.data(),       b.data(),      U.size() > 0 ? U.data() : nullptr,
            ub.data(),      area.data(),   losses.data(),
            t.data(),       errors.data(), mistakes.data(),
            updates.data(), active.data(), W.columns(),
            calibration};
  }
};

// A Slots of engine/kernel/expansion.py.
struct SlotArrays {
  Buffer<i64> size, rows;
  Buffer<double> squares;
  i64 capacity;

  SlotArrays(nb::handle slots, const StateArrays& state)
      : size(slots.attr("size"), "size", 1),
        rows(slots.attr("rows"), "rows"),
        squares(slots.attr("squares"), "squares", state.W.columns()),
        capacity(std::min(rows.size(), state.W.size())) {
    if (size[0] < 0 || size[0] > capacity)
      throw std::invalid_argument("size must be within the capacity of the slots.");
  }
  SlotsView view() const { return {size.data(), rows.data(), squares.data()}; }
};

// Buffers of one example, for K weight vectors.
struct ExampleBuffers {
  std::vector<double> numbers;
  std::vector<i64> mistakes;
  explicit ExampleBuffers(i64 K) : numbers(6 * K), mistakes(K) {}
  StepBuffers view() {
    double* first = numbers.data();
    const i64 K = i64(mistakes.size());
    return {first,         first + K,     first + 2 * K,  first + 3 * K,
            first + 4 * K, first + 5 * K, mistakes.data()};
  }
};

void check_columns(const KernelUpdates& updates, const StateArrays& state) {
  if (state.W.columns() < updates.view.K)
    throw std::invalid_argument("W must have a column for each weight vector.");
}

// What both kinds of blocks have, by its names.
struct RowArrays {
  Buffer<const i64> y;
  Buffer<const double> weight;
  Buffer<const i64> example;
  Buffer<const double> diagonal;
  Buffer<const i64> first_equal;
  Buffer<i64> slot;

  RowArrays(nb::handle block, const KernelUpdates& updates, i64 slots)
      : y(block.attr("y"), "y"),
        weight(block.attr("weight"), "weight", y.size()),
        example(block.attr("example"), "example", y.size()),
        diagonal(block.attr("diagonal"), "diagonal", y.size()),
        first_equal(block.attr("first_equal"), "first_equal", y.size()),
        slot(block.attr("slot"), "slot", y.size()) {
    check_indices(y, "y", updates.classes());
    check_indices(first_equal, "first_equal", y.size());
    check_indices(slot, "slot", slots, -1);
  }
};

i64 learn_block(i64 start, nb::handle block, const KernelUpdates& updates, nb::handle state,
                nb::handle slots, nb::handle log) {
  const StateArrays arrays(state);
  const SlotArrays places(slots, arrays);
  const LogArrays record(log);
  check_columns(updates, arrays);
  const RowArrays rows(block, updates, places.size[0]);
  const i64 n = rows.y.size(), K = updates.view.K;
  const Table<double> scores(block.attr("scores"), "scores", K, n);
  const AnyBuffer gram(block.attr("gram_rows"), "gram_rows", 2, false);
  gram.check_columns(n);
  const bool single = gram.holds<float>();
  const void* values = single ? (const void*)gram.numbers<const float>() : gram.numbers<const double>();
  const Buffer<const i64> gram_row(block.attr("gram_row"), "gram_row", n);
  const Buffer<bool> pending(block.attr("pending"), "pending", n);
  check_indices(gram_row, "gram_row", gram.size(), -1);
  if (start < 0 || start > n) throw std::invalid_argument("start must be a row of the block.");
  if (places.capacity - places.size[0] < n - start)
    throw std::invalid_argument("The slots need a capacity for one more per row.");
  const i64 capacity = record.slot.size();
  if (capacity > 0 && (record.size[0] < 0 || capacity - record.size[0] < (n - start) * K))
    throw std::invalid_argument("The log needs a capacity for one step per row and weight vector.");
  const BlockView view = {rows.y.data(),
                          rows.weight.data(),
                          rows.example.data(),
                          scores.data(),
                          rows.diagonal.data(),
                          {values, single, gram.size(), n},
                          gram_row.data(),
                          rows.first_equal.data(),
                          rows.slot.data(),
                          pending.data(),
                          n};
  ExampleBuffers buffers(K);
  const LogView steps = record.view();
  std::optional<nb::gil_scoped_release> release;
  if (!updates.of_user()) release.emplace();
  return arithmetic().kernel->learn_block(start, view, updates.view, arrays.view(), places.view(),
                                          capacity > 0 ? &steps : nullptr, buffers.view());
}

const BudgetScheme* scheme_of(const std::string& name) {
  if (const BudgetScheme* scheme = arithmetic().kernel->budget_scheme(name.c_str())) return scheme;
  throw std::invalid_argument("There is no budget scheme " + name + ".");
}

void learn_on_budget(nb::handle block, const KernelUpdates& updates, const char* scheme, double eta,
                     nb::handle state, nb::handle slots, nb::handle budget_state) {
  const StateArrays arrays(state);
  const SlotArrays places(slots, arrays);
  check_columns(updates, arrays);
  const Buffer<i64> owner(block.attr("slot_owner"), "slot_owner");
  const i64 B = owner.size(), P = arrays.W.columns();
  const RowArrays rows(block, updates, B);
  const i64 n = rows.y.size();
  const Table<double> support_gram(block.attr("support_gram"), "support_gram", n, B);
  const Table<const double> block_gram(block.attr("block_gram"), "block_gram", n, n);
  const Buffer<double> projection(block.attr("projection"), "projection", B);
  const Buffer<i64> entered(budget_state.attr("entered"), "entered", B);
  const Table<double> gram(budget_state.attr("gram"), "gram"),
      inverse(budget_state.attr("inverse"), "inverse");
  const Buffer<double> spent(budget_state.attr("spent"), "spent", P),
      wrong(budget_state.attr("wrong"), "wrong", P);
  const Buffer<i64> random(budget_state.attr("random"), "random", 1);
  const BudgetScheme* kind = scheme_of(scheme);
  for (const auto* square : {&gram, &inverse})
    if (square == &gram ? kind->keeps_gram : kind->keeps_inverse) {
      square->check_size(B);
      square->check_columns(B);
    }
  if (B < 1 || places.size[0] > B || places.capacity < B)
    throw std::invalid_argument("The slots need the capacity of the budget.");
  const BudgetView view = {rows.y.data(),
                           rows.weight.data(),
                           rows.example.data(),
                           rows.first_equal.data(),
                           rows.slot.data(),
                           rows.diagonal.data(),
                           support_gram.data(),
                           block_gram.data(),
                           owner.data(),
                           projection.data(),
                           n,
                           B,
                           kind,
                           eta,
                           entered.data(),
                           gram.data(),
                           inverse.data(),
                           spent.data(),
                           wrong.data(),
                           random.data()};
  ExampleBuffers buffers(updates.view.K);
  std::optional<nb::gil_scoped_release> release;
  if (!updates.of_user()) release.emplace();
  arithmetic().kernel->learn_on_budget(view, updates.view, arrays.view(), places.view(), buffers.view());
}

}  // namespace

void bind_learners(nb::module_& module) {
  nb::class_<KernelUpdates>(module, "Updates")
      .def(nb::init<const char*, nb::tuple, nb::object, const char*, nb::handle, double, double, i64>(),
           nb::arg("name"), nb::arg("parameters"), nb::arg("rule"), nb::arg("scheme"),
           nb::arg("class_weight"), nb::arg("tie"), nb::arg("bias_sqnorm"), nb::arg("K"));
  module.def("learn_block", learn_block, nb::arg("start"), nb::arg("block"), nb::arg("updates"),
             nb::arg("state"), nb::arg("slots"), nb::arg("log"));
  module.def("learn_on_budget", learn_on_budget, nb::arg("block"), nb::arg("updates"), nb::arg("scheme"),
             nb::arg("eta"), nb::arg("state"), nb::arg("slots"), nb::arg("budget_state"));
}
