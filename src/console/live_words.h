// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "cli/command.h"

// Shell completion with what only a cluster or the kubeconfig knows.
namespace chartwright::cmd {

/// A word of a command line that is being typed, and what was typed before it.
struct LiveQuestion {
  Takes::Live wanted = Takes::Live::kNone;
  std::vector<std::string> flags;  ///< Any flags, by their long names: "--namespace=shop".
  std::vector<std::string> arguments;
  std::string typed;  ///< The beginning of the word.
};

/// Returns the words that there are, most of which begin as the typed one does: at most
/// kLiveWordsMax. Each is one of letters, digits and -._:/@ that begins with a letter or digit, so
/// that it means nothing to a shell, whatever a server answers. Sends at most two requests, which
/// take two seconds altogether, with the rights of the caller; returns nothing where one fails, and
/// prints nothing. Blocks.
std::vector<Candidate> live_words(const LiveQuestion& question);

inline constexpr size_t kLiveWordsMax = 500;

}  // namespace chartwright::cmd
