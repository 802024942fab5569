// SPDX-License-Identifier: Apache-2.0
#include "exposure/chosen_places.h"

#include <map>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "helm/analysis/usage_collector.h"
#include "helm/analysis/written_kinds.h"
#include "tmpl/output_trace.h"

namespace chartwright::exposure {

using helm::analysis::AbstractValue;
using helm::analysis::FileOutput;
using helm::analysis::LookupCall;
using helm::analysis::Output;
using helm::analysis::OutputPtr;
using helm::analysis::Steps;

namespace {

constexpr int kOutputDepthMax = 1000;

/// Reports whether a text ends where the value of a key `namespace` begins. `before` says so of the
/// text before it.
bool awaits_namespace(std::string_view text, bool before) {
  constexpr std::string_view kKey = "namespace:";
  constexpr std::string_view kSpace = " \t\"'";
  const size_t newline = text.rfind('\n');
  if (newline == std::string_view::npos &&
      text.find_first_not_of(kSpace) == std::string_view::npos) {
    return before;
  }
  std::string_view line = newline == std::string_view::npos ? text : text.substr(newline + 1);
  line = line.substr(0, line.find_last_not_of(kSpace) + 1);
  if (!line.ends_with(kKey)) {
    return false;
  }
  line.remove_suffix(kKey.size());
  return line.empty() || std::string_view(" \t{,\"").find(line.back()) != std::string_view::npos;
}

/// Finds the values of the chart that a value may be, or may contain as text. Texts share parts,
/// which are read once.
class PathFinder {
 public:
  void read(const AbstractValue& value) {
    if (value.is(AbstractValue::Kind::kPath)) {
      found_.insert(value.path);
    } else if (value.is(AbstractValue::Kind::kWritten)) {
      read(value.output, 0);
    } else if (value.is(AbstractValue::Kind::kAny)) {
      for (const AbstractValue& item : value.items) {
        read(item);
      }
    }
  }

  const std::set<Steps>& found() const { return found_; }

 private:
  void read(const OutputPtr& output, int depth) {
    if (output == nullptr || depth > kOutputDepthMax || !known_.insert(output.get()).second) {
      return;
    }
    if (output->kind == Output::Kind::kHole && !output->path.empty()) {
      found_.insert(output->path);
    }
    for (const OutputPtr& part : output->parts) {
      read(part, depth + 1);
    }
  }

  std::set<const Output*> known_;
  std::set<Steps> found_;
};

class PlaceFinder {
 public:
  explicit PlaceFinder(std::string chart) : prefix_(std::move(chart) + "/") {}

  void read_file(const FileOutput& file) {
    known_.clear();
    static_cast<void>(read(file.output, false, 0));
  }

  void read_lookup(const LookupCall& call) {
    add_lookup(ChosenPlace::What::kLookupNamespace, call.ns, call);
    add_lookup(ChosenPlace::What::kLookupName, call.name, call);
  }

  std::vector<ChosenPlace> take() { return std::move(found_); }

 private:
  /// Returns whether the value of a namespace begins behind the output, which begins where one does
  /// if `awaits`.
  bool read(const OutputPtr& output, bool awaits, int depth) {
    if (output == nullptr || depth > kOutputDepthMax) {
      return false;
    }
    const auto [known, is_new] = known_.try_emplace({output.get(), awaits}, false);
    if (!is_new) {
      return known->second;
    }
    const bool result = read_new(*output, awaits, depth);
    known_[{output.get(), awaits}] = result;
    return result;
  }

  bool read_new(const Output& output, bool awaits, int depth) {
    switch (output.kind) {
      case Output::Kind::kText:
        return awaits_namespace(output.text, awaits);
      case Output::Kind::kHole:
        if (awaits) {
          add({ChosenPlace::What::kNamespace, "", {}, output.path, ""}, output.tree, output.pos);
        }
        return false;
      case Output::Kind::kChoice: {
        bool any = false;
        for (const OutputPtr& part : output.parts) {
          any = read(part, awaits, depth + 1) || any;
        }
        return any;
      }
      case Output::Kind::kSequence:
      case Output::Kind::kRepeated:
      case Output::Kind::kIndented:
        for (const OutputPtr& part : output.parts) {
          awaits = read(part, awaits, depth + 1);
        }
        return awaits;
    }
    return false;
  }

  void add_lookup(ChosenPlace::What what, const AbstractValue& decides, const LookupCall& call) {
    PathFinder finder;
    finder.read(decides);
    for (const Steps& path : finder.found()) {
      add({what, call.kind, {}, path, ""}, call.tree, call.pos);
    }
  }

  void add(ChosenPlace place, const tmpl::Tree* tree, size_t pos) {
    if (tree == nullptr) {
      return;
    }
    std::string name = tree->parse_name;
    if (name.starts_with(prefix_)) {
      name.erase(0, prefix_.size());
    }
    const std::string_view source = *tree->source;
    place.pos = tmpl::source_pos(name, source, pos);
    place.action = source.substr(pos, source.find("}}", pos) - pos);
    if (seen_.insert({place.what, place.pos.to_string(), place.path}).second) {
      found_.push_back(std::move(place));
    }
  }

  const std::string prefix_;
  std::map<std::pair<const Output*, bool>, bool> known_;  ///< The answers for one file.
  std::set<std::tuple<ChosenPlace::What, std::string, Steps>> seen_;
  std::vector<ChosenPlace> found_;
};

}  // namespace

base::Result<std::vector<ChosenPlace>> chosen_places(const helm::RenderableChart& chart) {
  const std::vector<helm::analysis::ScopeOfChart> scopes = helm::analysis::scopes_of(chart.chart());
  CW_TRY(const helm::analysis::Usage usage,
         helm::analysis::usage_of(scopes, helm::analysis::patches_of(chart)));
  PlaceFinder finder(chart.chart().name());
  for (const FileOutput& file : usage.outputs) {
    finder.read_file(file);
  }
  for (const LookupCall& call : usage.lookups) {
    finder.read_lookup(call);
  }
  return finder.take();
}

}  // namespace chartwright::exposure
