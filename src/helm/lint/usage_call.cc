// SPDX-License-Identifier: Apache-2.0
#include "base/strings.h"
#include "helm/lint/usage_walk.h"

namespace chartwright::helm::lint {
namespace {

using Kind = Shape::Kind;

}  // namespace

const std::map<std::string_view, UsageWalk::Handler>& UsageWalk::handlers() {
  using W = UsageWalk;
  static const std::map<std::string_view, Handler> table = [] {
    std::map<std::string_view, Handler> all = {
        {"include", &W::call_include},   {"tpl", &W::call_tpl},   {"dict", &W::call_dict},
        {"set", &W::call_set},           {"get", &W::call_get},   {"hasKey", &W::call_has_key},
        {"index", &W::call_index},       {"dig", &W::call_dig},   {"ternary", &W::call_ternary},
        {"required", &W::call_required}, {"keys", &W::call_keys}, {"unset", &W::call_pick},
        {"omit", &W::call_pick},         {"pick", &W::call_pick},
    };
    const auto add = [&all](Handler handler, std::initializer_list<std::string_view> names) {
      for (std::string_view name : names) {
        all.emplace(name, handler);
      }
    };
    add(&W::call_list, {"list", "tuple"});
    add(&W::call_merge, {"merge", "mustMerge", "mergeOverwrite", "mustMergeOverwrite"});
    add(&W::call_first_argument,
        {"deepCopy", "mustDeepCopy", "rest", "mustRest", "initial", "mustInitial", "reverse",
         "mustReverse", "uniq", "mustUniq", "compact", "mustCompact", "values"});
    add(&W::call_element, {"first", "mustFirst", "last", "mustLast"});
    add(&W::call_join, {"concat", "append", "mustAppend", "push", "prepend", "mustPrepend"});
    add(&W::call_either, {"default", "coalesce", "and", "or"});
    add(&W::call_test, {"not", "empty", "all", "any", "kindIs", "kindOf", "typeOf", "typeIs",
                        "typeIsLike", "len"});
    return all;
  }();
  return table;
}

Shape UsageWalk::call(std::string_view name, Arguments& arguments) {
  const auto found = handlers().find(name);
  if (found != handlers().end()) {
    return followed((this->*found->second)(arguments));
  }
  for (const Shape& argument : arguments) {
    read(argument);
  }
  return {};
}

Shape UsageWalk::call_include(Arguments& arguments) {
  if (arguments.size() != 2) {
    return {};
  }
  // What templates do with data handed to them need not fit this caller's.
  const bool whole = arguments[1].is(Kind::kScope);
  const Shape data = whole ? arguments[1] : arguments[1].borrowed();
  if (arguments[0].constant_text() != nullptr) {
    call_template(arguments[0].text, data);
    return {};
  }
  // A name that is made up may be any.
  read(arguments[0]);
  ++quiet_;
  for (const auto& [name, trees] : named_) {
    if (trees.front()->name != trees.front()->parse_name) {
      call_template(name, data);
    }
  }
  --quiet_;
  return {};
}

Shape UsageWalk::call_tpl(Arguments& arguments) {
  if (!arguments.empty()) {
    read(arguments[0]);
  }
  for (size_t i = 1; i < arguments.size(); ++i) {
    escape_to_text(arguments[i]);
  }
  return {};
}

Shape UsageWalk::call_dict(Arguments& arguments) {
  Shape dict = Shape::of_dict();
  for (size_t i = 0; i + 1 < arguments.size(); i += 2) {
    if (arguments[i].constant_text() != nullptr) {
      (*dict.members)[arguments[i].text] = arguments[i + 1].borrowed();
    } else {
      read(arguments[i]);
      read(arguments[i + 1]);
    }
  }
  return dict;
}

Shape UsageWalk::call_list(Arguments& arguments) { return Shape::of_list(std::move(arguments)); }

Shape UsageWalk::call_set(Arguments& arguments) {
  if (arguments.size() != 3) {
    return {};
  }
  const Shape& key = arguments[1];
  const Shape& value = arguments[2];
  if (arguments[0].is(Kind::kDict) && key.constant_text() != nullptr) {
    written_.insert(arguments[0].members);
    Shape& member = (*arguments[0].members)[key.text];
    member = Shape::any({member, value});
    return arguments[0];
  }
  add_below(arguments[0]);
  ++quiet_;
  read(key);
  read(value);
  --quiet_;
  return arguments[0].borrowed();
}

Shape UsageWalk::call_get(Arguments& arguments) {
  if (arguments.size() != 2 || arguments[1].constant_text() == nullptr) {
    return call_index(arguments);
  }
  Shape found = field(arguments[0], arguments[1].text);
  test(found);
  return found.borrowed();
}

Shape UsageWalk::call_has_key(Arguments& arguments) {
  call_get(arguments);
  return {};
}

Shape UsageWalk::call_index(Arguments& arguments) {
  if (arguments.empty()) {
    return {};
  }
  Shape found = arguments[0];
  for (size_t i = 1; i < arguments.size(); ++i) {
    const Shape& key = arguments[i];
    if (found.is(Kind::kList)) {
      const auto at = key.constant_text() != nullptr ? base::parse_int(key.text) : std::nullopt;
      const bool inside = at && *at >= 0 && static_cast<size_t>(*at) < found.items.size();
      found = inside ? Shape(found.items[static_cast<size_t>(*at)]) : element(found);
    } else if (key.constant_text() != nullptr && !base::parse_int(key.text)) {
      note_access(found);
      found = field(found, key.text);
    } else {
      read(key);
      found = element(found);
    }
  }
  return found.borrowed();
}

/// dig KEY... DEFAULT DICT
Shape UsageWalk::call_dig(Arguments& arguments) {
  if (arguments.size() < 3) {
    return {};
  }
  Shape found = arguments.back();
  for (size_t i = 0; i + 2 < arguments.size(); ++i) {
    read(arguments[i]);
    found =
        arguments[i].constant_text() != nullptr ? field(found, arguments[i].text) : element(found);
    test(found);
  }
  return Shape::any({found, arguments[arguments.size() - 2]});
}

Shape UsageWalk::call_pick(Arguments& arguments) {
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

Shape UsageWalk::call_merge(Arguments& arguments) {
  if (!arguments.empty()) {
    add_below(arguments[0]);
  }
  return call_join(arguments);
}

Shape UsageWalk::call_first_argument(Arguments& arguments) {
  return arguments.empty() ? Shape() : arguments[0].borrowed();
}

Shape UsageWalk::call_element(Arguments& arguments) {
  return arguments.empty() ? Shape() : element(arguments[0]);
}

Shape UsageWalk::call_join(Arguments& arguments) {
  Shape joined = Shape::any(arguments);
  if (joined.items.size() > kAlternativesMax) {
    read(joined);
    return {};
  }
  // Items that are added to a list are found by looking for elements of it.
  Shape added = Shape::of_list(arguments);
  return Shape::any({joined, added});
}

Shape UsageWalk::call_either(Arguments& arguments) {
  for (const Shape& argument : arguments) {
    test(argument);
  }
  return Shape::any(arguments);
}

Shape UsageWalk::call_ternary(Arguments& arguments) {
  if (arguments.size() != 3) {
    return {};
  }
  read(arguments[2]);
  return Shape::any({arguments[0], arguments[1]});
}

Shape UsageWalk::call_required(Arguments& arguments) {
  if (arguments.size() != 2) {
    return {};
  }
  read(arguments[0]);
  test(arguments[1]);
  return arguments[1].borrowed();
}

Shape UsageWalk::call_test(Arguments& arguments) {
  for (const Shape& argument : arguments) {
    test(argument);
  }
  return {};
}

Shape UsageWalk::call_keys(Arguments& arguments) {
  for (const Shape& argument : arguments) {
    test(argument);
    element(argument);
  }
  return {};
}

void UsageWalk::note_access(const Shape& shape) {
  if (shape.is(Kind::kPath) && shape.sure && quiet_ == 0 && shape.tree != nullptr &&
      spend(shape.path.size())) {
    usage_.accesses.push_back({shape.path, shape.tree, shape.pos});
  }
}

void UsageWalk::read(const Shape& shape) {
  if (!usage_.complete) {
    return;
  }
  switch (shape.kind) {
    case Kind::kPath:
      note_access(shape);
      mark_at(usage_.marks, shape.path).whole = true;
      break;
    case Kind::kScope:
      mark_at(usage_.marks, {}).whole = true;
      break;
    case Kind::kDict:
      for (const auto& [name, member] : *shape.members) {
        read(member);
      }
      break;
    case Kind::kList:
    case Kind::kAny:
      for (const Shape& item : shape.items) {
        read(item);
      }
      break;
    default:
      break;
  }
}

void UsageWalk::test(const Shape& shape) {
  if (shape.is(Kind::kPath)) {
    note_access(shape);
    mark_at(usage_.marks, shape.path).touched = true;
    usage_.optional.insert(shape.path);
  } else if (shape.is(Kind::kAny)) {
    for (const Shape& item : shape.items) {
      test(item);
    }
  }
}

/// Texts that are evaluated are searched for values by themselves; what else they are given counts.
void UsageWalk::escape_to_text(const Shape& shape) {
  if (!usage_.complete) {
    return;
  }
  if (shape.is(Kind::kPath)) {
    mark_at(usage_.marks, shape.path).whole = true;
  } else if (shape.is(Kind::kDict)) {
    for (const auto& [name, member] : *shape.members) {
      escape_to_text(member);
    }
  } else if (shape.is(Kind::kList) || shape.is(Kind::kAny)) {
    for (const Shape& item : shape.items) {
      escape_to_text(item);
    }
  }
}

void UsageWalk::add_below(const Shape& shape) {
  if (shape.is(Kind::kPath)) {
    usage_.open.insert(shape.path);
  } else if (shape.is(Kind::kAny)) {
    for (const Shape& item : shape.items) {
      add_below(item);
    }
  }
}

}  // namespace chartwright::helm::lint
