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

// Every input in test/fuzz/corpus once: what the fuzzer has found stays mended.
namespace chartwright::fuzz {
namespace {

std::vector<std::string> inputs_of(std::string_view target) {
  const std::filesystem::path folder =
      std::filesystem::path(CW_SOURCE_DIR) / "test/fuzz/corpus" / target;
  std::vector<std::string> paths;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    paths.push_back(entry.path().string());
  }
  std::sort(paths.begin(), paths.end());
  return paths;
}

TEST_CASE("no input of the fuzz corpus breaks its target") {
  for (const Target& target : targets()) {
    const std::vector<std::string> paths = inputs_of(target.name);
    INFO(target.name);
    CHECK_FALSE(paths.empty());
    for (const std::string& path : paths) {
      const std::string input = CW_MUST(base::read_file(path, size_t{1} << 20));
      INFO(path);
      // As renders run: on the stack that they have.
      base::Thread thread("fuzz", base::kRenderStackBytes, [&] { target.run(input); });
    }
  }
  CHECK(release_record().applied >= 12);  // Else the laws behind a render are held by nothing.
}

}  // namespace
}  // namespace chartwright::fuzz
