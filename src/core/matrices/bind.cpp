// rosenblatt._core.matrices: the functions that Python sees.

#include <algorithm>
#include <optional>

#include "bindings.h"
#include "buffers.h"
#include "matrices/moments.h"
#include "matrices/shuffle.h"
#include "matrices/structure.h"

namespace {

namespace nb = nanobind;
using buffers::AnyBuffer;
using buffers::Buffer;
using buffers::i64;
using buffers::Table;

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

// Call f(rows, n, d, entries) for the rows of a matrix: (X,), or (data, indices, indptr) of d columns.
template <class F>
void with_rows(nb::tuple rows, i64 d, F f) {
  if (nb::len(rows) == 1) {
    AnyBuffer X(rows[0], "X", 2, false);
    X.check_columns(d);
    const i64 size = X.size() * X.columns();
    if (X.holds<float>())
      f(DenseEntries<float>{X.numbers<const float>(), d}, X.size(), size, float());
    else
      f(DenseEntries<double>{X.numbers<const double>(), d}, X.size(), size, double());
    return;
  }
  AnyBuffer data(rows[0], "data", 1, false);
  Buffer<const std::uint32_t> indices(rows[1], "indices");
  Buffer<const i64> indptr(rows[2], "indptr");
  const i64 n = indptr.size() - 1;
  if (!is_canonical(indices.data(), indptr.data(), n, std::min(indices.size(), data.size()), d))
    throw std::invalid_argument("The rows point outside of their arrays.");
  if (data.holds<float>())
    f(SparseEntries<float>{data.numbers<const float>(), indices.data(), indptr.data()}, n,
      data.size(), float());
  else
    f(SparseEntries<double>{data.numbers<const double>(), indices.data(), indptr.data()}, n,
      data.size(), double());
}

// The scaled values: an array with the shape of the rows' values.
template <class T>
struct Scaled {
  AnyBuffer values;
  Scaled(nb::handle array, const char* name, bool dense, i64 size) : values(array, name, 1 + dense, true) {
    if ((dense ? values.size() * values.columns() : values.size()) != size)
      throw std::invalid_argument(std::string(name) + " must have the shape of the rows.");
    data = values.numbers<T>();
  }
  T* data;
};

void bound_scale(nb::tuple rows, nb::handle order, nb::handle moments, nb::object Z) {
  const i64 d = i64(nb::len(nb::object(moments.attr("mean"))));
  MomentArrays arrays(moments, d);
  Buffer<const i64> numbers(order, "order");
  with_rows(rows, d, [&](auto entries, i64 n, i64 size, auto zero) {
    using T = decltype(zero);
    check_indices(numbers, "order", n);
    std::optional<Scaled<T>> scaled;
    if (!Z.is_none()) scaled.emplace(Z, "Z", nb::len(rows) == 1, size);
    T* target = scaled ? scaled->data : nullptr;
    nb::gil_scoped_release release;
    scale_rows(entries, numbers.data(), numbers.size(), arrays.view(), target);
  });
}

void bound_scale_in_turn(nb::tuple rows, nb::handle learned, i64 first, nb::handle moments,
                         nb::handle P, nb::handle Z) {
  const i64 d = i64(nb::len(nb::object(moments.attr("mean"))));
  MomentArrays arrays(moments, d);
  Buffer<const i64> numbers(learned, "learned");
  with_rows(rows, d, [&](auto entries, i64 n, i64 size, auto zero) {
    using T = decltype(zero);
    if (first < 0 || numbers.size() > n - first)
      throw std::invalid_argument("first and learned must be of the rows.");
    for (i64 k = 0; k < numbers.size(); ++k)
      if (numbers[k] >= n) throw std::invalid_argument("learned must be of the rows.");
    const bool dense = nb::len(rows) == 1;
    Scaled<T> before(P, "P", dense, size), after(Z, "Z", dense, size);
    nb::gil_scoped_release release;
    scale_in_turn(entries, numbers.data(), numbers.size(), first, arrays.view(), before.data, after.data);
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
  module.def("scale_in_turn", bound_scale_in_turn, nb::arg("rows"), nb::arg("learned"),
             nb::arg("first"), nb::arg("moments"), nb::arg("P"), nb::arg("Z"));
}
