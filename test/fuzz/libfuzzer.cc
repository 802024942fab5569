// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "test/fuzz/release.h"
#include "test/fuzz/section_mutator.h"
#include "test/fuzz/targets.h"

// Entry points for libFuzzer: `fuzzer --target=NAME CORPUS…`.
namespace {

using chartwright::fuzz::Shape;

constexpr std::string_view kFlag = "--target=";
const chartwright::fuzz::Target* chosen = nullptr;

// Printed at exit; shows how many inputs got through each stage.
void print_release_record() {
  const chartwright::fuzz::ReleaseRecord& all = chartwright::fuzz::release_record();
  std::fprintf(stderr,
               "chart_release: %zu inputs: %zu loaded, %zu rendered, %zu applied, %zu ended by the "
               "budget; one stage held %zu bytes and took %lld ms at most\n",
               all.inputs, all.loaded, all.rendered, all.applied, all.exhausted, all.heap_bytes,
               static_cast<long long>(all.cpu.count() / 1'000'000));
}

}  // namespace

extern "C" size_t LLVMFuzzerMutate(unsigned char* data, size_t size, size_t size_max);

namespace {

std::string mutate_bytes(std::string_view text, size_t bytes_max) {
  std::string changed(text.substr(0, bytes_max));
  const size_t size = changed.size();
  changed.resize(std::max<size_t>(bytes_max, 1));
  changed.resize(
      LLVMFuzzerMutate(reinterpret_cast<unsigned char*>(changed.data()), size, changed.size()));
  return changed;
}

size_t put(const std::string& text, unsigned char* out, size_t size_max) {
  const size_t size = std::min(text.size(), size_max);
  std::copy_n(text.data(), size, out);
  return size;
}

std::string_view view(const unsigned char* data, size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

}  // namespace

extern "C" int LLVMFuzzerInitialize(int* argc, char*** argv) {
  for (int i = 1; i < *argc; ++i) {
    const std::string_view argument = (*argv)[i];
    for (const chartwright::fuzz::Target& target : chartwright::fuzz::targets()) {
      if (argument.starts_with(kFlag) && argument.substr(kFlag.size()) == target.name) {
        chosen = &target;
      }
    }
  }
  if (chosen == nullptr) {
    std::fputs("fuzzer: name a target with --target=NAME (test/fuzz/targets.cc)\n", stderr);
    std::exit(2);
  }
  if (chosen->run == &chartwright::fuzz::chart_release) {
    (void)std::atexit(&print_release_record);
  }
  return 0;
}

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, size_t size) {
  chosen->run(view(data, size));
  return 0;
}

extern "C" size_t LLVMFuzzerCustomMutator(unsigned char* data, size_t size, size_t size_max,
                                          unsigned int seed) {
  if (chosen->shape == Shape::kBytes) {
    return LLVMFuzzerMutate(data, size, size_max);
  }
  return put(chartwright::fuzz::mutate_sections(view(data, size), size_max, seed, &mutate_bytes),
             data, size_max);
}

// NOLINTNEXTLINE(readability-function-size): libFuzzer calls it with these parameters.
extern "C" size_t LLVMFuzzerCustomCrossOver(const unsigned char* data1, size_t size1,
                                            const unsigned char* data2, size_t size2,
                                            unsigned char* out, size_t size_max,
                                            unsigned int seed) {
  if (chosen->shape == Shape::kBytes) {  // libFuzzer's own mutations include crossing over.
    const size_t size = put(std::string(view(data1, size1)), out, size_max);
    return LLVMFuzzerMutate(out, size, size_max);
  }
  return put(
      chartwright::fuzz::cross_sections(view(data1, size1), view(data2, size2), size_max, seed),
      out, size_max);
}
