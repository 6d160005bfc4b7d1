// rosenblatt._core.matrices: the functions that Python sees.

#include <algorithm>
#include <optional>

#include "bindings.h"
#include "boundary/arrays.h"
#include "boundary/rows.h"
#include "matrices/moments.h"
#include "matrices/shuffle.h"
#include "matrices/structure.h"

void bind_scores(nanobind::module_& module);  // bind_scores.cpp

namespace {

namespace nb = nanobind;
using arrays::AnyBuffer;
using arrays::Buffer;
using arrays::i64;

void bound_shuffle(nb::handle order, std::uint32_t seed) {
  Buffer<i64> numbers(order, "order");
  nb::gil_scoped_release release;
  shuffle(numbers.data(), numbers.size(), seed);
}

bool bound_is_canonical(nb::handle indices, nb::handle indptr, i64 capacity, i64 d) {
  Buffer<const std::uint32_t> columns(indices, "indices");
  Buffer<const i64> pointers(indptr, "indptr");
  const i64 n = pointers.size() - 1, most = std::min(capacity, columns.size());
  nb::gil_scoped_release release;
  return is_canonical(columns.data(), pointers.data(), n, most, d);
}

template <class T>
bool compressed(const AnyBuffer& X, nb::handle data, nb::handle indices, nb::handle indptr) {
  Buffer<T> values(data, "data");
  Buffer<std::uint32_t> columns(indices, "indices", values.size());
  Buffer<i64> pointers(indptr, "indptr", X.size() + 1);
  nb::gil_scoped_release release;
  return compress(X.numbers<const T>(), X.size(), X.columns(), values.data(), columns.data(),
                  values.size(), pointers.data());
}

bool bound_compress(nb::handle matrix, nb::handle data, nb::handle indices, nb::handle indptr) {
  AnyBuffer X(matrix, "X", 2, false);
  return X.holds<float>() ? compressed<float>(X, data, indices, indptr)
                          : compressed<double>(X, data, indices, indptr);
}

// --- moments -------------------------------------------------------------------------------------

// The arrays of a Moments of engine/scaling.py.
struct MomentArrays {
  Buffer<i64> n_seen;
  Buffer<double> mean, squares;
  Buffer<const bool> centred;

  MomentArrays(nb::handle moments, i64 d)
      : n_seen(moments.attr("n_seen"), "n_seen", d),
        mean(moments.attr("mean"), "mean", d),
        squares(moments.attr("squares"), "squares", d),
        centred(moments.attr("centred"), "centred", d) {}

  Moments view() const { return {n_seen.data(), mean.data(), squares.data(), centred.data()}; }
};

// f(entries, zero) with the kind of rows, and a zero of their type.
template <class F>
void with_entries(const RowsView& rows, bool single, F f) {
  const auto with_type = [&](auto zero) {
    using T = decltype(zero);
    const auto* values = static_cast<const T*>(rows.values);
    if (rows.indptr) f(SparseEntries<T>{values, rows.indices, rows.indptr}, zero);
    else f(DenseEntries<T>{values, rows.d}, zero);
  };
  single ? with_type(float()) : with_type(double());
}

// The scaled values: an array with the shape of the rows' values.
template <class T>
struct Scaled {
  AnyBuffer values;
  T* data;
  Scaled(nb::handle array, const char* name, const RowsView& rows)
      : values(array, name, rows.indptr ? 1 : 2, true), data(values.numbers<T>()) {
    values.check_size(rows.indptr ? rows.entries : rows.n);
    if (!rows.indptr) values.check_columns(rows.d);
  }
};

i64 columns_of(nb::handle moments) { return i64(nb::len(nb::object(moments.attr("mean")))); }

void bound_scale(nb::tuple matrix, nb::handle order, nb::handle moments, nb::object Z) {
  const i64 d = columns_of(moments);
  const MomentArrays arrays(moments, d);
  const RowBuffers rows(matrix, d);
  const Buffer<const i64> numbers(order, "order");
  rows.check_rows();
  check_indices(numbers, "order", rows.view.n);
  with_entries(rows.view, rows.single, [&](const auto& entries, auto zero) {
    using T = decltype(zero);
    std::optional<Scaled<T>> scaled;
    if (!Z.is_none()) scaled.emplace(Z, "Z", rows.view);
    T* target = scaled ? scaled->data : nullptr;
    nb::gil_scoped_release release;
    scale_rows(entries, numbers.data(), numbers.size(), arrays.view(), target);
  });
}

void bound_scale_in_turn(nb::tuple matrix, nb::handle learned, i64 first, nb::handle moments,
                         nb::handle P, nb::handle Z) {
  const i64 d = columns_of(moments);
  const MomentArrays arrays(moments, d);
  const RowBuffers rows(matrix, d);
  const Buffer<const i64> numbers(learned, "learned");
  rows.check_rows();
  const i64 n = rows.view.n;
  if (first < 0 || first > n || numbers.size() > n - first)
    throw std::invalid_argument("first and learned must be of the rows.");
  for (i64 k = 0; k < numbers.size(); ++k)
    if (numbers[k] >= n) throw std::invalid_argument("learned must be of the rows.");
  with_entries(rows.view, rows.single, [&](const auto& entries, auto zero) {
    using T = decltype(zero);
    const Scaled<T> before(P, "P", rows.view), after(Z, "Z", rows.view);
    nb::gil_scoped_release release;
    scale_in_turn(entries, numbers.data(), numbers.size(), first, arrays.view(), before.data,
                  after.data);
  });
}

}  // namespace

void bind_matrices(nb::module_& module) {
  module.def("shuffle", bound_shuffle, nb::arg("order"), nb::arg("seed"));
  module.def("is_canonical", bound_is_canonical, nb::arg("indices"), nb::arg("indptr"),
             nb::arg("capacity"), nb::arg("d"));
  module.def("compress", bound_compress, nb::arg("X"), nb::arg("data"), nb::arg("indices"),
             nb::arg("indptr"));
  module.def("scale", bound_scale, nb::arg("rows"), nb::arg("order"), nb::arg("moments"),
             nb::arg("Z").none());
  module.def("scale_in_turn", bound_scale_in_turn, nb::arg("rows"), nb::arg("learned"), nb::arg("first"),
             nb::arg("moments"), nb::arg("P"), nb::arg("Z"));
  bind_scores(module);
}
