// rosenblatt._core.names: the functions that Python sees.

#include <nanobind/stl/optional.h>

#include "bindings.h"
#include "names/path.h"

namespace {

nanobind::bytes bytes(const void* data, std::size_t size) {
  return nanobind::bytes(static_cast<const char*>(data), size);
}

}  // namespace

void bind_names(nanobind::module_& module) {
  namespace nb = nanobind;
  using names::Block;
  using names::Encoder;
  using names::Path;
  nb::class_<Block>(module, "Block")
      .def("__len__", &Block::rows)
      .def_prop_ro("labels", [](const Block& block) { return block.labels; })
      .def_prop_ro("bodies",
                   [](const Block& block) { return bytes(block.bodies.data(), block.bodies.size()); })
      .def_prop_ro("ends",
                   [](const Block& block) {
                     return bytes(block.ends.data(), sizeof(std::int64_t) * block.ends.size());
                   })
      .def("extend", &Block::extend, nb::arg("other"))
      .def(
          "weights",
          [](const Block& block, std::int64_t start, std::int64_t stop) {
            if (start > stop) throw std::invalid_argument("start must not be above stop.");
            block.check_part(start, start < 0 ? 0 : stop - start);
            nb::list weights;
            for (std::int64_t i = start; i < stop; ++i) weights.append(block.weights[std::size_t(i)]);
            return weights;
          },
          nb::arg("start"), nb::arg("stop"));
  nb::class_<Encoder>(module, "Encoder")
      .def(nb::init<nb::dict, std::optional<names::i64>, nb::callable, names::i64>(),
           nb::arg("vocabulary"), nb::arg("limit").none(), nb::arg("as_numbers"), nb::arg("ignored"))
      .def("encode", &Encoder::encode, nb::arg("features"), nb::arg("add_names"))
      .def("encode_row", &Encoder::encode_row, nb::arg("block"), nb::arg("i"), nb::arg("add_names"))
      .def("encode_block", &Encoder::encode_block, nb::arg("block"))
      .def("encode_many", &Encoder::encode_many, nb::arg("rows"), nb::arg("add_names"))
      .def("arrays", &Encoder::arrays)
      .def_prop_ro("ignored", &Encoder::ignored);
  auto path = nb::class_<Path>(module, "Path")
                  .def(nb::init<Encoder&, RowScorer&, Learner*>(), nb::arg("encoder"), nb::arg("scorer"),
                       nb::arg("learner").none(), nb::keep_alive<1, 2>(), nb::keep_alive<1, 3>(),
                       nb::keep_alive<1, 4>())
                  .def("predict", &Path::predict, nb::arg("features"))
                  .def("learn", &Path::learn, nb::arg("features"), nb::arg("y"), nb::arg("weight"),
                       nb::arg("predict"))
                  .def("learn_rows", &Path::learn_rows, nb::arg("block"), nb::arg("start"), nb::arg("y"),
                       nb::arg("weight"));
  path.attr("BEYOND") = Path::BEYOND;
  path.attr("INFINITE") = Path::INFINITE;
}
