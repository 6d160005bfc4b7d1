// rosenblatt._core.records: the chain of a log.

#include <algorithm>
#include <cstring>
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
constexpr std::size_t DIGITS = 10;  // of a checksum or a size in decimals

Bytes bytes_of(nb::handle bytes) {
  if (!PyBytes_CheckExact(bytes.ptr())) throw std::invalid_argument("all must be bytes.");
  return {reinterpret_cast<const Byte*>(PyBytes_AsString(bytes.ptr())),
          std::size_t(PyBytes_Size(bytes.ptr()))};
}

// What stands before the body of a record: model, version, kind and time, the lowest byte first.
struct Head {
  i64 model, version, kind;
  double time;
};
static_assert(sizeof(Head) == 32 && __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__);

// Writes a number in DIGITS decimal digits.
void write(std::uint64_t number, char* digits) {
  for (std::size_t k = DIGITS; k-- > 0; number /= 10) digits[k] = char('0' + number % 10);
}

// See chain_records in engine/serving/records.py.
nb::tuple chain_records(nb::bytes bodies, nb::bytes ends, i64 model, i64 first, i64 kind, double time,
                        nb::bytes salts, nb::bytes chain, bool instructions) {
  if (instructions && !has_sha_instructions())
    throw std::invalid_argument("The processor has no instructions for SHA-256.");
  const Bytes all = bytes_of(bodies), of_ends = bytes_of(ends), salt = bytes_of(salts),
              before = bytes_of(chain);
  const std::size_t n = of_ends.size / sizeof(i64);
  if (of_ends.size % sizeof(i64)) throw std::invalid_argument("ends must be integers of 64 bits.");
  if (salt.size != SALT * n) throw std::invalid_argument("salts must have 16 bytes each.");
  Digest last;
  if (before.size != last.size()) throw std::invalid_argument("chain must have 32 bytes.");
  std::vector<i64> stops(n);
  if (n) std::memcpy(stops.data(), of_ends.data, of_ends.size);
  for (std::size_t i = 0; i < n; ++i)
    if (stops[i] < (i ? stops[i - 1] : 0) || std::size_t(stops[i]) > all.size)
      throw std::invalid_argument("ends must rise, up to the end of the bodies.");
  std::string sums(2 * DIGITS * n, '0'), values;
  {
    const nb::gil_scoped_release unlocked;
    std::copy_n(before.data, last.size(), last.data());
    Head head = {model, first, kind, time};
    const Bytes of_head = {reinterpret_cast<const Byte*>(&head), sizeof head};
    values.reserve(last.size() * n);
    i64 start = 0;
    for (std::size_t i = 0; i < n; start = stops[i++], ++head.version) {
      const Bytes body = {all.data + start, std::size_t(stops[i] - start)};
      Sha256 commitment(instructions), value(instructions);
      commitment.add({salt.data + SALT * i, SALT});
      commitment.add(of_head);
      commitment.add(body);
      const Digest committed = commitment.digest();
      value.add({last.data(), last.size()});
      value.add({committed.data(), committed.size()});
      last = value.digest();
      values.append(reinterpret_cast<const char*>(last.data()), last.size());
      char* digits = sums.data() + 2 * DIGITS * i;
      write(crc32(body, crc32(of_head, 0)), digits);
      write(body.size, digits + DIGITS);
    }
  }
  return nb::make_tuple(nb::bytes(sums.data(), sums.size()), nb::bytes(values.data(), values.size()));
}

}  // namespace

void bind_records(nb::module_& module) {
  module.def("chain_records", &chain_records, nb::arg("bodies"), nb::arg("ends"), nb::arg("model"),
             nb::arg("first"), nb::arg("kind"), nb::arg("time"), nb::arg("salts"), nb::arg("chain"),
             nb::arg("instructions") = has_sha_instructions());
  module.attr("has_sha_instructions") = has_sha_instructions();
}
