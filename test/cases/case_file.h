// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chartwright::cases {

/// One named section of a case. `arg` follows the name on the marker line (for example, a file
/// name).
struct Section {
  std::string name;
  std::string arg;
  std::string text;
};

/// A titled list of sections, in file order. `line` is the line number of the title.
struct Case {
  std::string title;
  int line = 0;
  std::vector<Section> sections;

  /// Returns the text of the first section named `name`, or null.
  const std::string* find(std::string_view name) const;
};

/// A parsed case file; `engine` is the value of its "# engine: NAME" line, `helm` that of its
/// "# helm: VERSION" line or "".
struct CaseFile {
  std::string path;
  std::string engine;
  std::string helm;
  std::vector<Case> cases;
};

/// Reads a case file; test/cases/README.md defines the format. Throws std::runtime_error with path
/// and line if the file cannot be read or is malformed, because a test cannot continue without it.
CaseFile read_case_file(const std::string& path);

/// Returns the sorted paths of the *.txt files directly in `directory`. Throws if there are none.
std::vector<std::string> list_case_files(const std::string& directory);

}  // namespace chartwright::cases
