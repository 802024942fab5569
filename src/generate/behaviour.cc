// SPDX-License-Identifier: Apache-2.0
#include "generate/behaviour.h"

#include <algorithm>
#include <map>
#include <set>
#include <vector>

#include "base/strings.h"
#include "generate/markdown.h"
#include "helm/analysis/written_kinds.h"

namespace chartwright::generate {
namespace {

using bundle::RelatedConfig;
using release::ChildRule;

constexpr size_t kFilesMax = 5;
constexpr size_t kRowsMax = 200;
constexpr size_t kTemplateShownMax = 120;

std::string code(std::string_view text) { return markdown_code(text, kTemplateShownMax); }

std::vector<std::string> list_of(const std::set<std::string>& all) {
  return {all.begin(), all.end()};
}

using Kinds = std::map<helm::analysis::KindName, helm::analysis::WrittenKind>;

std::string hooks_note(const helm::analysis::WrittenKind& kind) {
  if (kind.only_tests) {
    return "; hooks of the event `test`, which are not run";
  }
  return kind.only_hooks ? "; hooks, which run at their events and are not repaired" : "";
}

std::string kinds_table(const Kinds& kinds) {
  std::string table = markdown_head({"kind", "API version", "from"});
  size_t rows = 0;
  for (const auto& [name, kind] : kinds) {
    if (rows++ == kRowsMax) {
      return table + "\nThere are " + std::to_string(kinds.size() - kRowsMax) + " more kinds.\n";
    }
    const std::string files = markdown_codes(list_of(kind.files), kFilesMax);
    table += markdown_row({markdown_text(name.second), code(name.first), files + hooks_note(kind)});
  }
  return table;
}

std::string computed_list(const std::vector<helm::analysis::ComputedKind>& computed) {
  std::string list;
  for (size_t i = 0; i < std::min(computed.size(), kRowsMax); ++i) {
    list += "- " + code(computed[i].place) + ": " + markdown_text(computed[i].text) + "\n";
  }
  return list;
}

// Rules.

std::string matched(const release::ChildMatch& match) {
  std::string words = match.kind.empty() ? "every object" : markdown_text(match.kind);
  if (!match.api_version.empty()) {
    words += " (" + code(match.api_version) + ")";
  }
  if (!match.name.empty()) {
    words += " named " + code(match.name);
  }
  for (const auto& [key, value] : match.labels) {
    words += (&key == &match.labels.front().first ? " with " : ", ") + code(key + "=" + value);
  }
  return words;
}

std::string paths(const std::vector<value::Path>& all) {
  std::vector<std::string> names;
  std::transform(all.begin(), all.end(), std::back_inserter(names),
                 [](const value::Path& path) { return path.to_string(); });
  return markdown_codes(names, kFilesMax);
}

std::string update_of(release::Update update) {
  switch (update) {
    case release::Update::kApply:
      return "";
    case release::Update::kRecreate:
      return "A change deletes the object and creates it anew.";
    case release::Update::kRecreateIfImmutable:
      return "A change of an immutable field deletes the object and creates it anew.";
    case release::Update::kOrphanRecreate:
      return "A change of an immutable field deletes the object and creates it anew; what it owns "
             "stays.";
    case release::Update::kOnDelete:
      return "A change waits until somebody deletes the object; meanwhile the condition "
             "`UpdatesHeld` names it.";
  }
  return "";
}

std::string deletion_of(release::OnDelete on_delete) {
  switch (on_delete) {
    case release::OnDelete::kCascade:
      return "";
    case release::OnDelete::kOrphan:
      return "When it is deleted with the custom resource, what it owns stays.";
    case release::OnDelete::kKeep:
      return "It stays when the custom resource is deleted.";
  }
  return "";
}

std::string drift_of(release::DriftPolicy drift) {
  switch (drift) {
    case release::DriftPolicy::kRepair:
      return "";
    case release::DriftPolicy::kWarn:
      return "A change or deletion by others stays; the condition `Drifted` names it.";
    case release::DriftPolicy::kIgnore:
      return "A change or deletion by others stays.";
  }
  return "";
}

std::string pace_of(const std::optional<release::Pace>& pace) {
  if (!pace) {
    return "";
  }
  const std::string sentence = "At most " + std::to_string(pace->max) + " of them " +
                               (pace->max == 1 ? "changes" : "change") + " at a time";
  switch (pace->until) {
    case release::Until::kObserved:
      return sentence + ".";
    case release::Until::kReady:
      return sentence + "; the next one waits until it is ready.";
    case release::Until::kGone:
      return sentence + "; the next one waits until it is ready or, if it was deleted, gone.";
  }
  return "";
}

/// Returns the meaning of a rule in whole sentences.
std::string meaning(const ChildRule& rule, const bundle::ChildPredicates* predicates) {
  std::vector<std::string> sentences;
  if (!rule.freeze.empty()) {
    sentences.push_back("Fixed once the object exists: " + paths(rule.freeze) +
                        ". The condition `FieldsFrozen` names what the chart renders otherwise.");
  }
  if (!rule.grow_only.empty()) {
    sentences.push_back("May grow, but not shrink: " + paths(rule.grow_only) +
                        ". The condition `FieldsHeld` names what was refused.");
  }
  if (!rule.ignore.empty()) {
    sentences.push_back("Left to others once the object exists: " + paths(rule.ignore) + ".");
  }
  sentences.push_back(update_of(rule.update));
  sentences.push_back(drift_of(rule.drift));
  sentences.push_back(deletion_of(rule.on_delete));
  sentences.push_back(pace_of(rule.pace));
  if (predicates != nullptr && predicates->present) {
    sentences.emplace_back(
        "One that does not count any more, such as a pod that failed, is replaced.");
  }
  if (predicates != nullptr && predicates->ready) {
    sentences.emplace_back("The chart says when it is ready.");
  }
  std::erase(sentences, "");
  return base::join(sentences, " ");
}

// Related objects.

struct Selection {
  std::string operator()(const RelatedConfig::BySelector& by) const {
    std::vector<std::string> terms;
    for (const RelatedConfig::Term& term : by.terms) {
      terms.push_back(code(term.as_written().to_string()));
    }
    return terms.empty() ? "all" : "with " + base::join(terms, ", ");
  }
  std::string operator()(const RelatedConfig::ByName& by) const {
    return "named " + code(by.name.text);
  }
  std::string operator()(const RelatedConfig::BySelectorOf& by) const {
    return "selected by the " + markdown_text(by.gvk.kind) + " " + code(by.name.text);
  }
};

}  // namespace

base::Result<std::string> written_objects(const bundle::Watch& watch) {
  auto written = helm::analysis::written_kinds(*watch.bundle.chart);
  if (!written.ok()) {
    return std::move(written).error().wrap("chart " + watch.chart_path);
  }
  std::vector<std::string> parts;
  parts.push_back(written->kinds.empty()
                      ? "The chart itself creates no object in the cluster.\n"
                      : "The operator may create these objects, and owns them: it repairs and "
                        "deletes them.\n\n" +
                            kinds_table(written->kinds));
  if (!written->patches.empty()) {
    parts.push_back(
        "It changes fields of these objects, which others own. It neither creates nor deletes "
        "them.\n\n" +
        kinds_table(written->patches));
  }
  if (!written->computed.empty()) {
    parts.push_back("The spec decides on more kinds of objects:\n\n" +
                    computed_list(written->computed));
  }
  if (!written->complete) {
    parts.emplace_back("The chart is too large to list every kind.\n");
  }
  return base::join(parts, "\n");
}

std::string rules_for_children(const bundle::Watch& watch) {
  const bundle::OperatorRules& rules = watch.bundle.rules;
  std::string table;
  for (size_t i = 0; i < std::min(rules.children.size(), kRowsMax); ++i) {
    const bundle::ChildPredicates* predicates =
        i < rules.predicates.size() ? &rules.predicates[i] : nullptr;
    const std::string text = meaning(rules.children[i], predicates);
    if (!text.empty()) {
      table += markdown_row({matched(rules.children[i].match), text});
    }
  }
  return table.empty() ? "" : markdown_head({"objects", "rule"}) + table;
}

std::string external_objects(const bundle::Watch& watch) {
  if (watch.bundle.externals.empty()) {
    return "";
  }
  std::string table = markdown_head({"name", "protocol", "created by", "looked at every"});
  for (const external::External& one : watch.bundle.externals) {
    const bool is_http = std::holds_alternative<external::HttpDriver>(one.driver);
    table += markdown_row({code(one.name), is_http ? "HTTP" : "gRPC", code(one.create.call.text),
                           code(one.resync.text)});
  }
  return "The operator keeps these objects outside the cluster. The deletion policy `Orphan` "
         "leaves "
         "them there.\n\n" +
         table;
}

std::string related_objects(const bundle::Watch& watch) {
  std::string table;
  for (const RelatedConfig& related : watch.bundle.rules.related) {
    const std::string ns = related.ns ? code(related.ns->text) : "that of the custom resource";
    table += markdown_row({markdown_text(related.gvk.kind), code(related.gvk.api_version()),
                           std::visit(Selection{}, related.choice), ns});
  }
  return table.empty() ? ""
                       : "The operator reads these objects, and reacts when they change.\n\n" +
                             markdown_head({"kind", "API version", "which", "namespace"}) + table;
}

}  // namespace chartwright::generate
