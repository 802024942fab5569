// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/thread.h"
#include "test/fuzz/release.h"
#include "test/fuzz/targets.h"
#include "test/source_dir.h"

// Runs every input in test/fuzz/corpus once, so that bugs found by the fuzzer stay fixed.
namespace chartwright::fuzz {
namespace {

std::vector<std::string> inputs_of(std::string_view target) {
  const std::filesystem::path folder =
      std::filesystem::path(source_dir()) / "test/fuzz/corpus" / target;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST_CASE("No input of the fuzz corpus breaks its target") {
  for (const Target& target : targets()) {
    const std::vector<std::string> paths = inputs_of(target.name);
    INFO(target.name);
    CHECK_FALSE(paths.empty());
    for (const std::string& path : paths) {
      const std::string input = CW_MUST(base::read_file(path, size_t{1} << 20));
      INFO(path);
      // With the stack size of a render.
      base::Thread thread("fuzz", base::kRenderStackBytes, [&] { target.run(input); });
    }
  }
  CHECK(release_record().applied >= 12);  // Otherwise the checks after a render never run.
}

}  // namespace
}  // namespace chartwright::fuzz
