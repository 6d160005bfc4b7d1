// What the processor can do. cmake/CMakeLists.txt asks, too, while it builds.

#pragma once

#include <string>

// Whether it has an instruction set of cmake/CMakeLists.txt.
inline bool has(const std::string& set) {
#if defined(__x86_64__)
  __builtin_cpu_init();
  const bool avx2 = __builtin_cpu_supports("avx2");
  if (set == "avx2") return avx2;
  if (set == "avx512")
    return avx2 && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw");
#endif
  return set == "baseline";
}
