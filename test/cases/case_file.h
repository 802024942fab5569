// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace chartwright::cases {

/// One named text of a case. `arg` is what follows the name on the marker line (a file name, say).
struct Section {
  std::string name;
  std::string arg;
  std::string text;
};

/// A titled list of sections, in the order of the file. `line` is the number of its title line.
struct Case {
  std::string title;
  int line = 0;
  std::vector<Section> sections;

  /// The text of the first section of that name, or null.
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

/// Reads a case file, whose format test/cases/README.md defines. Throws std::runtime_error with
/// path and line for a file that cannot be read or is malformed: a test cannot go on without it.
CaseFile read_case_file(const std::string& path);

/// The paths of the *.txt files directly in `directory`, sorted. Throws if there is none.
std::vector<std::string> list_case_files(const std::string& directory);

}  // namespace chartwright::cases
