// Counters of the branches that the core takes, for libFuzzer: linked into the core of `make fuzz`.
//
// GCC calls the function at each branch of the core. A branch has the counter of its address's hash,
// as in AFL: two that share one are rare in 2¹⁶, and cost the fuzzer a hint.

#include <cstdint>

extern "C" {

__attribute__((visibility("default"))) std::uint8_t branch_counters[1 << 16];

// Hidden, so that the core calls this one, and not the empty one of the sanitizers' library.
__attribute__((visibility("hidden"), no_sanitize_coverage)) void __sanitizer_cov_trace_pc() {
  const auto address = reinterpret_cast<std::uintptr_t>(__builtin_return_address(0));
  ++branch_counters[(address * 0x9E3779B97F4A7C15u) >> 48];
}
}
