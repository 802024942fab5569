// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <span>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/quote.h"
#include "helm/analysis/usage_collector.h"
#include "helm/render/functions.h"
#include "tmpl/parser.h"

// The part of UsageCollector that follows text: what functions make of it, and what templates
// write.
namespace chartwright::helm::analysis {
namespace {

using Kind = AbstractValue::Kind;
using Operands = std::span<const std::string>;

/// The most combinations of arguments that are computed.
constexpr size_t kCombinationsMax = 24;
constexpr size_t kIndentMax = 1000;
constexpr int kExpansionMax = 100;

/// Returns what `printf` makes of strings; nullopt for verbs that depend on types.
std::optional<std::string> format(Operands arguments) {
  std::string written;
  size_t next = 1;
  const std::string& pattern = arguments.front();
  for (size_t i = 0; i < pattern.size(); ++i) {
    if (pattern[i] != '%') {
      written += pattern[i];
      continue;
    }
    const char verb = i + 1 < pattern.size() ? pattern[++i] : '\0';
    if (verb == '%') {
      written += '%';
    } else if (next < arguments.size() &&
               (verb == 's' || verb == 'v' || (verb == 'd' && base::parse_int(arguments[next])))) {
      written += arguments[next++];
    } else {
      return std::nullopt;
    }
  }
  return next == arguments.size() ? std::optional(written) : std::nullopt;
}

std::string without_suffix(std::string_view text, std::string_view suffix) {
  return std::string(text.substr(0, text.size() - (text.ends_with(suffix) ? suffix.size() : 0)));
}

std::string without_prefix(std::string_view text, std::string_view prefix) {
  return std::string(text.substr(text.starts_with(prefix) ? prefix.size() : 0));
}

std::string upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a') {
      c = c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    }
  }
  return text;
}

std::string title(std::string text) {
  if (!text.empty()) {
    text.replace(0, 1, upper(text.substr(0, 1)));
  }
  return text;
}

std::string truncated(const std::string& text, const std::string& length) {
  const auto most = base::parse_int(length);
  return most && *most >= 0 ? text.substr(0, static_cast<size_t>(*most)) : text;
}

/// A pure function of strings, as Sprig or Go has it for ASCII.
struct TextFunction {
  std::string_view name;
  size_t arity;  ///< 0: at least one.
  std::optional<std::string> (*body)(Operands);
};

using Text = std::optional<std::string>;
constexpr std::array kTextFunctions = {
    TextFunction{"printf", 0, format},
    TextFunction{"print", 1, [](Operands a) { return Text(a[0]); }},
    TextFunction{"toString", 1, [](Operands a) { return Text(a[0]); }},
    TextFunction{"quote", 1, [](Operands a) { return Text(go::quote(a[0])); }},
    TextFunction{"squote", 1, [](Operands a) { return Text("'" + a[0] + "'"); }},
    TextFunction{"lower", 1, [](Operands a) { return Text(base::to_lower_ascii(a[0])); }},
    TextFunction{"upper", 1, [](Operands a) { return Text(upper(a[0])); }},
    TextFunction{"title", 1, [](Operands a) { return Text(title(a[0])); }},
    TextFunction{"trim", 1, [](Operands a) { return Text(base::trim(a[0])); }},
    TextFunction{"trimSuffix", 2, [](Operands a) { return Text(without_suffix(a[1], a[0])); }},
    TextFunction{"trimPrefix", 2, [](Operands a) { return Text(without_prefix(a[1], a[0])); }},
    TextFunction{"trunc", 2, [](Operands a) { return Text(truncated(a[1], a[0])); }},
    TextFunction{"replace", 3,
                 [](Operands a) {
                   return a[0].empty() ? Text() : Text(base::replace_all(a[2], a[0], a[1]));
                 }},
};

/// Functions that change nothing which the kinds of documents depend on, if their other arguments
/// keep words.
constexpr std::array<std::string_view, 8> kKeepDocuments = {
    "trim", "trimSuffix", "trimPrefix", "quote", "squote", "toString", "print", "replace"};

/// Reports whether `text` is a constant without letters and digits.
bool keeps_words(const AbstractValue& text) {
  return text.constant_text() != nullptr &&
         std::none_of(text.text.begin(), text.text.end(), base::is_ascii_alphanumeric<char>);
}

/// Reports whether `replace` with these arguments makes one line of several.
bool joins_lines(std::span<const AbstractValue> arguments) {
  const bool is_known = arguments.size() == 3 && arguments[0].constant_text() != nullptr &&
                        arguments[1].constant_text() != nullptr;
  return is_known && arguments[0].text == "\n" && arguments[1].text.find('\n') == std::string::npos;
}

const TextFunction* find_text_function(std::string_view name, size_t arguments) {
  for (const TextFunction& each : kTextFunctions) {
    if (each.name == name && (each.arity == arguments || (each.arity == 0 && arguments > 0))) {
      return &each;
    }
  }
  return nullptr;
}

}  // namespace

UsageCollector::Words UsageCollector::words_of(const AbstractValue& value) const {
  Words words;
  words.open = value.open;
  switch (value.kind) {
    case Kind::kText:
      words.texts = {value.text};
      break;
    case Kind::kWritten: {
      auto texts = texts_of(value.output, kCombinationsMax);
      words.open = words.open || !texts;
      words.texts = std::move(texts).value_or(std::vector<std::string>());
      break;
    }
    case Kind::kPath: {
      words.open = true;
      for (const value::Value& usual : defaults_at(scopes_, value.path)) {
        if (usual.is_string() && usual.as_string().size() <= kWordMax) {
          words.texts.push_back(usual.as_string());
        }
      }
      break;
    }
    case Kind::kAny:
      for (const AbstractValue& item : value.items) {
        Words some = words_of(item);
        words.open = words.open || some.open;
        words.texts.insert(words.texts.end(), some.texts.begin(), some.texts.end());
      }
      break;
    default:
      words.open = true;
      break;
  }
  return words;
}

OutputPtr UsageCollector::output_of(const AbstractValue& value) const {
  OutputPtr output;
  switch (value.kind) {
    case Kind::kText:
      output = Output::of_text(value.text);
      break;
    case Kind::kWritten:
      output = value.output;
      break;
    case Kind::kPath:
      output = Output::hole(value.path, place_.tree, place_.pos);
      break;
    case Kind::kAny: {
      std::vector<OutputPtr> parts;
      for (const AbstractValue& item : value.items) {
        parts.push_back(output_of(item));
      }
      output = Output::choice(std::move(parts));
      break;
    }
    default:
      return hole();
  }
  return value.open ? Output::choice({std::move(output), hole()}) : output;
}

/// Writes a dict as a YAML document; only what tells the kinds of objects is of interest.
OutputPtr UsageCollector::output_of_dict(const AbstractValue::Members& members) const {
  const auto others = members.find(kOthersStep);
  const bool has_others = others != members.end();
  std::vector<OutputPtr> lines;
  if (has_others) {
    lines.push_back(output_of_others(others->second));
  }
  for (const auto& [name, member] : members) {
    if (name == kEveryStep || name == kOthersStep) {
      continue;
    }
    const bool is_word = name == "apiVersion" || name == "kind";
    const bool is_text = is_word || name == "items" || member.is(Kind::kText) ||
                         member.is(Kind::kWritten) || member.is(Kind::kPath);
    OutputPtr line = Output::sequence({Output::of_text(name + ": "),
                                       is_text ? encoded(member) : Output::of_text("{}"),
                                       Output::of_text("\n")});
    lines.push_back(has_others ? Output::choice({std::move(line), Output::empty()})
                               : std::move(line));
  }
  if (members.contains(kEveryStep)) {
    lines.push_back(Output::choice({hole(), Output::empty()}));
  }
  return Output::sequence(std::move(lines));
}

/// Writes the members that were decoded and merged, in any order: the last one wins.
OutputPtr UsageCollector::output_of_others(const AbstractValue& others) const {
  std::vector<OutputPtr> parts;
  for (const AbstractValue& one : others.items) {
    parts.push_back(Output::sequence({encoded(one), Output::of_text("\n")}));
  }
  return parts.size() == 1 ? parts.front() : Output::repeated(Output::choice(std::move(parts)));
}

OutputPtr UsageCollector::output_of_list(const AbstractValue& list) const {
  std::vector<OutputPtr> lines;
  for (const AbstractValue& item : list.items) {
    const bool may_be_object = !item.is(Kind::kText) && !item.is(Kind::kWritten);
    lines.push_back(Output::of_text("\n-\n"));
    lines.push_back(may_be_object ? Output::indented(encoded(item), 2) : Output::of_text("  a"));
  }
  return lines.empty() ? Output::of_text("[]") : Output::sequence(std::move(lines));
}

bool UsageCollector::is_list_by_default(const Steps& path) const {
  const std::vector<value::Value> usual = defaults_at(scopes_, path);
  return !usual.empty() &&
         std::ranges::all_of(usual, [](const value::Value& each) { return each.is_list(); });
}

/// Writes the items of a list in the values: their lines begin no document, and no member of one.
OutputPtr UsageCollector::output_of_items(const AbstractValue& list) const {
  return Output::sequence({Output::of_text("- "), output_of(list)});
}

/// Returns a value as YAML.
OutputPtr UsageCollector::encoded(const AbstractValue& value) const {
  std::vector<OutputPtr> parts;
  const std::vector<AbstractValue> single{value};
  for (const AbstractValue& item : value.is(Kind::kAny) ? value.items : single) {
    if (item.is(Kind::kDict)) {
      parts.push_back(output_of_dict(*item.members));
    } else if (item.is(Kind::kPath) && is_list_by_default(item.path)) {
      parts.push_back(output_of_items(item));
    } else {
      parts.push_back(item.is(Kind::kList) ? output_of_list(item) : output_of(item));
    }
  }
  if (value.open) {
    parts.push_back(hole());
  }
  return Output::choice(std::move(parts));
}

AbstractValue UsageCollector::call_text(std::string_view name, Arguments& arguments) {
  if ((name == "indent" || name == "nindent") && arguments.size() == 2) {
    const auto width = base::parse_int(arguments[0].text);
    const bool is_known = arguments[0].constant_text() != nullptr && width && *width >= 0;
    const size_t indent = is_known ? static_cast<size_t>(*width) : 0;
    OutputPtr inner = Output::indented(output_of(arguments[1]), std::min(indent, kIndentMax));
    return AbstractValue::written(
        name == "indent" ? std::move(inner)
                         : Output::sequence({Output::of_text("\n"), std::move(inner)}));
  }
  if (const TextFunction* function = find_text_function(name, arguments.size())) {
    std::vector<std::vector<std::string>> combinations{{}};
    bool open = false;
    for (const AbstractValue& argument : arguments) {
      const Words words = words_of(argument);
      open = open || words.open;
      std::vector<std::vector<std::string>> longer;
      for (const auto& before : combinations) {
        for (const std::string& word : words.texts) {
          longer.push_back(before);
          longer.back().push_back(word);
        }
      }
      combinations = std::move(longer);
      if (combinations.size() > kCombinationsMax) {
        return {};
      }
    }
    std::vector<AbstractValue> results;
    for (const auto& combination : combinations) {
      const auto text = function->body(combination);
      results.push_back(text ? AbstractValue::constant(*text) : AbstractValue());
    }
    if (!results.empty()) {
      AbstractValue result =
          results.size() == 1 ? results.front() : AbstractValue::any(std::move(results));
      result.open = result.open || open;
      return result;
    }
  }
  if (name == "replace" && joins_lines(arguments)) {
    return {};
  }
  if (std::find(kKeepDocuments.begin(), kKeepDocuments.end(), name) != kKeepDocuments.end() &&
      !arguments.empty()) {
    OutputPtr output = output_of(arguments.back());
    const bool keeps = std::all_of(arguments.begin(), arguments.end() - 1, keeps_words);
    return AbstractValue::written(keeps ? std::move(output)
                                        : Output::choice({std::move(output), hole()}));
  }
  return {};
}

AbstractValue UsageCollector::call_encode(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    read(argument);
  }
  if (arguments.empty()) {
    return {};
  }
  return AbstractValue::written(encoded(arguments.back()));
}

/// Text that is decoded and encoded again is followed as text.
AbstractValue UsageCollector::call_decode(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    read(argument);
  }
  if (arguments.empty()) {
    return {};
  }
  AbstractValue decoded = AbstractValue::of_dict();
  decoded.members->emplace(kOthersStep, AbstractValue::of_list({arguments.back().unsure()}));
  return decoded;
}

AbstractValue UsageCollector::call_compare(Arguments& arguments) {
  std::vector<std::string> constants;
  for (const AbstractValue& argument : arguments) {
    read(argument);
    for (const AbstractValue& item :
         argument.is(Kind::kList) ? argument.items : std::vector<AbstractValue>{argument}) {
      if (item.constant_text() != nullptr) {
        constants.push_back(item.text);
      }
    }
  }
  for (const AbstractValue& argument : arguments) {
    if (argument.is(Kind::kPath) && spend(constants.size())) {
      usage_.compared[argument.path].insert(constants.begin(), constants.end());
    }
  }
  return {};
}

/// Source: helm/helm pkg/engine/lookup_func.go: lookup API-VERSION KIND NAMESPACE NAME.
AbstractValue UsageCollector::call_lookup(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    read(argument);
  }
  if (arguments.size() != 4) {
    return {};
  }
  const Words versions = words_of(arguments[0]);
  const Words kinds = words_of(arguments[1]);
  const std::string* name = arguments[3].constant_text();
  const bool lists = name != nullptr && name->empty();
  LookupCall call{"", "", lists, arguments[2], arguments[3], place_.tree, place_.pos};
  for (const std::string& version : versions.texts) {
    for (const std::string& kind : kinds.texts) {
      call.api_version = version;
      call.kind = kind;
      usage_.lookups.push_back(call);
    }
  }
  if (versions.open || kinds.open) {
    call.api_version.clear();
    call.kind.clear();
    usage_.lookups.push_back(std::move(call));
  }
  return {};
}

AbstractValue UsageCollector::call_nothing(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    read(argument);
  }
  return AbstractValue::constant("");
}

/// Returns the content of a file for `.Files.Get "name"`; unknown for other calls.
AbstractValue UsageCollector::file_content(const tmpl::Term& callee, const Arguments& arguments,
                                           Frame& frame) {
  if (arguments.size() != 1 || arguments[0].constant_text() == nullptr) {
    return {};
  }
  AbstractValue base;
  std::vector<std::string_view> names;
  if (const auto* named = std::get_if<tmpl::Field>(&callee)) {
    base = frame.dot;
    names = named->names;
  } else if (const auto* held = std::get_if<tmpl::Variable>(&callee)) {
    names.assign(held->names.begin() + 1, held->names.end());
    base = variable(tmpl::Variable{held->pos, {held->names.front()}}, frame);
  }
  if (names.size() != 2 || names[0] != "Files" || names[1] != "Get" || !base.is(Kind::kScope)) {
    return {};
  }
  for (const helm::File& file : scopes_[base.scope].chart->content->files) {
    if (file.name == arguments[0].text && spend(1 + file.data.size() / kWordMax)) {
      return AbstractValue::constant(file.data);
    }
  }
  return AbstractValue::constant("");
}

/// Returns the text that a template in a constant may write.
OutputPtr UsageCollector::evaluate_text(const std::string& text, const AbstractValue& data) {
  if (text.find("{{") == std::string::npos || !spend(1 + text.size() / kWordMax)) {
    return Output::of_text(text);
  }
  auto trees = tmpl::parse_template("tpl", std::make_shared<const std::string>(text),
                                    helm::helm_functions());
  const auto own = trees.ok() ? trees->find("tpl") : tmpl::TreeMap::iterator();
  if (!trees.ok() || own == trees->end() || nesting_ >= kExpansionMax) {
    return hole();
  }
  const tmpl::Tree& tree = *own->second;
  usage_.trees.push_back(*std::move(trees));
  ++nesting_;
  const Place caller = place_;
  Frame frame{&tree, data, {{"$", data}}};
  OutputPtr output = statements(tree.body, frame);
  place_ = caller;
  --nesting_;
  return output;
}

}  // namespace chartwright::helm::analysis
