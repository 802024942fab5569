// SPDX-License-Identifier: Apache-2.0
#include "cmd/completion.h"

#include <algorithm>
#include <catch2/catch.hpp>

#include "cmd/commands.h"

namespace chartwright::cmd {
namespace {

using Words = std::vector<std::string>;
using Paths = Takes::Paths;

/// Stands for a cluster whose words show what was asked.
std::vector<Candidate> live_echo(const LiveQuestion& question) {
  std::vector<Candidate> found;
  for (const auto* words : {&question.flags, &question.arguments}) {
    for (const std::string& word : *words) {
      found.push_back({question.typed + "<" + word, "live"});
    }
  }
  found.push_back({"other", ""});
  return found;
}

Completions completed(
    const Words& words,
    const LiveSource& live = [](const LiveQuestion&) { return std::vector<Candidate>(); }) {
  return complete(all_commands(), words, live);
}

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

TEST_CASE("A cluster is asked with the flags and arguments typed so far") {
  const auto [words, found] = GENERATE(table<Words, Words>(
      {{{"why", "-n", "shop", "--context=here", "-A", "sh/"},
        {"sh/<--namespace=shop", "sh/<--context=here", "sh/<--all-namespaces"}},
       {{"get", "-nshop", "shops", "--", "-n", "o"},
        {"o<--namespace=shop", "o<shops", "o<-n", "other"}},
       {{"get", "--unknown", "-z", "shops", "x"}, {"x<shops"}},
       {{"rollback", "shop/one", "--to", "o"}, {"o<shop/one", "other"}},
       {{"rollback", "shop/one", "--to=o"}, {"--to=o<shop/one", "--to=other"}},
       {{"wait", "a/b", "--for", "re"}, {"ready", "revision="}},
       {{"wait", "a/b", "--for", "revision=o"}, {"revision=o<a/b", "revision=other"}},
       {{"wait", "a/b", "--for=revision=o"}, {"--for=revision=o<a/b", "--for=revision=other"}},
       {{"tree", "shop", "--namespace", "t"}, {"t<shop"}},
       {{"template", "x", "--kube-context", "t"}, {"t<x"}},
       {{"get", "-o", "w"}, {"wide"}},
       {{"template", "--namespace", "t"}, {}}}));
  CAPTURE(words);
  const Completions completions = completed(words, live_echo);
  CHECK(words_of(completions) == found);
}

TEST_CASE("Every command for custom resources completes them, and what a cluster has") {
  size_t count = 0;
  for (const auto& command : all_commands()) {
    const std::string name(command->name());
    const Declared declared = declarations(*command);
    if (declared.arguments_name.find("KIND") == std::string::npos) {
      continue;
    }
    CAPTURE(name);
    ++count;
    CHECK(declared.arguments.live == Takes::Live::kCustomResources);
    for (const std::string flag : {"-n", "--kube-context"}) {
      CHECK(words_of(completed({name, flag, "o"}, live_echo)) == Words{"other"});
    }
  }
  CHECK(count == 15);
}

TEST_CASE(
    "A plugin tells kubectl a directive of Cobra, and what follows the equals sign of a flag") {
  const auto [words, text] = GENERATE(table<Words, std::string>(
      {{{"pau"}, "pause\tStop all work on a custom resource, also its deletion\n:4\n"},
       {{"why", "oth"}, "other\t\n:4\n"},
       {{"get", "--output=w"}, "wide\t\n:4\n"},
       {{"rollback", "a/b", "--to=oth"}, "oth<a/b\tlive\nother\t\n:4\n"},
       {{"wait", "a/b", "--for=revision=oth"}, "revision=oth<a/b\tlive\nrevision=other\t\n:4\n"},
       {{"get", "--kubeconfig", ""}, ":0\n"},
       {{"template", "--output-dir=x"}, ":16\n"},
       {{"no-command", ""}, ":4\n"}}));
  CAPTURE(words);
  CHECK(completed(words, live_echo).to_cobra_string(words.back()) == text);
}

TEST_CASE("Scripts get a word and its help a line, and what else may stand there") {
  CHECK(completed({"template", "--include"}).to_string() ==
        "--include-crds\tinclude CRDs in the templated output\n:words\n");
  CHECK(completed({"template", "--output-dir", ""}).to_string() == ":folders\n");
  CHECK(completed({"template", "-f", ""}).to_string() == ":files\n");
}

}  // namespace chartwright::cmd
