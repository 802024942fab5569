// SPDX-License-Identifier: Apache-2.0
#include "external/reads.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/strings.h"
#include "helm/analysis/usage_collector.h"
#include "helm/render/functions.h"
#include "helm/render/rendering.h"
#include "tmpl/parser.h"

namespace chartwright::external {
namespace {

using helm::analysis::ExternalRead;
using helm::analysis::KeyUsage;
using helm::analysis::Steps;

/// Returns the key of "key: value"; nullopt if there is none, or a template writes it.
std::optional<std::string> key_of(std::string_view line) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || (colon + 1 < line.size() && line[colon + 1] != ' ')) {
    return std::nullopt;
  }
  std::string_view key = base::trim(line.substr(0, colon));
  if (key.empty() || key.find_first_of("{}[]") != std::string_view::npos) {
    return std::nullopt;
  }
  if (key.size() > 1 && (key.front() == '"' || key.front() == '\'')) {
    key = key.substr(1, key.size() - 2);
  }
  return std::string(key);
}

/// Reports whether a flow map begins in `text`: a brace that does not begin an action.
bool begins_flow_map(std::string_view text) {
  const std::string without = base::replace_all(std::string(text), "{{", "");
  return without.find('{') != std::string::npos;
}

/// Reports whether a template reads the value at `path`, what is in it, or what it is in.
bool reads_value(const KeyUsage& root, const Steps& path) {
  const KeyUsage* at = &root;
  for (const std::string& step : path) {
    if (at->whole) {
      return true;
    }
    const auto below = at->below.find(step);
    if (below == at->below.end()) {
      return false;
    }
    at = &below->second;
  }
  return at->whole || at->touched || !at->below.empty();
}

}  // namespace

Steps keys_around(std::string_view source, size_t offset) {
  Steps path;
  size_t indent = std::string_view::npos;
  for (size_t end = offset; indent > 0;) {
    const size_t start = end == 0 ? 0 : source.rfind('\n', end - 1) + 1;  // npos + 1 is 0.
    const std::string_view line = source.substr(start, end - start);
    const size_t width = std::min(line.find_first_not_of(' '), line.size());
    const std::string_view text = line.substr(width);
    const bool is_first = end == offset;
    if (is_first && (text.starts_with("{{") || begins_flow_map(text))) {
      return {};
    }
    if (!text.empty() && text.front() != '#' && !text.starts_with("{{") && width < indent) {
      indent = width;
      if (text.starts_with("- ")) {
        path.clear();
        ++indent;  // The key of a list may stand right above it.
      } else if (const auto key = key_of(text)) {
        path.insert(path.begin(), *key);
      } else {
        return {};
      }
    }
    if (start == 0) {
      break;
    }
    end = start - 1;
  }
  return indent == 0 ? path : Steps();
}

ReadFinder::ReadFinder(const helm::RenderableChart& chart, const helm::OperatorTemplate* values)
    : scopes_(helm::analysis::scopes_of(chart.chart())) {
  for (const auto& [path, renderable] : helm::callable_templates(chart.chart())) {
    auto trees = tmpl::parse_template(path, std::make_shared<const std::string>(*renderable.text),
                                      helm::helm_functions());
    if (trees.ok()) {  // Otherwise each render says what is wrong.
      named_.push_back(*std::move(trees));
    }
  }
  if (values == nullptr) {
    return;
  }
  if (const auto tree = values->tree(); tree.ok()) {
    add_values(**tree);
  }
}

void ReadFinder::add_values(const tmpl::Tree& tree) {
  for (const ExternalRead& read : usage_of(tree).externals) {
    Steps path = keys_around(*tree.source, read.pos);
    if (!path.empty() && read.name != helm::analysis::kEveryStep) {
      values_.push_back({std::move(path), read.name});
    }
  }
}

helm::analysis::Usage ReadFinder::usage_of(const tmpl::Tree& tree) const {
  helm::analysis::Usage usage;
  helm::analysis::UsageCollector walk(scopes_, usage);
  for (const tmpl::TreeMap& trees : named_) {
    for (const auto& [name, named] : trees) {
      walk.add_tree(*named);
    }
  }
  walk.follow_externals();
  walk.walk_file(tree, 0);
  return usage;
}

base::Result<KeyUsage> ReadFinder::values_read_by(const helm::OperatorTemplate& text) const {
  CW_TRY(const auto tree, text.tree());
  return usage_of(*tree).root;
}

base::Result<Reads> ReadFinder::reads_of(const helm::OperatorTemplate& text) const {
  CW_TRY(const auto tree, text.tree());
  const helm::analysis::Usage usage = usage_of(*tree);
  Reads reads;
  const auto add = [&reads](const std::string& name, const std::string& value) {
    const bool is_new = std::ranges::none_of(
        reads.names, [&name](const Reads::Name& known) { return known.name == name; });
    if (is_new) {
      reads.names.push_back({name, value});
    }
  };
  for (const ExternalRead& read : usage.externals) {
    if (read.name == helm::analysis::kEveryStep) {
      reads.any = true;
    } else {
      add(read.name, "");
    }
  }
  for (const WrittenValue& value : values_) {
    if (reads_value(usage.root, value.path)) {
      add(value.name, ".Values." + helm::analysis::join_steps(value.path));
    }
  }
  return reads;
}

}  // namespace chartwright::external
