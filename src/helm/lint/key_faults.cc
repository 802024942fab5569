// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/key_faults.h"

#include <algorithm>
#include <limits>
#include <optional>

#include "base/strings.h"
#include "go/path.h"
#include "go/quote.h"
#include "helm/analysis/keys.h"
#include "helm/analysis/read_keys.h"
#include "helm/analysis/usage_collector.h"
#include "tmpl/output_trace.h"
#include "yaml/document.h"
#include "yaml/events.h"

namespace chartwright::helm::lint {
namespace {

using analysis::Access;
using analysis::join_steps;
using analysis::kEveryStep;
using analysis::Keys;
using analysis::KeyUsage;
using analysis::KeyUsages;
using analysis::Steps;
using analysis::Usage;

using yaml::DocumentNode;

/// Shorter names are similar to too many others.
constexpr size_t kTypoBytesMin = 3;

/// Returns the lines where nodes with an anchor start, in order. Such nodes count as used, since an
/// alias may use them.
std::vector<int> anchor_lines(std::string_view text) {
  std::vector<int> lines;
  yaml::Events events(text);
  yaml::Event event;
  while (events.next(event).ok() && event.kind != yaml::EventKind::kStreamEnd) {
    if (!event.anchor.empty() && event.kind != yaml::EventKind::kAlias) {
      lines.push_back(event.line);
    }
  }
  return lines;
}

/// A key of values.yaml that nothing uses.
struct UnusedKey {
  Steps path;
  base::SourcePos pos;
};

/// Finds the keys without usage; only the topmost key of an unused tree.
class UnusedKeys {
 public:
  explicit UnusedKeys(std::string_view text) : anchors_(anchor_lines(text)) {}

  void walk(const DocumentNode& node, const KeyUsages& usages, int end_line) {
    for (size_t i = 0; i < node.entries.size(); ++i) {
      const yaml::DocumentEntry& entry = node.entries[i];
      const int end = i + 1 < node.entries.size() ? node.entries[i + 1].key.pos.line : end_line;
      path_.push_back(entry.key.text);
      look_at(entry, analysis::usages_of_member(usages, entry.key.text), end);
      path_.pop_back();
    }
  }

  std::vector<UnusedKey> found;

 private:
  void look_at(const yaml::DocumentEntry& entry, const KeyUsages& usages, int end_line) {
    const bool is_whole = std::any_of(usages.begin(), usages.end(),
                                      [](const KeyUsage* usage) { return usage->whole; });
    if (is_whole || has_anchor(entry.key.pos.line, end_line)) {
      return;
    }
    if (usages.empty()) {
      found.push_back({path_, entry.key.pos});
      return;
    }
    // A map that is only tested needs no used keys: it matters only that it is not empty.
    const bool goes_on = std::any_of(usages.begin(), usages.end(),
                                     [](const KeyUsage* usage) { return !usage->below.empty(); });
    if (goes_on) {
      walk(entry.value, usages, end_line);
    }
  }

  bool has_anchor(int first, int end) const {
    const auto at = std::lower_bound(anchors_.begin(), anchors_.end(), first);
    return at != anchors_.end() && *at < end;
  }

  std::vector<int> anchors_;
  Steps path_;
};

/// The first undefined key on the path of an access, and the keys defined in its place.
struct MissingKey {
  Steps path;  ///< Up to and including the first undefined key.
  const Keys* around;
};

std::optional<MissingKey> missing_key(const Steps& path, const Keys& defined, const Usage& usage) {
  const Keys* at = &defined;
  Steps walked;
  for (const std::string& step : path) {
    const bool is_open = at->open || at->below.empty() || usage.open.contains(walked);
    walked.push_back(step);
    const auto next = at->below.find(step);
    if (step == kEveryStep || (next == at->below.end() && is_open)) {
      return std::nullopt;
    }
    if (next == at->below.end()) {
      return MissingKey{walked, at};
    }
    at = &next->second;
  }
  return std::nullopt;
}

std::string nearest_key(const std::string& name, const Keys& around) {
  std::vector<std::string_view> names;
  for (const auto& [key, inner] : around.below) {
    names.push_back(key);
  }
  return std::string(base::nearest(name, names));
}

/// Returns "templates/x.yaml:3:14" for a place in a template of the root chart; nullopt for others.
std::optional<std::string> place_of(const Access& access, const std::string& chart_name) {
  const std::string own = go::join_path(chart_name, "templates") + "/";
  if (!access.tree->parse_name.starts_with(own)) {
    return std::nullopt;
  }
  // Columns count from 0, as in errors of templates.
  const base::SourcePos pos = tmpl::source_pos("", *access.tree->source, access.pos);
  return access.tree->parse_name.substr(chart_name.size() + 1) + ":" + std::to_string(pos.line) +
         ":" + std::to_string(pos.column - 1);
}

/// The definitions and uses of a chart's keys, for the two reports.
struct ChartKeys {
  const std::string& chart_name;
  const Usage& usage;
  const Keys& defined;
  const std::set<std::string>& commented;
  const std::vector<UnusedKey>& unused;

  bool is_unused(const Steps& path) const {
    return std::any_of(unused.begin(), unused.end(), [&](const UnusedKey& key) {
      return key.path.size() <= path.size() &&
             std::equal(key.path.begin(), key.path.end(), path.begin());
    });
  }
};

void report_undefined(const ChartKeys& keys, Messages& messages) {
  std::set<Steps> seen;
  for (const Access& access : keys.usage.accesses) {
    const auto missing = missing_key(access.path, keys.defined, keys.usage);
    const auto place = missing ? place_of(access, keys.chart_name) : std::nullopt;
    if (!place || seen.contains(missing->path)) {
      continue;
    }
    const std::string& name = missing->path.back();
    const std::string near = nearest_key(name, *missing->around);
    Steps near_path = missing->path;
    near_path.back() = near;
    // An optional key may be undefined, unless there is an unused key with a similar name.
    const bool is_typo = name.size() >= kTypoBytesMin && !near.empty() && keys.is_unused(near_path);
    const bool may_miss =
        keys.usage.optional.contains(missing->path) || keys.commented.contains(name);
    if (may_miss && !is_typo) {
      continue;
    }
    seen.insert(missing->path);
    messages.push_back({Severity::kWarning, *place,
                        ".Values." + join_steps(access.path) + " is used, but nothing defines " +
                            go::quote(join_steps(missing->path)) +
                            (near.empty() ? "" : "; did you mean " + go::quote(near) + "?")});
  }
}

void report_unused(const ChartKeys& keys, Messages& messages) {
  for (const UnusedKey& key : keys.unused) {
    messages.push_back({Severity::kInfo, key.pos.to_string(),
                        join_steps(key.path) + " is defined, but no template uses it"});
  }
}

}  // namespace

Messages find_key_faults(const ChartSource& source, const helm::RenderableChart& loaded,
                         const std::vector<value::Value>& others) {
  Messages messages;
  const helm::Chart& chart = loaded.chart();
  const std::vector<analysis::ScopeOfChart> scopes = analysis::scopes_of(chart);
  auto usage = analysis::usage_of(scopes);
  const bool is_library = base::to_lower_ascii(chart.metadata.type) == "library";
  if (!usage.ok() || !usage->complete || is_library) {
    return messages;
  }
  const std::string values_text = source.read(kValuesFile).value_or("");
  Keys defined = analysis::defined_keys(scopes);
  for (const value::Value& values : others) {
    if (values.is_dict() && !values.as_dict().empty()) {
      defined.add(values);
    }
  }
  analysis::mark_indirect_uses(loaded, scopes, *usage);
  const KeyUsage& root = usage->root;
  UnusedKeys unused(values_text);
  const auto document = yaml::parse_document(values_text, kValuesFile);
  if (document.ok() && !root.whole) {
    unused.walk(*document, {&root}, std::numeric_limits<int>::max());
  }
  const ChartKeys keys{chart.name(), *usage, defined, analysis::commented_names(values_text),
                       unused.found};
  report_undefined(keys, messages);
  report_unused(keys, messages);
  return messages;
}

}  // namespace chartwright::helm::lint
