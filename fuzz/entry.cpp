// What libFuzzer calls; FUZZ_TARGET is one of targets.hpp.
#include "fuzz/targets.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  maskbench::fuzz::FUZZ_TARGET({reinterpret_cast<const char*>(data), size});
  return 0;
}
