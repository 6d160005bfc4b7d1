// Arrays that Python will own.

#pragma once

#include <cstdint>
#include <cstdlib>
#include <memory>
#include <new>

#if defined(__linux__)
#include <sys/mman.h>
#endif

#include "text/text.h"

namespace rosenblatt::text {

// Asks for large pages, as NumPy does for its arrays: the first touch of each page costs more than
// to write it.
inline void use_large_pages([[maybe_unused]] void* memory, [[maybe_unused]] std::size_t size) {
#if defined(__linux__)
  constexpr std::size_t PAGE = 4096, LARGE = std::size_t{1} << 22;
  if (size < LARGE) return;
  const std::size_t offset = PAGE - reinterpret_cast<std::uintptr_t>(memory) % PAGE;
  madvise(static_cast<char*>(memory) + offset, size - offset, MADV_HUGEPAGE);
#endif
}

// An array that is not initialised, of which Python gets the first rows.
template <class T>
class Column {
 public:
  explicit Column(i64 size) {
    const std::size_t bytes = static_cast<std::size_t>(size + 1) * sizeof(T);
    data_.reset(static_cast<T*>(std::malloc(bytes)));
    if (!data_) throw std::bad_alloc();
    use_large_pages(data_.get(), bytes);
  }
  T& operator[](i64 i) { return data_.get()[i]; }
  const T& operator[](i64 i) const { return data_.get()[i]; }
  T* data() { return data_.get(); }
  const T* data() const { return data_.get(); }
  T* release() { return data_.release(); }

 private:
  struct Free {
    void operator()(T* data) const { std::free(data); }
  };
  std::unique_ptr<T, Free> data_;
};

}  // namespace rosenblatt::text
