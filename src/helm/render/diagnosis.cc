// SPDX-License-Identifier: Apache-2.0
#include "helm/render/diagnosis.h"

#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "base/unicode.h"
#include "helm/render/functions.h"

namespace chartwright::helm {
namespace {

using tmpl::Operand;
using value::Kind;
using value::Path;
using value::Value;
using Steps = std::vector<Path::Step>;

constexpr size_t kNodesMax = 100'000;
constexpr size_t kDiagnosisNameBytesMax = 120;
constexpr size_t kCallsMax = 6;
constexpr size_t kLinesMax = 16;

/// Returns a kind in the words of templates, where an object of YAML is a map.
std::string_view noun(Kind kind) { return kind == Kind::kDict ? "a map" : value::kind_noun(kind); }

/// Returns the kind of a value, or "an empty string", which `required` rejects.
std::string noun_of(const Value& value) {
  if (value.is_string() && value.as_string().empty()) {
    return "an empty string";
  }
  return std::string(noun(value.kind()));
}

/// Makes a key or path printable: with bounded length and without control characters.
std::string printable(std::string text) {
  std::string out;
  text = base::shortened(std::move(text), kDiagnosisNameBytesMax);
  for (std::string_view rest = text; !rest.empty();) {
    const base::DecodedRune decoded = base::decode_rune(rest);
    out += base::is_print(decoded.rune) ? rest.substr(0, decoded.size) : std::string_view("?");
    rest.remove_prefix(decoded.size);
  }
  return out;
}

std::string printable(const Steps& path) { return printable(Path(path).to_string()); }

/// Returns the shortest path to the dict that is identical to `wanted`, not merely equal. It does
/// not depend on how the template reached that dict.
std::optional<Steps> path_to(const Value& root, const Value& wanted) {
  struct Node {
    const Value* value;
    size_t parent;
    Path::Step step;
  };
  std::vector<Node> nodes{{&root, 0, size_t{0}}};
  std::set<const value::Dict*> seen;
  for (size_t i = 0; i < nodes.size() && nodes.size() < kNodesMax; ++i) {
    const Value& at = *nodes[i].value;
    if (at.is_dict() && &at.as_dict() == &wanted.as_dict()) {
      Steps steps;
      for (size_t back = i; back != 0; back = nodes[back].parent) {
        steps.insert(steps.begin(), nodes[back].step);
      }
      return steps;
    }
    if (at.is_dict() && seen.insert(&at.as_dict()).second) {
      for (const auto& [key, member] : at.as_dict()) {
        nodes.push_back({&member, i, key});
      }
    } else if (at.is_list()) {
      for (size_t index = 0; index < at.as_list().items.size(); ++index) {
        nodes.push_back({&at.as_list().items[index], i, index});
      }
    }
  }
  return std::nullopt;
}

/// Reports whether `dict` is the dot of a chart's templates or of an operator/ template.
bool is_scope(const Value& dict) {
  return dict.find("Values") != nullptr || dict.find("CR") != nullptr;
}

class Notes {
 public:
  explicit Notes(const Evidence& evidence) : evidence_(evidence) {}

  void add(const Operand& operand) {
    const std::optional<Steps> path = path_among_values(operand, evidence_.scope);
    Steps holder = path.value_or(Steps());
    if (path) {
      holder.pop_back();
    }
    const std::string name = path ? printable(*path) : printable(operand.text);
    if (operand.reach == Operand::Reach::kMissing) {
      missing(operand, name, holder, path);
    } else if (path || operand.reach != Operand::Reach::kWhole) {
      present(operand, name, path);
    }
  }

  void line(const std::string& text) {
    if (lines_.insert(text).second) {
      text_ += "\n" + text;
    }
  }

  const std::string& text() const { return text_; }

 private:
  void missing(const Operand& operand, const std::string& name, const Steps& holder,
               const std::optional<Steps>& path) {
    const auto hidden =
        path ? evidence_.origins.hidden(*path) : std::optional<ValueOrigins::Hidden>();
    if (hidden) {
      const bool is_target = hidden->path == Path(*path).to_string();
      line("note: " + name + " is not set: " + hidden->origin.place + " makes " +
           (is_target ? "it" : printable(hidden->path)) + " " +
           std::string(noun(hidden->origin.kind)));
      return;
    }
    line("note: " + name + " is not set");
    const std::string_view near = nearest_key(operand);
    if (!near.empty() && path) {
      suggest(std::string(near), holder);
    } else if (!near.empty()) {
      const std::string before = operand.text.substr(0, operand.text.size() - operand.key.size());
      line("help: did you mean " + printable(before + std::string(near)) + "?");
    } else if (!holder.empty()) {
      origin_of(printable(holder), holder);
    }
  }

  static std::string_view nearest_key(const Operand& operand) {
    std::vector<std::string_view> keys;
    for (const auto& [key, member] : operand.holder.as_dict()) {
      keys.emplace_back(key);
    }
    return base::nearest(operand.key, keys);
  }

  void suggest(const std::string& key, Steps holder) {
    holder.emplace_back(key);
    const auto origins = evidence_.origins.of(holder);
    const std::string place = origins.empty() ? "" : " (" + origins.front().place + ")";
    line("help: did you mean " + printable(holder) + place + "?");
  }

  void origin_of(const std::string& name, const Steps& path) {
    if (const auto origins = evidence_.origins.of(path); !origins.empty()) {
      line("note: " + name + " is " + origins.front().text());
    }
  }

  void present(const Operand& operand, const std::string& name, const std::optional<Steps>& path) {
    std::string note = "note: " + name + " is " + noun_of(operand.found);
    const auto origins = path ? evidence_.origins.of(*path) : std::vector<ValueOrigins::Origin>();
    if (!origins.empty()) {
      note += ", " + origins.front().text();
    }
    const std::string next = printable(operand.next);
    if (operand.reach == Operand::Reach::kCut && !next.empty()) {
      note += ": it has no member " + next;
    } else if (operand.reach == Operand::Reach::kElement) {
      note +=
          next.empty() ? ": an element of it is used" : ": an element of it has no member " + next;
    }
    line(note);
    for (const ValueOrigins::Origin& weaker : origins) {
      if (operand.reach == Operand::Reach::kCut && weaker.kind == Kind::kDict) {
        line("note: " + weaker.place + " has a map there");
        return;
      }
    }
  }

  const Evidence& evidence_;
  std::set<std::string> lines_;
  std::string text_;
};

/// Returns a place with its source line. Text given to tpl is a value, so that its lines are not
/// shown.
std::string place_and_line(const tmpl::FailedFrame& frame, const Evidence& evidence) {
  if (frame.pos.file == kRootTemplateName) {
    base::SourcePos pos = frame.pos;
    pos.file.clear();
    return pos.to_string() + " of a text given to tpl";
  }
  const std::string* source = evidence.source(frame.pos.file);
  return snippet(frame.pos, source != nullptr ? *source : std::string_view());
}

std::string calls(const tmpl::Failure& failure, const Evidence& evidence) {
  std::string text;
  const auto& frames = failure.frames;
  const size_t shown = std::min(frames.size(), kCallsMax + 1);
  for (size_t i = 1; i + 1 < shown; ++i) {
    text += "\ncalled at " + place_and_line(frames[i], evidence);
  }
  if (const size_t left_out = frames.size() - shown + failure.frames_left_out; left_out > 0) {
    text += "\n... " + std::to_string(left_out) + " more calls";
  }
  if (shown > 1) {
    text += "\ncalled at " + place_and_line(frames.back(), evidence);
  }
  return text;
}

}  // namespace

std::optional<Steps> path_among_values(const Operand& operand, const Value& scope) {
  const Value* values = scope.find("Values");
  auto path = values != nullptr && operand.holder.is_dict() && !is_scope(operand.holder)
                  ? path_to(*values, operand.holder)
                  : std::nullopt;
  if (path) {
    path->emplace_back(operand.key);
  }
  return path;
}

std::string diagnose(const tmpl::Failure& failure, const Evidence& evidence) {
  if (failure.frames.empty()) {
    return "";
  }
  Notes notes(evidence);
  for (const Operand& operand : failure.operands) {
    notes.add(operand);
  }
  if (!failure.meant.empty()) {
    notes.line("help: did you mean the template " + printable(failure.meant) + "?");
  }
  return place_and_line(failure.frames.front(), evidence) + notes.text() + calls(failure, evidence);
}

std::string note_faulty(const std::vector<FaultyMember>& members, const ValueOrigins& origins) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  for (const FaultyMember& member : members) {
    if (member.path.empty() || lines.size() >= kLinesMax ||
        !seen.insert(Path(member.path).to_string()).second) {
      continue;
    }
    if (const auto found = origins.of(member.path); !found.empty()) {
      lines.push_back("note: " + printable(member.path) + " is " + found.front().text());
    }
    if (!member.meant.empty()) {
      Steps meant = member.path;
      meant.back() = member.meant;
      lines.push_back("help: did you mean " + printable(meant) + "?");
    }
  }
  return base::join(lines, "\n");
}

}  // namespace chartwright::helm
