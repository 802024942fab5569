// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/strings.h"
#include "helm/analysis/usage_collector.h"

namespace chartwright::helm::analysis {
namespace {

using Kind = AbstractValue::Kind;

/// Maximum number of texts of one template that are followed as constants.
constexpr size_t kWordsMax = 8;

/// Functions whose arguments become integers: the rest of a fraction is lost.
constexpr std::array<std::string_view, 10> kIntegerFunctions = {
    "int", "int64", "until", "untilStep", "add", "add1", "sub", "mul", "div", "mod"};

/// Calls `change` with the members of a value that is a dict, or may be one.
template <typename Change>
void for_each_dict(const AbstractValue& value, const Change& change) {
  if (value.is(Kind::kDict)) {
    change(*value.members);
  } else if (value.is(Kind::kAny)) {
    for (const AbstractValue& item : value.items) {
      for_each_dict(item, change);
    }
  }
}

/// Adds what a member of a dict may be.
void add_member(AbstractValue::Members& members, const std::string& name,
                const AbstractValue& value) {
  const auto [known, is_new] = members.emplace(name, value.unsure());
  if (!is_new) {
    known->second = AbstractValue::any({known->second, value});
  }
}

/// Adds members that are not known one by one: those of `value`.
void add_others(AbstractValue::Members& members, const AbstractValue& value) {
  AbstractValue& others = members.emplace(kOthersStep, AbstractValue::of_list({})).first->second;
  const bool is_known =
      std::any_of(others.items.begin(), others.items.end(),
                  [key = value.key()](const AbstractValue& other) { return other.key() == key; });
  if (!is_known && others.items.size() < kAlternativesMax) {
    others.items.push_back(value.unsure());
  } else if (!is_known) {
    others.items = {AbstractValue()};
  }
}

/// The alternatives of a value, lists apart.
struct Alternatives {
  std::vector<AbstractValue> lists;
  std::vector<AbstractValue> others;
};

Alternatives alternatives(const AbstractValue& of) {
  Alternatives all;
  for (const AbstractValue& item : of.is(Kind::kAny) ? of.items : std::vector{of}) {
    (item.is(Kind::kList) ? all.lists : all.others).push_back(item);
  }
  return all;
}

/// Appends the items of a list. One that equals the item before it adds nothing, so that a loop
/// which appends the same again and again comes to an end.
AbstractValue joined(AbstractValue list, const AbstractValue& other) {
  for (const AbstractValue& item : other.items) {
    if (list.items.empty() || list.items.back().key() != item.key()) {
      list.items.push_back(item);
    }
  }
  list.open = list.open || other.open;
  return list;
}

/// Returns a value whose lists are one, with the items of all. It is open, as their order and
/// number are not known.
AbstractValue in_any_order(const AbstractValue& value) {
  auto [lists, others] = alternatives(value);
  std::map<std::string, AbstractValue> items;
  for (const AbstractValue& list : lists) {
    for (const AbstractValue& item : list.items) {
      items.emplace(item.key(), item);
    }
  }
  AbstractValue merged = AbstractValue::of_list({});
  for (auto& [key, item] : items) {
    merged.items.push_back(std::move(item));
  }
  others.push_back(std::move(merged));
  AbstractValue all = AbstractValue::any(std::move(others));
  all.open = true;
  return all;
}

/// Returns the text of a template as constants, if it can only be a few.
AbstractValue as_value(OutputPtr output) {
  const auto texts = texts_of(output, kWordsMax);
  if (!texts) {
    return AbstractValue::written(std::move(output));
  }
  std::vector<AbstractValue> words;
  for (const std::string& text : *texts) {
    words.push_back(AbstractValue::constant(text));
  }
  return words.size() == 1 ? words.front() : AbstractValue::any(std::move(words));
}

}  // namespace

const std::map<std::string_view, UsageCollector::Handler>& UsageCollector::handlers() {
  using Self = UsageCollector;
  static const std::map<std::string_view, Handler> table = [] {
    std::map<std::string_view, Handler> all = {
        {"include", &Self::call_include}, {"tpl", &Self::call_tpl},
        {"dict", &Self::call_dict},       {"set", &Self::call_set},
        {"get", &Self::call_get},         {"hasKey", &Self::call_has_key},
        {"index", &Self::call_index},     {"dig", &Self::call_dig},
        {"ternary", &Self::call_ternary}, {"required", &Self::call_required},
        {"keys", &Self::call_keys},       {"unset", &Self::call_pick},
        {"omit", &Self::call_pick},       {"pick", &Self::call_pick},
        {"lookup", &Self::call_lookup},   {"has", &Self::call_compare},
        {"fail", &Self::call_nothing},
    };
    const auto add = [&all](Handler handler, std::initializer_list<std::string_view> names) {
      for (std::string_view name : names) {
        all.emplace(name, handler);
      }
    };
    add(&Self::call_list, {"list", "tuple"});
    add(&Self::call_merge, {"merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite"});
    add(&Self::call_first_argument,
        {"deepCopy", "mustDeepCopy", "rest", "mustRest", "initial", "mustInitial", "reverse",
         "mustReverse", "uniq", "mustUniq", "compact", "mustCompact", "values"});
    add(&Self::call_first, {"first", "mustFirst"});
    add(&Self::call_last, {"last", "mustLast"});
    add(&Self::call_append, {"append", "mustAppend", "push", "mustPush"});
    add(&Self::call_prepend, {"prepend", "mustPrepend"});
    add(&Self::call_concat, {"concat", "mustConcat"});
    add(&Self::call_either, {"default", "coalesce", "and", "or"});
    add(&Self::call_encode, {"toYaml", "toYamlPretty", "mustToYaml", "toJson", "mustToJson",
                             "toPrettyJson", "mustToPrettyJson", "toRawJson", "mustToRawJson"});
    add(&Self::call_decode, {"fromYaml", "fromJson"});
    add(&Self::call_compare, {"eq", "ne"});
    add(&Self::call_test, {"not", "empty", "all", "any", "len"});
    add(&Self::call_kind_test, {"kindIs", "kindOf", "typeOf", "typeIs", "typeIsLike"});
    return all;
  }();
  return table;
}

AbstractValue UsageCollector::call(std::string_view name, Arguments& arguments) {
  note_parameters(name, arguments);
  mark_chosen(name, arguments);
  const auto found = handlers().find(name);
  AbstractValue result = found != handlers().end() ? followed((this->*found->second)(arguments))
                                                   : call_other(name, arguments);
  if (result.output != nullptr) {
    result.output = outputs_.unique(result.output);
  }
  return result;
}

/// Calls a function that is in no handler: it reads its arguments, and may make a text of them.
AbstractValue UsageCollector::call_other(std::string_view name, Arguments& arguments) {
  const bool takes_integers = std::ranges::find(kIntegerFunctions, name) != kIntegerFunctions.end();
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (takes_integers) {
      read_as(Taken::kInteger, arguments[i]);
    } else if (needed_by(name, i)) {
      read_as(Taken::kNeededKind, arguments[i]);
    } else {
      read(arguments[i]);
    }
  }
  return call_text(name, arguments);
}

AbstractValue UsageCollector::call_include(Arguments& arguments) {
  if (arguments.size() != 2) {
    return {};
  }
  // A template may read members of its data that this caller's data need not have.
  const bool is_scope = arguments[1].is(Kind::kScope);
  const AbstractValue data = is_scope ? arguments[1] : arguments[1].borrowed();
  if (arguments[0].constant_text() != nullptr) {
    return as_value(call_template(arguments[0].text, data));
  }
  // A computed name may be any template, unless its values are known.
  read(arguments[0]);
  const Words names = words_of(arguments[0]);
  std::vector<OutputPtr> written;
  ++quiet_;
  for (const auto& [name, trees] : named_) {
    if (trees.front()->name != trees.front()->parse_name) {
      const OutputPtr output = call_template(name, data);
      const bool is_named =
          std::find(names.texts.begin(), names.texts.end(), name) != names.texts.end();
      if (names.open || is_named) {
        written.push_back(output);
      }
    }
  }
  --quiet_;
  return written.empty() ? AbstractValue() : as_value(Output::choice(std::move(written)));
}

AbstractValue UsageCollector::call_tpl(Arguments& arguments) {
  if (!arguments.empty()) {
    read_as(Taken::kNeededKind, arguments[0]);
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    read_by_tpl(arguments[i]);
  }
  if (arguments.size() == 2 && arguments[0].constant_text() != nullptr) {
    return as_value(evaluate_text(arguments[0].text, arguments[1]));
  }
  usage_.evaluates = true;
  if (arguments.size() != 2) {
    return {};
  }
  return AbstractValue::written(output_of(arguments[0]));
}

AbstractValue UsageCollector::call_dict(Arguments& arguments) {
  AbstractValue dict = AbstractValue::of_dict();
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i].constant_text() != nullptr) {
      (*dict.members)[arguments[i].text] = arguments[i + 1].borrowed();
    } else {
      read(arguments[i]);
      read(arguments[i + 1]);
      AbstractValue& any = (*dict.members)[kEveryStep];
      any = AbstractValue::any({any, arguments[i + 1]});
    }
  }
  return dict;
}

AbstractValue UsageCollector::call_list(Arguments& arguments) {
  return AbstractValue::of_list(std::move(arguments));
}

AbstractValue UsageCollector::call_set(Arguments& arguments) {
  if (arguments.size() != 3) {
    return {};
  }
  const AbstractValue& key = arguments[1];
  const AbstractValue& value = arguments[2];
  const bool is_known = key.constant_text() != nullptr;
  for_each_dict(arguments[0], [&](AbstractValue::Members& members) {
    add_member(members, is_known ? key.text : kEveryStep, value);
  });
  note_written(arguments[0]);
  if (arguments[0].is(Kind::kDict) && is_known) {
    return arguments[0];
  }
  add_below(arguments[0]);
  ++quiet_;
  read(key);
  read(value);
  --quiet_;
  return arguments[0].borrowed();
}

AbstractValue UsageCollector::call_get(Arguments& arguments) {
  if (arguments.size() != 2 || arguments[1].constant_text() == nullptr) {
    return call_index(arguments);
  }
  AbstractValue found = field(arguments[0], arguments[1].text);
  test(found);
  return found.borrowed();
}

AbstractValue UsageCollector::call_has_key(Arguments& arguments) {
  call_get(arguments);
  return {};
}

AbstractValue UsageCollector::call_index(Arguments& arguments) {
  if (arguments.empty()) {
    return {};
  }
  AbstractValue found = arguments[0];
  const bool is_in_nothing = found.is(Kind::kDict) && found.members->empty() && !found.open &&
                             !written_.contains(found.members);
  if (is_in_nothing && arguments.size() > 1) {
    return AbstractValue::constant("");
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    const AbstractValue& key = arguments[i];
    if (found.is(Kind::kList)) {
      const auto at = key.constant_text() != nullptr ? base::parse_int(key.text) : std::nullopt;
      const bool inside = at && *at >= 0 && static_cast<size_t>(*at) < found.items.size();
      found = inside ? AbstractValue(found.items[static_cast<size_t>(*at)])
                     : element(found).as_chosen();
    } else if (key.constant_text() != nullptr && !base::parse_int(key.text)) {
      note_access(found);
      found = field(found, key.text);
    } else {
      read(key);
      found = element(found).as_chosen();
    }
  }
  return found.borrowed();
}

/// Handles dig KEY... DEFAULT DICT.
AbstractValue UsageCollector::call_dig(Arguments& arguments) {
  if (arguments.size() < 3) {
    return {};
  }
  AbstractValue found = arguments.back();
  for (size_t i = 0; i + 2 < arguments.size(); ++i) {
    read(arguments[i]);
    found = arguments[i].constant_text() != nullptr ? field(found, arguments[i].text)
                                                    : element(found).as_chosen();
    test(found);
  }
  return AbstractValue::any({found, arguments[arguments.size() - 2]});
}

AbstractValue UsageCollector::call_pick(Arguments& arguments) {
  if (arguments.empty()) {
    return {};
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    if (arguments[i].constant_text() != nullptr) {
      test(field(arguments[0], arguments[i].text));
    } else {
      read(arguments[i]);
    }
  }
  return arguments[0].borrowed();
}

/// The first dict is changed in place.
AbstractValue UsageCollector::call_merge(Arguments& arguments) {
  if (arguments.empty()) {
    return {};
  }
  add_below(arguments[0]);
  for (size_t i = 1; i < arguments.size(); ++i) {
    merge_into(arguments[0], arguments[i]);
  }
  return one_of(AbstractValue::any(arguments));
}

void UsageCollector::merge_into(const AbstractValue& target, const AbstractValue& source) {
  note_written(target);
  for_each_dict(target, [&source](AbstractValue::Members& members) {
    if (!source.is(Kind::kDict)) {
      add_others(members, source);
    } else if (source.members.get() != &members) {
      for (const auto& [name, member] : *source.members) {
        if (name == kOthersStep) {
          std::for_each(member.items.begin(), member.items.end(),
                        [&members](const AbstractValue& one) { add_others(members, one); });
        } else {
          add_member(members, name, member);
        }
      }
    }
  });
}

/// Remembers the dicts that are changed.
void UsageCollector::note_written(const AbstractValue& value) {
  if (value.is(Kind::kDict)) {
    written_.insert(value.members);
  }
  for (const AbstractValue& item : value.items) {
    note_written(item);
  }
}

AbstractValue UsageCollector::call_first_argument(Arguments& arguments) {
  return arguments.empty() ? AbstractValue() : arguments[0].borrowed();
}

AbstractValue UsageCollector::call_element(Arguments& arguments) {
  return arguments.empty() ? AbstractValue() : element(arguments[0]).as_chosen();
}

AbstractValue UsageCollector::call_first(Arguments& arguments) {
  const bool is_known = !arguments.empty() && arguments[0].is(Kind::kList) && !arguments[0].open &&
                        !arguments[0].items.empty();
  return is_known ? AbstractValue(arguments[0].items.front()) : call_element(arguments);
}

AbstractValue UsageCollector::call_last(Arguments& arguments) {
  const bool is_known = !arguments.empty() && arguments[0].is(Kind::kList) && !arguments[0].open &&
                        !arguments[0].items.empty();
  return is_known ? AbstractValue(arguments[0].items.back()) : call_element(arguments);
}

AbstractValue UsageCollector::call_append(Arguments& arguments) {
  return arguments.size() == 2 ? concatenated(arguments[0], AbstractValue::of_list({arguments[1]}))
                               : AbstractValue();
}

AbstractValue UsageCollector::call_prepend(Arguments& arguments) {
  return arguments.size() == 2 ? concatenated(AbstractValue::of_list({arguments[1]}), arguments[0])
                               : AbstractValue();
}

AbstractValue UsageCollector::call_concat(Arguments& arguments) {
  if (arguments.empty()) {
    return AbstractValue::of_list({});
  }
  AbstractValue all = arguments[0];
  for (size_t i = 1; i < arguments.size(); ++i) {
    all = concatenated(all, arguments[i]);
  }
  return all;
}

/// Returns a value. If its alternatives are too many to be followed, those that are lists become
/// one; if they are still too many, they count as used.
AbstractValue UsageCollector::one_of(AbstractValue value) {
  if (value.is(Kind::kAny) && value.items.size() > kAlternativesMax) {
    value = in_any_order(value);
  }
  if (!value.is(Kind::kAny) || value.items.size() <= kAlternativesMax) {
    return value;
  }
  read(value);
  return {};
}

/// Returns the items of two lists, each of which may be one of several. A loop over one that is not
/// known finds the elements of both.
AbstractValue UsageCollector::concatenated(const AbstractValue& a, const AbstractValue& b) {
  const Alternatives first = alternatives(a);
  const Alternatives second = alternatives(b);
  const size_t work = a.weight(kWeightMax) * (1 + second.lists.size()) +
                      b.weight(kWeightMax) * (1 + first.lists.size());
  if (!spend(work / kWeightOfStep)) {
    return {};
  }
  std::vector<AbstractValue> all = first.others;
  all.insert(all.end(), second.others.begin(), second.others.end());
  for (const AbstractValue& list : first.lists) {
    for (const AbstractValue& other : second.lists) {
      all.push_back(joined(list, other));
    }
  }
  const bool is_known = first.others.empty() && second.others.empty();
  if (!is_known) {
    all.insert(all.end(), first.lists.begin(), first.lists.end());
    all.insert(all.end(), second.lists.begin(), second.lists.end());
  }
  AbstractValue result = AbstractValue::any(std::move(all));
  result.open = result.open || a.open || b.open;
  return one_of(std::move(result));
}

AbstractValue UsageCollector::call_either(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    test(argument);
  }
  return AbstractValue::any(arguments);
}

AbstractValue UsageCollector::call_ternary(Arguments& arguments) {
  if (arguments.size() != 3) {
    return {};
  }
  read(arguments[2]);
  return AbstractValue::any({arguments[0].as_chosen(), arguments[1].as_chosen()});
}

AbstractValue UsageCollector::call_required(Arguments& arguments) {
  if (arguments.size() != 2) {
    return {};
  }
  const bool fails = arguments[1].constant_text() != nullptr && arguments[1].text.empty();
  if (fails) {
    return call_nothing(arguments);
  }
  read(arguments[0]);
  test(arguments[1]);
  return arguments[1].borrowed();
}

AbstractValue UsageCollector::call_test(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    test(argument);
  }
  return {};
}

AbstractValue UsageCollector::call_keys(Arguments& arguments) {
  for (const AbstractValue& argument : arguments) {
    test(argument);
    element(argument);
  }
  return {};
}

void UsageCollector::note_access(const AbstractValue& value) {
  if (value.is(Kind::kPath) && value.sure && quiet_ == 0 && value.tree != nullptr &&
      spend(value.path.size())) {
    usage_.accesses.push_back({value.path, value.tree, value.pos});
  }
}

void UsageCollector::read(const AbstractValue& value) {
  std::set<const AbstractValue::Members*> seen;
  mark_read(value, Reader::kTemplate, seen);
}

/// Marks values given to `tpl` as data as read. References in the evaluated text itself are found
/// separately, by mark_named_in.
void UsageCollector::read_by_tpl(const AbstractValue& value) {
  std::set<const AbstractValue::Members*> seen;
  mark_read(value, Reader::kTpl, seen);
}

/// A dict may contain itself: those that were `seen` are not followed again.
void UsageCollector::mark_read(const AbstractValue& value, Reader reader,
                               std::set<const AbstractValue::Members*>& seen) {
  if (usage_.ended) {
    return;
  }
  if (value.is(Kind::kPath)) {
    if (reader == Reader::kTemplate) {
      note_access(value);
      note_external(value.path, kEveryStep);
    }
    mark_whole(usage_.root, value.path);
  } else if (value.is(Kind::kScope) && reader == Reader::kTemplate) {
    mark_whole(usage_.root, {});
  } else if (value.is(Kind::kDict) && seen.insert(value.members.get()).second) {
    for (const auto& [name, member] : *value.members) {
      mark_read(member, reader, seen);
    }
  }
  for (const AbstractValue& item : value.items) {
    mark_read(item, reader, seen);
  }
}

void UsageCollector::test(const AbstractValue& value) {
  if (value.is(Kind::kPath)) {
    note_access(value);
    usage_at(usage_.root, value.path).touched = true;
    usage_.optional.insert(value.path);
  } else if (value.is(Kind::kAny)) {
    for (const AbstractValue& item : value.items) {
      test(item);
    }
  }
}

void UsageCollector::add_below(const AbstractValue& value) {
  if (value.is(Kind::kPath)) {
    usage_.open.insert(value.path);
  } else if (value.is(Kind::kAny)) {
    for (const AbstractValue& item : value.items) {
      add_below(item);
    }
  }
}

}  // namespace chartwright::helm::analysis
