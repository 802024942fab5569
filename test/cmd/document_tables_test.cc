// SPDX-License-Identifier: Apache-2.0
// The tables of docs/ that explain what reference.md lists have the same rows, values and
// defaults as the code: none is missing, none is left over.
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/ascii.h"
#include "bundle/watches.h"
#include "cmd/commands.h"
#include "helm/version/profile.h"
#include "resource/annotations.h"
#include "resource/decision.h"
#include "test/base/manual_clock.h"
#include "test/bundle/chart_folder.h"
#include "test/document_table.h"
#include "test/source_dir.h"

namespace chartwright::cmd {
namespace {

using Names = std::set<std::string>;

constexpr const char* kConfiguration = "docs/reference/configuration.md";

std::string without_backticks(std::string text) {
  std::erase(text, '`');
  return text;
}

/// Returns the names in the first column, each with the rest of its row. Fails if one is twice.
std::map<std::string, std::vector<std::string>> rows_by_name(const std::string& document,
                                                             const std::string& head) {
  std::map<std::string, std::vector<std::string>> rows;
  for (const std::vector<std::string>& row : document_rows(document, head)) {
    for (const std::string& name : code_spans(row.front())) {
      CAPTURE(name);
      CHECK(rows.emplace(name, row).second);
    }
  }
  return rows;
}

template <typename Rows>
Names names_of(const Rows& rows) {
  Names names;
  for (const auto& [name, row] : rows) {
    names.insert(name);
  }
  return names;
}

/// Returns the flags of `run` that the table explains; the text below it has the others.
std::map<std::string, DeclaredFlag> explained_flags() {
  std::map<std::string, DeclaredFlag> flags;
  for (const auto& command : all_commands()) {
    if (command->name() != "run") {
      continue;
    }
    for (const DeclaredFlag& flag : declarations(*command).flags) {
      const bool is_aside = flag.names.front() == "--help" || flag.help.starts_with("Deprecated") ||
                            flag.help.starts_with("Accepted for compatibility");
      if (!is_aside) {
        flags.emplace(flag.names.front(), flag);
      }
    }
  }
  return flags;
}

/// Describes what an entry of watches.yaml sets.
std::string described(const bundle::Watch& watch) {
  std::ostringstream text;
  text << watch.gvk.to_string() << watch.label_selector << watch.override_values.size()
       << watch.reconcile_period.has_value() << watch.max_concurrent_reconciles.has_value()
       << watch.render_memory.has_value() << watch.watch_dependents << watch.run_hooks
       << static_cast<int>(watch.dry_run) << static_cast<int>(watch.remote_schemas)
       << static_cast<int>(watch.crds) << static_cast<int>(watch.on_install_failure)
       << static_cast<int>(watch.on_upgrade_failure) << watch.hook_timeout.count();
  return text.str();
}

bundle::Watch watch_with(const std::string& member) {
  const bundle::testing::Folder chart(bundle::testing::widget_chart());
  const base::ManualClock clock;
  const auto watches =
      bundle::parse_watches("- version: v1\n  kind: A\n  chart: " + chart.path() + "\n" + member,
                            "watches.yaml", clock, [](const std::string&) { return std::nullopt; });
  REQUIRE(watches.ok());
  return watches->front();
}

/// Returns all sources below a folder, as one text.
std::string sources_below(const std::string& folder) {
  std::string all;
  for (const auto& entry :
       std::filesystem::recursive_directory_iterator(source_dir() + "/" + folder)) {
    if (entry.path().extension() == ".cc" || entry.path().extension() == ".h") {
      std::ostringstream text;
      text << std::ifstream(entry.path()).rdbuf();
      all += text.str();
    }
  }
  return all;
}

}  // namespace

TEST_CASE("The table of flags has exactly those of run, with their defaults", "[reference]") {
  const auto rows = rows_by_name(kConfiguration, "| flag | default | meaning |");
  const auto flags = explained_flags();
  CHECK(names_of(rows) == names_of(flags));
  for (const auto& [name, flag] : flags) {
    const std::string stated = rows.contains(name) ? rows.at(name).at(1) : "";
    CAPTURE(name, stated);
    if (!flag.default_value.empty()) {
      CHECK(stated.starts_with("`" + flag.default_value + "`"));
    } else if (!flag.default_text.empty()) {
      CHECK(without_backticks(stated) == flag.default_text);
    }
  }
}

TEST_CASE("The table of watches.yaml has exactly the keys that are read", "[reference]") {
  const auto keys = bundle::watch_keys();
  CHECK(names_of(rows_by_name(kConfiguration, "| field | default | meaning |")) ==
        Names(keys.begin(), keys.end()));
}

TEST_CASE("A key of watches.yaml with its stated default changes nothing", "[reference]") {
  const std::string plain = described(watch_with(""));
  for (const auto& [key, row] : rows_by_name(kConfiguration, "| field | default | meaning |")) {
    const std::vector<std::string> stated = code_spans(row.at(1));
    CAPTURE(key, row.at(1));
    if (key == "helmVersion") {
      CHECK(stated == std::vector<std::string>{std::string(helm::default_profile().name)});
    } else if (!stated.empty()) {
      CHECK(described(watch_with("  " + key + ": " + stated.front() + "\n")) == plain);
    }
  }
}

TEST_CASE("The table of annotations has exactly those that are read, with their values",
          "[reference]") {
  const auto rows = rows_by_name(kConfiguration, "| annotation | value | effect |");
  Names known;
  for (const op::AnnotationHelp& annotation : op::annotations()) {
    const std::string key(annotation.key);
    known.insert(key);
    CAPTURE(key);
    CHECK(rows.contains(key));
    if (rows.contains(key)) {
      CHECK(without_backticks(rows.at(key).at(1)) == annotation.value);
    }
  }
  CHECK(names_of(rows) == known);
}

TEST_CASE("The table of the environment has every variable that the operator reads",
          "[reference]") {
  const auto rows = rows_by_name(kConfiguration, "| variable | meaning |");
  // `any other`, and what libcurl reads.
  Names stated;
  for (const std::string& name : names_of(rows)) {
    if (std::all_of(name.begin(), name.end(),
                    [](char c) { return base::is_ascii_upper(c) || c == '_'; })) {
      stated.insert(name);
    }
  }
  CHECK(stated == Names{"HTTPS_PROXY", "KUBECONFIG", "NO_PROXY", "OPERATOR_NAME", "POD_NAMESPACE",
                        "WATCH_NAMESPACE"});
  const std::string sources = sources_below("src/cmd") + sources_below("src/kubeconfig");
  for (const char* name : {"KUBECONFIG", "OPERATOR_NAME", "POD_NAMESPACE", "WATCH_NAMESPACE"}) {
    CAPTURE(name);
    CHECK(sources.find("\"" + std::string(name) + "\"") != std::string::npos);
  }
}

TEST_CASE("The table of conditions has only reasons that the operator writes", "[reference]") {
  const std::string sources = sources_below("src");
  for (const std::vector<std::string>& row : document_rows(
           "docs/operate/troubleshooting.md", "| condition | reason | meaning | what to do |")) {
    for (const std::string& reason : code_spans(row.at(1))) {
      CAPTURE(reason);
      // "same as `Ready`" names a condition.
      CHECK(sources.find("\"" + reason + "\"") != std::string::npos);
    }
  }
}

TEST_CASE("The table of goals has exactly the reasons that the log tells", "[reference]") {
  Names reasons;
  for (int i = 0; i <= static_cast<int>(op::GoalReason::kAttemptUndone); ++i) {
    reasons.emplace(op::to_string(static_cast<op::GoalReason>(i)));
  }
  CHECK(names_of(rows_by_name("docs/operate/troubleshooting.md", "| reason | goal | because |")) ==
        reasons);
}

TEST_CASE("Documents name only metrics that there are", "[reference]") {
  std::ostringstream read;
  read << std::ifstream(source_dir() + "/docs/reference/reference.md").rdbuf();
  const std::string reference = read.str();
  REQUIRE_FALSE(reference.empty());
  // Those that kube-state-metrics makes.
  const std::string prefix = "chartwright_";
  std::ostringstream config;
  config << std::ifstream(source_dir() + "/deploy/integrations/kube-state-metrics/config.yaml")
                .rdbuf();
  const auto is_known = [&](const std::string& name) {
    return reference.find("| `" + name + "` |") != std::string::npos ||
           (name.starts_with(prefix) &&
            config.str().find("name: " + name.substr(prefix.size()) + "\n") != std::string::npos);
  };
  for (const auto& entry : std::filesystem::recursive_directory_iterator(source_dir() + "/docs")) {
    if (entry.path().extension() != ".md") {
      continue;
    }
    std::ostringstream text;
    text << std::ifstream(entry.path()).rdbuf();
    for (const std::string& span : code_spans(text.str())) {
      if (span.starts_with("chartwright_") && span != "chartwright_") {
        const std::string name = span.substr(0, span.find_first_of("{ ="));
        CAPTURE(entry.path().filename().string(), name);
        CHECK(is_known(name));
      }
    }
  }
}

}  // namespace chartwright::cmd
