// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"

// Shell completion. The scripts that `chartwright completion` prints call the program itself, so a
// flag is completed as soon as it is declared.
namespace chartwright::cmd {

/// The hidden command that the scripts call with the words typed so far.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// The possible completions of the last word.
struct Completions {
  struct Candidate {
    std::string word;  ///< The whole word, as in "--helm-version=3.22".
    std::string help;
  };
  std::vector<Candidate> candidates;
  Takes::Paths paths = Takes::Paths::kNone;  ///< Whether files or folders also match.

  /// Returns one line "WORD\tHELP" per candidate, then ":words", ":files" or ":folders".
  std::string to_string() const;
};

/// Completes the last of `words`, which may be empty; the program's name is not among them. Returns
/// nothing if the first word does not name a command.
Completions complete(const CommandTable& commands, const std::vector<std::string>& words);

}  // namespace chartwright::cmd
