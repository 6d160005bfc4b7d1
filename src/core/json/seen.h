// The hashes of the names of a row, so that none comes twice.

#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace rosenblatt::json {

class Seen {
 public:
  Seen() : places_(64) {}

  // Forget all hashes.
  void clear() {
    ++row_;
    size_ = 0;
  }

  // Whether a hash is new: false for a name that comes twice, and for some that do not. A table of
  // hashes that someone has chosen to collide is given up, too.
  bool add(std::uint64_t hash) {
    if (2 * ++size_ > places_.size()) {
      std::vector<Place> before(4 * places_.size());
      before.swap(places_);
      for (const Place& place : before)
        if (place.row == row_ && !insert(place.hash)) return false;
    }
    return insert(hash);
  }

 private:
  static constexpr int PROBES = 64;  // half of the places are free: a run of 64 is no chance

  struct Place {
    std::uint64_t hash = 0, row = 0;
  };

  bool insert(std::uint64_t hash) {
    std::size_t at = std::size_t(hash >> 7);
    for (int probe = 0; probe < PROBES; ++probe, ++at) {
      Place& place = places_[at & (places_.size() - 1)];
      if (place.row != row_) {
        place = {hash, row_};
        return true;
      }
      if (place.hash == hash) return false;
    }
    return false;
  }

  std::vector<Place> places_;  // a power of two
  std::uint64_t row_ = 1;
  std::size_t size_ = 0;
};

}  // namespace rosenblatt::json
