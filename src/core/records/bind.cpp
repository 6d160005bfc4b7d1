// rosenblatt._core.records: the chain of a log.

#include <nanobind/stl/string.h>

#include <algorithm>
#include <string>
#include <vector>

#include "bindings.h"
#include "records/crc32.h"
#include "records/sha256.h"

namespace {

namespace nb = nanobind;
using namespace records;
using i64 = std::int64_t;

constexpr std::size_t SALT = 16;
constexpr std::size_t DIGITS = 10;  // of a checksum

Bytes bytes_of(nb::handle bytes) {
  if (!PyBytes_CheckExact(bytes.ptr())) throw std::invalid_argument("bodies must be bytes.");
  return {reinterpret_cast<const Byte*>(PyBytes_AsString(bytes.ptr())),
          std::size_t(PyBytes_Size(bytes.ptr()))};
}

// What stands before the body of a record: model, version, kind and time, the lowest byte first.
struct Head {
  i64 model, version, kind;
  double time;
};
static_assert(sizeof(Head) == 32 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

// The checksums of records in decimal digits, and their values of the chain; see chain_records in
// engine/text/records.py.
nb::tuple chain_records(nb::list bodies, i64 model, i64 first, i64 kind, double time, nb::bytes salts,
                        nb::bytes chain, bool instructions) {
  if (instructions && !has_sha_instructions())
    throw std::invalid_argument("The processor has no instructions for SHA-256.");
  std::vector<Bytes> records;
  for (const nb::handle body : bodies) records.push_back(bytes_of(body));
  const Bytes salt = bytes_of(salts), before = bytes_of(chain);
  if (salt.size != SALT * records.size()) throw std::invalid_argument("salts must have 16 bytes each.");
  Digest last;
  if (before.size != last.size()) throw std::invalid_argument("chain must have 32 bytes.");
  std::string sums(DIGITS * records.size(), '0'), values;
  {
    const nb::gil_scoped_release unlocked;
    std::copy_n(before.data, last.size(), last.data());
    Head head = {model, first, kind, time};
    const Bytes of_head = {reinterpret_cast<const Byte*>(&head), sizeof head};
    for (std::size_t i = 0; i < records.size(); ++i, ++head.version) {
      Sha256 commitment(instructions), value(instructions);
      commitment.add({salt.data + SALT * i, SALT});
      commitment.add(of_head);
      commitment.add(records[i]);
      const Digest committed = commitment.digest();
      value.add({last.data(), last.size()});
      value.add({committed.data(), committed.size()});
      last = value.digest();
      values.append(reinterpret_cast<const char*>(last.data()), last.size());
      std::uint32_t sum = crc32(records[i], crc32(of_head, 0));
      for (std::size_t k = DIGITS * (i + 1); sum > 0; sum /= 10) sums[--k] = char('0' + sum % 10);
    }
  }
  return nb::make_tuple(nb::bytes(sums.data(), sums.size()), nb::bytes(values.data(), values.size()));
}

}  // namespace

void bind_records(nb::module_& module) {
  module.def("chain_records", &chain_records, nb::arg("bodies"), nb::arg("model"), nb::arg("first"),
             nb::arg("kind"), nb::arg("time"), nb::arg("salts"), nb::arg("chain"),
             nb::arg("instructions") = has_sha_instructions());
  module.attr("has_sha_instructions") = has_sha_instructions();
}
