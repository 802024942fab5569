// SPDX-License-Identifier: Apache-2.0
#include "cmd/completion.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cmd/commands.h"

namespace chartwright::cmd {
namespace {

using Words = std::vector<std::string>;
using Paths = Takes::Paths;

Completions completed(const Words& words) { return complete(all_commands(), words); }

Words words_of(const Completions& completions) {
  Words words;
  for (const auto& candidate : completions.candidates) {
    words.push_back(candidate.word);
  }
  return words;
}

/// Returns the candidates for the last word and checks that it cannot be a path.
Words candidates(const Words& words) {
  const Completions found = completed(words);
  CHECK(found.paths == Paths::kNone);
  return words_of(found);
}

}  // namespace

TEST_CASE("The first word is completed to a command") {
  CHECK(candidates({"templ"}) == Words{"template"});
  CHECK(candidates({"zzz"}).empty());
  Words all;
  for (const auto& command : all_commands()) {
    all.emplace_back(command->name());
  }
  CHECK(candidates({""}) == all);
}

TEST_CASE("Every flag of every command is completed, with its help") {
  for (const auto& command : all_commands()) {
    const std::string name(command->name());
    const Completions all = completed({name, "-"});
    for (const DeclaredFlag& flag : declarations(*command).flags) {
      for (const std::string& word : flag.names) {
        CAPTURE(name, word);
        CHECK(std::any_of(all.candidates.begin(), all.candidates.end(), [&](const auto& found) {
          return found.word == word && !found.help.empty();
        }));
      }
    }
  }
  CHECK(candidates({"template", "--include"}) == Words{"--include-crds"});
  CHECK(candidates({"template", "--hel"}) == Words{"--help", "--helm-version"});
}

TEST_CASE("Values that are fixed are completed as the next word and behind an equals sign") {
  CHECK(candidates({"template", "--helm-version", ""}) == Words{"3.18", "3.22", "4.3"});
  CHECK(candidates({"template", ".", "--helm-version", "3.1"}) == Words{"3.18"});
  CHECK(candidates({"template", "--helm-version=4"}) == Words{"--helm-version=4.3"});
  CHECK(candidates({"run", "--zap-encoder", "j"}) == Words{"json"});
  CHECK(candidates({"completion", ""}) == Words{"bash", "zsh", "fish"});
}

TEST_CASE("The things that can be generated are completed, and so is the path after them") {
  const Completions found = completed({"generate", "d"});
  CHECK(words_of(found) == Words{"docs"});
  CHECK(found.paths == Paths::kFiles);
  CHECK(words_of(completed({"generate", ""})) ==
        Words{"rbac", "user-roles", "crd", "manifests", "docs"});
}

TEST_CASE("A value that may be left out is behind an equals sign only") {
  CHECK(candidates({"template", "--dry"}) ==
        Words{"--dry-run", "--dry-run=client", "--dry-run=server", "--dry-run=none"});
  CHECK(candidates({"template", "--dry-run=s"}) == Words{"--dry-run=server"});
  CHECK(completed({"template", "--dry-run", ""}).paths == Paths::kFiles);
}

TEST_CASE("Files and folders are completed where a path is wanted") {
  const auto [words, paths] =
      GENERATE(table<Words, Paths>({{{"template", ""}, Paths::kFiles},
                                    {{"template", "name", "charts/x"}, Paths::kFiles},
                                    {{"template", "-f", ""}, Paths::kFiles},
                                    {{"template", "-f", "-f", "x"}, Paths::kFiles},
                                    {{"template", "--values=a"}, Paths::kFiles},
                                    {{"template", "--kubeconfig", ""}, Paths::kFiles},
                                    {{"template", "--output-dir", "b"}, Paths::kFolders},
                                    {{"template", "--output-dir=b"}, Paths::kFolders},
                                    {{"lint", "--strict", ""}, Paths::kFiles},
                                    {{"template", "--namespace", ""}, Paths::kNone},
                                    {{"template", "--set", "a"}, Paths::kNone},
                                    {{"template", "--set=a"}, Paths::kNone},
                                    {{"version", ""}, Paths::kNone}}));
  CAPTURE(words);
  const Completions found = completed(words);
  CHECK(found.paths == paths);
  CHECK(found.candidates.empty());
}

TEST_CASE("Nothing is completed for a word that is not ours") {
  CHECK(completed({}).candidates.empty());
  CHECK(candidates({"no-command", ""}).empty());
  CHECK(candidates({"template", "--no-flag="}).empty());
}

TEST_CASE("Scripts get a word and its help a line, and what else may stand there") {
  CHECK(completed({"template", "--include"}).to_string() ==
        "--include-crds\tinclude CRDs in the templated output\n:words\n");
  CHECK(completed({"template", "--output-dir", ""}).to_string() == ":folders\n");
  CHECK(completed({"template", "-f", ""}).to_string() == ":files\n");
}

}  // namespace chartwright::cmd
