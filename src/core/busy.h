// What must not be used again before a call has ended.

#pragma once

#include <stdexcept>

// Held during a call that may run code of Python; another call meanwhile is refused.
class Busy {
 public:
  Busy(bool& busy, const char* refusal) : busy_(busy) {
    if (busy_) throw std::runtime_error(refusal);
    busy_ = true;
  }
  Busy(const Busy&) = delete;
  ~Busy() { busy_ = false; }

 private:
  bool& busy_;
};
