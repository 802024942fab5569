// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cmd/cli.h"

// Completion in shells: the scripts that `chartwright completion` prints ask the program itself, so
// that a flag is completed because it is declared.
namespace chartwright::cmd {

/// The hidden command that the scripts call with the words typed so far.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// What may stand for the last word.
struct Completions {
  struct Candidate {
    std::string word;  ///< Whole, as in "--helm-version=3.22".
    std::string help;
  };
  std::vector<Candidate> candidates;
  Takes::Paths paths = Takes::Paths::kNone;  ///< What else may: names of files or folders.

  /// "WORD\tHELP" a line, and at last ":words", ":files" or ":folders".
  std::string to_string() const;
};

/// Completes the last of `words`, which may be empty; the program's name is not among them. Nothing
/// where the words before it are none of ours.
Completions complete(const CommandTable& commands, const std::vector<std::string>& words);

}  // namespace chartwright::cmd
