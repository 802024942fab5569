// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/documents.h"

#include <algorithm>
#include <map>
#include <optional>
#include <tuple>
#include <utility>

#include "base/strings.h"

namespace chartwright::helm::analysis {
namespace {

/// Limits for the text of one template file.
constexpr size_t kStatesMax = 2000;
constexpr size_t kDocumentStepsMax = 400'000;
constexpr int kRoundsMax = 20;
/// Repetitions of which each line is kept as it is.
constexpr int kExactRounds = 2;
constexpr int kDepthMax = 3000;
constexpr size_t kLineMax = 400;

constexpr std::string_view kHookKey = "helm.sh/hook";
constexpr std::string_view kRoleRefKey = "roleRef";

/// The part of the current document that has been read at a place of a text. A text with branches
/// leads to several states.
struct State {
  std::string line;              ///< The current line, while it may still matter.
  bool closed = false;           ///< The rest of the line does not matter.
  const Output* hole = nullptr;  ///< The first hole in the line.
  TextPlace start;               ///< The start of the line.
  int indent = -1;               ///< The indent of the document's members; -1: none is read.
  DocumentHead document;
  bool awaits_value = false;  ///< A kind or apiVersion had no value on its line.
  bool in_role_ref = false;   ///< The lines of the roleRef follow.
  bool has_items = false;     ///< The document is a list: a line "items:" has been read.
  bool early_items = false;   ///< It was read before the kind.
  int dash_indent = -1;       ///< The indent of the list's current item; -1: none.
  int item_indent = -1;       ///< The indent of that item's members; -1: none is read.
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

/// Returns the current line without the indentation that all members of the document have.
std::string_view member_line(const State& state) {
  const std::string_view line = state.line;
  const size_t common = static_cast<size_t>(std::max(state.indent, 0));
  const size_t first = std::min(line.find_first_not_of(' '), line.size());
  return first >= common ? line.substr(common) : line;
}

/// Reports whether a line that begins like this may say something about the objects of a document.
bool matters(const State& state) {
  const std::string_view line = member_line(state);
  if (line.empty()) {
    return true;
  }
  if (line.front() == ' ') {
    return state.indent < 0 || may_be_list(state) || state.in_role_ref || state.awaits_value ||
           line.find_first_not_of(' ') == std::string_view::npos;
  }
  // Some begin with no word: braces, quotes, holes, complex keys, merge keys.
  if (std::string_view("{\"'?<").find(line.front()) != std::string_view::npos ||
      line.front() == kHoleMark || (line.front() == '-' && may_be_list(state))) {
    return true;
  }
  const std::string_view known = line.substr(0, line.find(kHoleMark));
  return may_begin_with(known, "apiVersion") || may_begin_with(known, "kind") ||
         may_begin_with(known, "items") || may_begin_with(line, kRoleRefKey) ||
         may_begin_with(line, "---");
}

/// Returns a value without its anchor and tag.
std::string_view without_properties(std::string_view text) {
  text = base::trim(text);
  while (text.starts_with('&') || text.starts_with('!')) {
    text = base::trim(text.substr(std::min(text.find(' '), text.size())));
  }
  return text;
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
  rest = without_properties(rest.substr(0, rest.find(" #")));
  return unquoted(rest);
}

/// Reports whether a value or a key may stand for a text that is not written there.
bool is_unreadable(std::string_view text) {
  return text.starts_with('*') || text.starts_with('|') || text.starts_with('>') ||
         text.find('\\') != std::string_view::npos;
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
  return {std::string(text), has_hole ? hole : nullptr, !text.empty()};
}

void set_unclear(const TextPlace& place, DocumentHead& head) {
  if (!head.is_unclear) {
    head.is_unclear = true;
    head.unclear = place;
  }
}

/// Reads a member of an object. Returns false if it lacks its value, which may be on the next line.
bool read_head(std::string_view line, const State& state, DocumentHead& into) {
  for (const auto& [key, word] : {std::pair{std::string_view("apiVersion"), &into.api_version},
                                  std::pair{std::string_view("kind"), &into.kind}}) {
    const auto value = value_of(line, key);
    if (!value) {
      continue;
    }
    if (is_unreadable(*value)) {
      set_unclear(state.start, into);
      *word = {"", nullptr, true};
      return true;
    }
    *word = word_of(*value, state.hole);
    return word->present;
  }
  const std::string_view key = line.substr(0, line.find(':'));
  const size_t hole = key.find(kHoleMark);
  const std::string_view known = key.substr(0, hole);
  const bool may_be_head = may_begin_with(known, "apiVersion") || may_begin_with(known, "kind");
  if (hole != std::string_view::npos && hole > 0 && may_be_head) {
    into.body = state.hole;
  }
  const bool is_escaped = key.starts_with('"') && is_unreadable(key);
  if (is_escaped || line.starts_with("? ") || line.starts_with("<<:")) {
    set_unclear(state.start, into);
  }
  return true;
}

/// Returns how many more braces a text opens than it closes.
int open_braces(std::string_view text) {
  const auto opened = std::count(text.begin(), text.end(), '{');
  return static_cast<int>(opened - std::count(text.begin(), text.end(), '}'));
}

/// Reads the members of an object written in braces.
void read_braces(std::string_view text, const State& state, DocumentHead& into) {
  std::string_view rest = base::trim(text);
  if (!rest.starts_with('{')) {
    return;
  }
  rest.remove_prefix(1);
  int depth = 0;
  size_t start = 0;
  for (size_t i = 0; i <= rest.size() && depth >= 0; ++i) {
    const char c = i < rest.size() ? rest[i] : '}';
    if (depth == 0 && (c == ',' || c == '}')) {
      const std::string_view member = base::trim(rest.substr(start, i - start));
      if (member.starts_with(kHoleMark)) {
        into.body = state.hole;
      }
      read_head(base::replace_all(member, "\":\"", "\": \""), state, into);
      start = i + 1;
    }
    depth += static_cast<int>(c == '{' || c == '[') - static_cast<int>(c == '}' || c == ']');
  }
  if (open_braces(text) > 0 && !(into.kind.present && into.api_version.present)) {
    set_unclear(state.start, into);
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
        return each(before, [&](State& state) { add_text(node, indent, state); });
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

  void add_text(const Output& node, size_t indent, State& state) {
    size_t start = 0;
    while (true) {
      const size_t end = node.text.find('\n', start);
      add(node.text.substr(start, end - start), state, {&node, start});
      if (end == std::string_view::npos) {
        return;
      }
      if (!goes_on(state)) {
        end_line(state);
      }
      add(std::string(indent, ' '), state);
      start = end + 1;
    }
  }

  /// Reports whether the text in braces that the line begins with goes on in the next line.
  static bool goes_on(State& state) {
    const bool in_braces = !state.closed && base::trim(state.line).starts_with('{') &&
                           open_braces(state.line) > 0 && state.line.size() < kLineMax;
    if (in_braces) {
      state.line += ' ';
    }
    return in_braces;
  }

  static void add(std::string_view text, State& state, const TextPlace& place = {}) {
    if (const size_t hook = text.find(kHookKey); hook != std::string_view::npos) {
      const std::string_view rest = text.substr(hook + kHookKey.size());
      if (rest.starts_with(':') || rest.starts_with('"') || rest.starts_with('\'')) {
        state.document.is_test = !state.document.is_hook && names_tests(rest);
        state.document.is_hook = true;
      }
    }
    if (state.closed || text.empty()) {
      return;
    }
    if (state.start.node == nullptr) {
      state.start = place;
    }
    state.line.append(text.substr(0, kLineMax));
    state.line.resize(std::min(state.line.size(), kLineMax));
    set_indent(state);
    close_if_idle(state);
  }

  /// The first member of a document tells the indentation of all.
  static void set_indent(State& state) {
    const size_t first = state.line.find_first_not_of(' ');
    const bool is_member = first != std::string::npos && state.line[first] != '#' &&
                           state.line[first] != kHoleMark && state.line[first] != '\r' &&
                           !may_begin_with(state.line, "---");
    if (state.indent < 0 && is_member) {
      state.indent = static_cast<int>(first);
    }
  }

  static void close_if_idle(State& state) {
    if (!matters(state)) {
      state.closed = true;
      begin_line(state);
    }
  }

  static void begin_line(State& state) {
    state.line.clear();
    state.hole = nullptr;
    state.start = {};
  }

  void add_hole(const Output& hole, State& state) {
    if (state.closed) {
      return;
    }
    // At the start of a line, it may be whole documents, or a member that is written again.
    if (state.line.empty() && state.document.kind.present) {
      add_object_in(hole);
    } else if (state.line.find_first_not_of(' ') == std::string::npos &&
               state.document.body == nullptr && !state.document.kind.present) {
      state.document.body = &hole;
    }
    if (state.hole == nullptr) {
      state.hole = &hole;
    }
    if (state.start.node == nullptr) {
      state.start = {&hole, 0};
    }
    state.line += kHoleMark;
    close_if_idle(state);
  }

  void end_line(State& state) {
    if (!state.closed) {
      read_line(state);
    }
    begin_line(state);
    state.closed = false;
  }

  void read_line(State& state) {
    if (state.line.starts_with("---")) {
      end_document(state);
      state.line.erase(0, 3);
      set_indent(state);
    }
    const std::string_view line = member_line(state);
    const bool is_blank = base::trim(line).empty() || base::trim(line).starts_with('#');
    if (is_blank) {
      return;
    }
    if (state.awaits_value && line.starts_with(' ')) {
      set_unclear(state.start, state.document);
    }
    state.awaits_value = false;
    if (base::trim(line).starts_with('{')) {
      read_braces(line, state, state.document);
    } else if (may_be_list(state)) {
      read_list(line, state);
    } else if (!read_role_ref(line, state)) {
      read_members(line, state);
    }
  }

  static void read_members(std::string_view line, State& state) {
    if (line.starts_with(' ')) {
      return;  // Of an inner table.
    }
    state.early_items =
        state.early_items || (!state.document.kind.present && value_of(line, "items").has_value());
    state.awaits_value = !read_head(line, state, state.document);
  }

  /// Reports whether the line belongs to the roleRef, whose kind is not that of the object.
  static bool read_role_ref(std::string_view line, State& state) {
    DocumentWord& role = state.document.role_kind;
    if (const auto inner = value_of(line, kRoleRefKey)) {
      state.in_role_ref = inner->empty();
      DocumentHead braces;
      read_braces(*inner, state, braces);
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

  void read_list(std::string_view line, State& state) {
    const auto items = line.starts_with(' ') ? std::nullopt : value_of(line, "items");
    if (items) {
      state.has_items = true;
      if (items->find(kHoleMark) != std::string_view::npos) {
        add_object_in(*state.hole);
      } else if (!items->empty() && *items != "[]") {
        set_unclear(state.start, state.document);
      }
    } else if (state.has_items && (line.starts_with(' ') || line.starts_with('-'))) {
      read_item(line, state);
    } else {
      read_members(line, state);
    }
  }

  /// Reads a line of the items of a list: "- kind: A" begins an item, whose other members are
  /// indented below it.
  void read_item(std::string_view line, State& state) {
    const int indent = static_cast<int>(line.find_first_not_of(' '));
    const std::string_view content = line.substr(static_cast<size_t>(indent));
    const bool is_outside = state.dash_indent < 0 || indent <= state.dash_indent;
    if (is_outside && (content == "-" || content.starts_with("- "))) {
      end_item(state);
      state.dash_indent = indent;
      const size_t inner = content.find_first_not_of(' ', 1);
      if (inner != std::string_view::npos) {
        state.item_indent = indent + static_cast<int>(inner);
        read_member(content.substr(inner), state);
      }
    } else if (is_outside && content.starts_with(kHoleMark)) {
      add_object_in(*state.hole);
    } else if (!is_outside) {
      state.item_indent = state.item_indent < 0 ? indent : state.item_indent;
      if (indent == state.item_indent) {
        read_member(content, state);
      }
    }
  }

  static void read_member(std::string_view line, State& state) {
    if (line.starts_with('&')) {
      line = without_properties(line);
      if (line.empty()) {
        state.item_indent = -1;
        return;
      }
    }
    if (line.starts_with(kHoleMark) && state.item.body == nullptr) {
      state.item.body = state.hole;
    }
    if (line.starts_with('*')) {
      set_unclear(state.start, state.item);
    }
    read_braces(line, state, state.item);
    if (!read_head(line, state, state.item)) {
      set_unclear(state.start, state.item);
    }
  }

  void end_item(State& state) {
    if (state.dash_indent >= 0) {
      DocumentHead& item = state.item;
      if (item.kind.text == "List") {
        set_unclear(item.unclear, item);
      }
      if (!item.kind.present && !item.api_version.present && state.document.kind.text != "List") {
        item.api_version = state.document.api_version;
        item.kind = state.document.kind;
        item.kind.text.resize(item.kind.text.size() - std::string_view("List").size());
      }
      add_head(item);
    }
    state.item = {};
    state.dash_indent = -1;
    state.item_indent = -1;
  }

  void end_document(State& state) {
    if (state.early_items && may_be_list(state)) {
      set_unclear({}, state.document);
    }
    if (state.document.is_unclear) {
      DocumentHead unclear;
      set_unclear(state.document.unclear, unclear);
      heads_.insert(unclear);
    }
    if (state.has_items) {
      end_item(state);
    } else {
      add_head(state.document);
    }
    State fresh;
    fresh.line = std::move(state.line);
    fresh.hole = state.hole;
    fresh.start = state.start;
    state = std::move(fresh);
  }

  /// A hole may be an object, or several.
  void add_object_in(const Output& hole) {
    DocumentHead head;
    head.body = &hole;
    heads_.insert(head);
  }

  void add_head(const DocumentHead& head) {
    if (head.kind.present || head.body != nullptr || head.is_unclear) {
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

}  // namespace chartwright::helm::analysis
