// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/command.h"
#include "console/live_words.h"

// Shell completion. The scripts that `chartwright completion` prints call the program itself, so a
// flag is completed as soon as it is declared.
namespace chartwright::cmd {

/// The hidden command that the scripts call with the words typed so far.
inline constexpr std::string_view kCompleteCommand = "__complete";

/// The possible completions of the last word.
struct Completions {
  std::vector<Candidate> candidates;
  Takes::Paths paths = Takes::Paths::kNone;  ///< Whether files or folders also match.

  /// Returns one line "WORD\tHELP" per candidate, then ":words", ":files" or ":folders".
  std::string to_string() const;
  /// Returns one line "WORD\tHELP" per candidate of `typed`, then ":NUMBER", a directive of Cobra:
  /// the form that kubectl asks of the completion of a plugin.
  /// Source: k8s.io/kubectl pkg/cmd/plugin/plugin_completion.go; github.com/spf13/cobra
  /// completions.go ShellCompDirective.
  std::string to_cobra_string(std::string_view typed) const;
};

/// Returns the words that a cluster or a kubeconfig has: live_words, except in tests.
using LiveSource = std::function<std::vector<Candidate>(const LiveQuestion& question)>;

/// Completes the last of `words`, which may be empty; the program's name is not among them. Returns
/// nothing if the first word does not name a command.
Completions complete(const CommandTable& commands, const std::vector<std::string>& words,
                     const LiveSource& live);

}  // namespace chartwright::cmd
