// SPDX-License-Identifier: Apache-2.0
#include "helm/lint/documents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/strings.h"

namespace chartwright::helm::lint {
namespace {

/// Limits for the text of one template file.
constexpr size_t kStatesMax = 2000;
constexpr size_t kDocumentStepsMax = 400'000;
constexpr int kRoundsMax = 20;
/// Repetitions of which each line is kept as it is.
constexpr int kExactRounds = 2;
constexpr int kDepthMax = 3000;
constexpr size_t kLineMax = 400;

/// Stands for a hole in a line; no YAML may contain it.
constexpr char kHoleMark = '\x01';

constexpr std::string_view kHookKey = "helm.sh/hook";
constexpr std::string_view kRoleRefKey = "roleRef";

/// The part of the current document that has been read at a place of a text. A text with branches
/// leads to several states.
struct State {
  std::string line;              ///< The current line, while it may still matter.
  bool closed = false;           ///< The rest of the line does not matter.
  const Output* hole = nullptr;  ///< The first hole in the line.
  DocumentHead document;
  bool in_role_ref = false;  ///< The lines of the roleRef follow.
  bool has_items = false;    ///< The document is a list: a line "items:" has been read.
  int item_indent = -1;      ///< Of its current item; -1: none.
  DocumentHead item;
  auto operator<=>(const State&) const = default;
};
using States = std::set<State>;

/// Reports whether `line` begins with `key`, or may once more of it is read.
bool may_begin_with(std::string_view line, std::string_view key) {
  const size_t shared = std::min(line.size(), key.size());
  return line.substr(0, shared) == key.substr(0, shared);
}

/// Reports whether the document is a list if it has items: "List" or, for one, "ConfigMapList".
bool may_be_list(const State& state) { return state.document.kind.text.ends_with("List"); }

/// Reports whether a line that begins like this may say something about the objects of a document.
bool matters(const State& state) {
  std::string_view line = state.line;
  if (line.empty() || line.front() == '{') {
    return true;
  }
  if (may_be_list(state) &&
      (line.front() == ' ' || line.front() == '-' || may_begin_with(line, "items"))) {
    return true;
  }
  if (state.in_role_ref && line.front() == ' ') {
    return true;
  }
  if (line.front() == '"' || line.front() == '\'' || line.front() == kHoleMark) {
    return true;
  }
  return may_begin_with(line, "apiVersion") || may_begin_with(line, "kind") ||
         may_begin_with(line, kRoleRefKey) || may_begin_with(line, "---");
}

std::string_view unquoted(std::string_view text) {
  text = base::trim(text);
  const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                      (text.front() == '"' || text.front() == '\'');
  return quoted ? text.substr(1, text.size() - 2) : text;
}

/// Returns the value of a line "KEY: VALUE # comment", if KEY is `key`.
std::optional<std::string_view> value_of(std::string_view line, std::string_view key) {
  const size_t colon = line.find(':');
  if (colon == std::string_view::npos || unquoted(line.substr(0, colon)) != key) {
    return std::nullopt;
  }
  std::string_view rest = line.substr(colon + 1);
  if (!rest.empty() && rest.front() != ' ' && rest.front() != '\t') {
    return std::nullopt;
  }
  rest = rest.substr(0, rest.find(" #"));
  return unquoted(rest);
}

/// Reports whether `rest`, which follows the key of hooks on its line, names tests only.
bool names_tests(std::string_view rest) {
  const size_t first = rest.find_first_not_of("\"': ");
  rest = rest.substr(std::min(first, rest.size()));
  rest = rest.substr(0, rest.find(" #"));
  rest = rest.substr(0, rest.find_last_not_of("\"' }\r") + 1);
  const std::vector<std::string_view> events = base::split(rest, ',');
  return std::all_of(events.begin(), events.end(), [](std::string_view event) {
    return base::trim(event) == "test" || base::trim(event) == "test-success";
  });
}

DocumentWord word_of(std::string_view text, const Output* hole) {
  const bool has_hole = text.find(kHoleMark) != std::string_view::npos;
  return {has_hole ? "" : std::string(text), has_hole ? hole : nullptr, !text.empty()};
}

void read_head(std::string_view line, const Output* hole, DocumentHead& into) {
  if (const auto version = value_of(line, "apiVersion")) {
    into.api_version = word_of(*version, hole);
  } else if (const auto kind = value_of(line, "kind")) {
    into.kind = word_of(*kind, hole);
    into.body = into.kind.present ? nullptr : into.body;
  }
}

/// Reads the members of a document written in braces, on one line.
void read_braces(std::string_view line, const Output* hole, DocumentHead& into) {
  std::string_view rest = base::trim(line);
  if (!rest.starts_with('{')) {
    return;
  }
  rest.remove_prefix(1);
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= rest.size(); ++i) {
    const char c = i < rest.size() ? rest[i] : '}';
    if (depth == 0 && (c == ',' || c == '}')) {
      const std::string_view member = base::trim(rest.substr(start, i - start));
      const std::string spaced = base::replace_all(member, "\":\"", "\": \"");
      read_head(spaced, hole, into);
      start = i + 1;
    }
    depth += static_cast<int>(c == '{' || c == '[') - static_cast<int>(c == '}' || c == ']');
    if (depth < 0) {
      return;
    }
  }
}

/// Follows a text through its branches. Returns, for the states before a node, those after it.
class Reader {
 public:
  explicit Reader(bool& complete) : complete_(complete) {}

  std::set<DocumentHead> read(const Output& output) {
    for (State state : follow(output, {State()}, 0, 0)) {
      end_line(state);
      end_document(state);
    }
    return std::move(heads_);
  }

 private:
  States follow(const Output& node, const States& before, size_t indent, int depth) {
    if (depth > kDepthMax || before.size() > kStatesMax || ++steps_ > kDocumentStepsMax) {
      complete_ = false;
    }
    if (!complete_) {
      return {};
    }
    switch (node.kind) {
      case Output::Kind::kText:
        return each(before, [&](State& state) { add_text(node.text, indent, state); });
      case Output::Kind::kHole:
        return each(before, [&](State& state) { add_hole(node, state); });
      default:
        return follow_parts(node, before, indent, depth);
    }
  }

  /// Nodes are shared, so the result for each state is remembered.
  States follow_parts(const Output& node, const States& before, size_t indent, int depth) {
    States after;
    States fresh;
    for (const State& state : before) {
      const auto known = known_.find({&node, indent, state});
      if (known == known_.end()) {
        fresh.insert(state);
      } else {
        after.insert(known->second.begin(), known->second.end());
      }
    }
    for (const State& state : fresh) {
      States result = parts_from(node, state, indent, depth);
      after.insert(result.begin(), result.end());
      if (complete_) {
        known_.emplace(std::tuple(&node, indent, state), std::move(result));
      }
    }
    return after;
  }

  States parts_from(const Output& node, const State& state, size_t indent, int depth) {
    States states{state};
    switch (node.kind) {
      case Output::Kind::kSequence:
        for (const OutputPtr& part : node.parts) {
          states = follow(*part, states, indent, depth + 1);
        }
        return states;
      case Output::Kind::kChoice: {
        States after;
        for (const OutputPtr& part : node.parts) {
          after.merge(follow(*part, states, indent, depth + 1));
        }
        return after;
      }
      case Output::Kind::kRepeated:
        return repeat(*node.parts.front(), states, indent, depth);
      case Output::Kind::kIndented: {
        const size_t deeper = indent + node.indent;
        States padded = each(states, [&](State& s) { add(std::string(node.indent, ' '), s); });
        return follow(*node.parts.front(), padded, deeper, depth + 1);
      }
      default:
        return states;
    }
  }

  States repeat(const Output& part, const States& before, size_t indent, int depth) {
    States all = before;
    States last = before;
    for (int round = 0; round < kRoundsMax && !last.empty(); ++round) {
      States fresh;
      for (State state : follow(part, last, indent, depth + 1)) {
        if (round >= kExactRounds) {
          widen(state);
        }
        if (all.insert(state).second) {
          fresh.insert(std::move(state));
        }
      }
      last = std::move(fresh);
    }
    complete_ = complete_ && last.empty();
    return all;
  }

  /// Forgets the end of a line that may grow with each repetition.
  void widen(State& state) const {
    const size_t value = state.line.find(": ");
    if (state.closed || value == std::string::npos) {
      return;
    }
    state.line.resize(value + 2);
    state.line += kHoleMark;
    state.hole = state.hole != nullptr ? state.hole : anything_.get();
  }

  template <typename Change>
  static States each(const States& before, const Change& change) {
    States after;
    for (State state : before) {
      change(state);
      after.insert(std::move(state));
    }
    return after;
  }

  void add_text(std::string_view text, size_t indent, State& state) {
    while (true) {
      const size_t end = text.find('\n');
      add(text.substr(0, end), state);
      if (end == std::string_view::npos) {
        return;
      }
      end_line(state);
      add(std::string(indent, ' '), state);
      text.remove_prefix(end + 1);
    }
  }

  static void add(std::string_view text, State& state) {
    if (const size_t hook = text.find(kHookKey); hook != std::string_view::npos) {
      const std::string_view rest = text.substr(hook + kHookKey.size());
      if (rest.starts_with(':') || rest.starts_with('"') || rest.starts_with('\'')) {
        state.document.is_test = !state.document.is_hook && names_tests(rest);
        state.document.is_hook = true;
      }
    }
    if (state.closed) {
      return;
    }
    state.line.append(text.substr(0, kLineMax));
    close_if_idle(state);
  }

  static void close_if_idle(State& state) {
    if (!matters(state) || state.line.size() > kLineMax) {
      state.closed = true;
      state.line.clear();
      state.hole = nullptr;
    }
  }

  static void add_hole(const Output& hole, State& state) {
    if (state.closed) {
      return;
    }
    // At the start of a line, it may be whole documents.
    if (state.line.empty() && state.document.body == nullptr && !state.document.kind.present) {
      state.document.body = &hole;
    }
    if (state.hole == nullptr) {
      state.hole = &hole;
    }
    state.line += kHoleMark;
    close_if_idle(state);
  }

  void end_line(State& state) {
    if (!state.closed) {
      if (state.line.starts_with("---")) {
        end_document(state);
      } else if (state.line.starts_with('{')) {
        read_braces(state.line, state.hole, state.document);
      } else if (may_be_list(state)) {
        read_list(state);
      } else if (!read_role_ref(state)) {
        read_head(state.line, state.hole, state.document);
      }
    }
    state.line.clear();
    state.closed = false;
    state.hole = nullptr;
  }

  /// Reports whether the line belongs to the roleRef, whose kind is not that of the object.
  static bool read_role_ref(State& state) {
    const std::string_view line = state.line;
    DocumentWord& role = state.document.role_kind;
    if (const auto inner = value_of(line, kRoleRefKey)) {
      state.in_role_ref = inner->empty();
      DocumentHead braces;
      read_braces(*inner, state.hole, braces);
      role = braces.kind;
      return true;
    }
    state.in_role_ref = state.in_role_ref && (line.empty() || line.starts_with(' '));
    if (!state.in_role_ref) {
      return false;
    }
    if (const auto kind = value_of(line, "kind")) {
      role = word_of(*kind, state.hole);
    }
    return true;
  }

  void read_list(State& state) {
    if (state.line.starts_with("items")) {
      state.has_items = true;
    } else if (state.has_items && (state.line.starts_with(' ') || state.line.starts_with('-'))) {
      read_item(state);
    } else {
      read_head(state.line, state.hole, state.document);
    }
  }

  /// Reads a line of the items of a list: "- kind: A" begins an item, whose other members are
  /// indented below it.
  void read_item(State& state) {
    const std::string_view line = state.line;
    const size_t first = line.find_first_not_of(' ');
    if (first == std::string_view::npos) {
      return;
    }
    const int indent = static_cast<int>(first);
    const bool begins = line.substr(first).starts_with("- ");
    if (begins && (state.item_indent < 0 || indent <= state.item_indent - 2)) {
      end_item(state);
      state.item_indent = indent + 2;
    }
    if (begins && indent == state.item_indent - 2) {
      if (state.item != DocumentHead()) {
        end_item(state);
        state.item_indent = indent + 2;
      }
      read_member(line.substr(first + 2), state);
    } else if (indent == state.item_indent) {
      read_member(line.substr(first), state);
    }
  }

  static void read_member(std::string_view line, State& state) {
    if (line.find(kHoleMark) == 0 && state.item.body == nullptr) {
      state.item.body = state.hole;
    }
    read_braces(line, state.hole, state.item);
    read_head(line, state.hole, state.item);
  }

  void end_item(State& state) {
    if (state.item_indent >= 0) {
      DocumentHead& item = state.item;
      if (!item.kind.present && !item.api_version.present && state.document.kind.text != "List") {
        item.api_version = state.document.api_version;
        item.kind = state.document.kind;
        item.kind.text.resize(item.kind.text.size() - std::string_view("List").size());
      }
      add_head(item);
    }
    state.item = {};
    state.item_indent = -1;
  }

  void end_document(State& state) {
    if (state.has_items) {
      end_item(state);
    } else {
      add_head(state.document);
    }
    state.document = {};
    state.in_role_ref = false;
    state.has_items = false;
    state.item = {};
    state.item_indent = -1;
  }

  void add_head(const DocumentHead& head) {
    if (head.kind.present || head.body != nullptr) {
      heads_.insert(head);
    }
  }

  bool& complete_;
  const OutputPtr anything_ = Output::hole({}, nullptr, 0);
  size_t steps_ = 0;
  std::set<DocumentHead> heads_;
  std::map<std::tuple<const Output*, size_t, State>, States> known_;
};

}  // namespace

std::set<DocumentHead> document_heads(const OutputPtr& output, bool& complete) {
  return Reader(complete).read(*output);
}

}  // namespace chartwright::helm::lint
