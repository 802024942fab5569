// SPDX-License-Identifier: Apache-2.0
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "test/fuzz/targets.h"

// libFuzzer's entry: `fuzzer --target=NAME CORPUS…`.
namespace {

constexpr std::string_view kFlag = "--target=";
chartwright::fuzz::Run chosen = nullptr;

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    for (const chartwright::fuzz::Target& target : chartwright::fuzz::targets()) {
      if (argument.starts_with(kFlag) && argument.substr(kFlag.size()) == target.name) {
        chosen = target.run;
      }
    }
  }
  if (chosen == nullptr) {
    std::fputs("fuzzer: name a target with --target=NAME (test/fuzz/targets.cc)\n", stderr);
    std::exit(2);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  chosen({reinterpret_cast<const char*>(data), size});
  return 0;
}
