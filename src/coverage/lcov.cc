// SPDX-License-Identifier: Apache-2.0
#include "coverage/lcov.h"

#include <algorithm>
#include <string_view>

namespace chartwright::coverage {
namespace {

std::string record(std::string_view key, size_t number) {
  return std::string(key) + ":" + std::to_string(number) + "\n";
}

/// Returns the lines of the two sides of a branch. "-" says that it was never reached.
std::string sides_text(const BranchCount& branch, size_t block) {
  const std::string front =
      "BRDA:" + std::to_string(branch.line) + "," + std::to_string(block) + ",";
  const auto taken = [&branch](uint64_t times) {
    return (branch.count.runs == 0 ? "-" : std::to_string(times)) + "\n";
  };
  return front + "0," + taken(branch.count.bodies) + front + "1," + taken(branch.count.others);
}

std::string file_text(const FileCoverage& file) {
  std::string out = "TN:\nSF:" + file.path + "\n";
  for (size_t block = 0; block < file.branches.size(); ++block) {
    out += sides_text(file.branches[block], block);
  }
  const Share branches = file.branch_share();
  out += record("BRF", branches.total) + record("BRH", branches.covered);
  for (const auto& [line, runs] : file.lines) {
    out += "DA:" + std::to_string(line) + "," + std::to_string(runs) + "\n";
  }
  const Share lines = file.line_share();
  return out + record("LF", lines.total) + record("LH", lines.covered) + "end_of_record\n";
}

bool has_control(std::string_view path) {
  return std::ranges::any_of(
      path, [](char c) { return static_cast<unsigned char>(c) < ' ' || c == '\x7F'; });
}

}  // namespace

std::string lcov_text(const std::vector<ChartCoverage>& charts,
                      const std::function<bool(const std::string& path)>& exists) {
  std::string out;
  for (const ChartCoverage& chart : charts) {
    for (const FileCoverage& file : chart.files) {
      if (!has_control(file.path) && exists(file.path)) {
        out += file_text(file);
      }
    }
  }
  return out;
}

}  // namespace chartwright::coverage
