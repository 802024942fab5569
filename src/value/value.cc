// SPDX-License-Identifier: Apache-2.0
#include "value/value.h"

#include <algorithm>
#include <unordered_map>

#include "base/check.h"

namespace chartwright::value {
namespace {

// Copies values with its own stack: a value may be nested as deep as its text is long.
class DeepCopy {
 public:
  // Returns nullopt if `v` can be shared, because nothing in it needs a copy.
  std::optional<Value> copy(const Value& v) {
    if (!is_container(v)) {
      return leaf(v);
    }
    levels_.push_back(opened(v));
    while (true) {
      const Value* child = next_child(levels_.back());
      if (child == nullptr) {
        std::optional<Value> done = closed(levels_.back());
        leave();
        if (levels_.empty()) {
          return done;
        }
        put(std::move(done));
      } else if (!is_container(*child)) {
        put(leaf(*child));
      } else if (std::optional<Value> known = copy_of_open(*child)) {
        put(std::move(known));
      } else {
        levels_.push_back(opened(*child));
        note_deep();
      }
    }
  }

 private:
  // Like Go's encoders, looks for cycles only below this depth.
  static constexpr size_t kCycleCheckDepth = 1000;

  struct Level {
    const Value* source;
    size_t next;                              // Next item of a list to copy.
    Dict::const_iterator member;              // Next member of a dict to copy.
    std::shared_ptr<Dict> dict;               // The copy of a dict so far.
    std::optional<std::vector<Value>> items;  // The copy of a list, once a child was copied.
  };

  static bool is_container(const Value& v) {
    return v.is_list() || (v.is_dict() && !v.is_nil_dict());
  }

  static std::optional<Value> leaf(const Value& v) {
    if (!v.is_native()) {
      return std::nullopt;
    }
    auto copied = v.as_native().deep_copied();
    return copied != nullptr ? std::optional(Value::native(std::move(copied))) : std::nullopt;
  }

  static Level opened(const Value& v) {
    Level level{&v, 0, {}, nullptr, std::nullopt};
    if (v.is_dict()) {
      level.member = v.as_dict().begin();
      level.dict = std::make_shared<Dict>();
      level.dict->reserve(v.as_dict().size());
    }
    return level;
  }

  static const Value* next_child(const Level& level) {
    if (level.dict != nullptr) {
      return level.member != level.source->as_dict().end() ? &level.member->second : nullptr;
    }
    const std::vector<Value>& items = level.source->as_list().items;
    return level.next < items.size() ? &items[level.next] : nullptr;
  }

  static std::optional<Value> closed(Level& level) {
    if (level.dict != nullptr) {
      return Value::dict(std::move(level.dict), level.source->dict_type());
    }
    if (!level.items) {
      return std::nullopt;
    }
    return Value::list(*std::move(level.items), level.source->as_list().type);
  }

  // Returns the copy in progress of a dict that contains itself.
  std::optional<Value> copy_of_open(const Value& v) const {
    if (!v.is_dict() || levels_.size() < kCycleCheckDepth) {
      return std::nullopt;
    }
    const auto open = deep_.find(&v.as_dict());
    if (open == deep_.end()) {
      return std::nullopt;
    }
    return Value::dict(open->second, v.dict_type());
  }

  void note_deep() {
    const Level& level = levels_.back();
    if (levels_.size() > kCycleCheckDepth && level.dict != nullptr) {
      deep_.emplace(&level.source->as_dict(), level.dict);
    }
  }

  void leave() {
    const Level& level = levels_.back();
    if (levels_.size() > kCycleCheckDepth && level.source->is_dict()) {
      deep_.erase(&level.source->as_dict());
    }
    levels_.pop_back();
  }

  // Finishes the current child with its copy, or with the original if there is no copy.
  void put(std::optional<Value> copied) {
    Level& level = levels_.back();
    if (level.dict != nullptr) {
      const auto& [key, member] = *level.member++;
      level.dict->set(key, copied ? *std::move(copied) : member);
      return;
    }
    if (copied) {
      if (!level.items) {
        level.items = level.source->as_list().items;
      }
      (*level.items)[level.next] = *std::move(copied);
    }
    ++level.next;
  }

  std::vector<Level> levels_;  // Containers around the current child.
  // The copies in progress of those dicts that are below kCycleCheckDepth, which every
  // cycle reaches.
  std::unordered_map<const Dict*, std::shared_ptr<Dict>> deep_;
};

}  // namespace

std::string_view kind_noun(Kind kind) {
  switch (kind) {
    case Kind::kNil:
    case Kind::kNoValue:
      return "null";
    case Kind::kBool:
      return "a boolean";
    case Kind::kInt:
    case Kind::kFloat:
      return "a number";
    case Kind::kString:
    case Kind::kBytes:
      return "a string";
    case Kind::kList:
      return "a list";
    case Kind::kDict:
      return "an object";
    case Kind::kNative:
      break;
  }
  return "a built-in object";
}

Value Value::no_value() {
  Value v;
  v.kind_ = Kind::kNoValue;
  return v;
}

Value Value::boolean(bool v) {
  Value out;
  out.kind_ = Kind::kBool;
  out.scalar_.flag = v;
  return out;
}

Value Value::integer(int64_t v, IntType type) {
  Value out;
  out.kind_ = Kind::kInt;
  out.int_type_ = type;
  out.scalar_.whole = v;
  return out;
}

Value Value::number(double v) {
  Value out;
  out.kind_ = Kind::kFloat;
  out.scalar_.number = v;
  return out;
}

Value Value::string(std::string v) {
  Value out;
  out.kind_ = Kind::kString;
  out.shared_ = std::make_shared<const std::string>(std::move(v));
  return out;
}

Value Value::bytes(std::string v) {
  Value out = string(std::move(v));
  out.kind_ = Kind::kBytes;
  return out;
}

Value Value::nil_bytes() {
  Value out = bytes("");
  out.is_nil_ = true;
  return out;
}

Value Value::list(std::vector<Value> items, ListType type) {
  Value v;
  v.kind_ = Kind::kList;
  v.shared_ = std::make_shared<List>(List{std::move(items), type, false});
  return v;
}

Value Value::nil_list(ListType type) {
  Value v;
  v.kind_ = Kind::kList;
  v.shared_ = std::make_shared<List>(List{{}, type, true});
  return v;
}

Value Value::dict(DictType type) { return dict(std::make_shared<Dict>(), type); }

Value Value::dict(std::initializer_list<std::pair<std::string_view, Value>> entries) {
  Value v = dict(kAnyDict);
  for (const auto& [key, member] : entries) {
    v.mutable_dict().set(key, member);
  }
  return v;
}

Value Value::dict(std::shared_ptr<Dict> dict, DictType type) {
  CW_CHECK(dict != nullptr);
  Value v;
  v.kind_ = Kind::kDict;
  v.scalar_.dict_type = &*type;
  v.shared_ = std::move(dict);
  return v;
}

Value Value::nil_dict(DictType type) {
  Value v = dict(type);
  v.is_nil_ = true;
  return v;
}

Value Value::native(std::shared_ptr<const Native> v) {
  CW_CHECK(v != nullptr);
  Value out;
  out.kind_ = Kind::kNative;
  out.shared_ = std::move(v);
  return out;
}

namespace {

// Returns the slot of the first member of a list or dict, or nullptr if it is empty.
Value* first_member(const Value& container) {
  if (container.is_dict()) {
    const Dict& dict = container.as_dict();
    return dict.empty() ? nullptr : const_cast<Value*>(&dict.begin()->second);
  }
  const List& list = container.as_list();
  return list.items.empty() ? nullptr : const_cast<Value*>(&list.items.front());
}

// Reports whether there are no other references to the object. If so, this thread sees all changes
// that others made to it.
bool is_only_reference(const std::shared_ptr<const void>& object) {
  if (object.use_count() != 1) {
    return false;
  }
  // Counting up and down again makes the releases of other threads visible here.
  static_cast<void>(std::shared_ptr<const void>(object));
  return true;
}

}  // namespace

void Value::release_container() noexcept {
  // Destroying a container destroys its members, which may be containers: hostile documents nest
  // thousands deep, and this runs on threads with small stacks. Below a certain depth, containers
  // are set aside and the outermost call destroys them. They are chained, each link in the slot of
  // the first member, because there may be no memory left for a list of them.
  constexpr int kNestedMax = 32;
  thread_local int nested = 0;
  thread_local Value* aside = nullptr;
  const auto drop = [](Value& container) {
    container.shared_.reset();
    container.kind_ = Kind::kNil;
  };
  if (nested > 0 && nested < kNestedMax) {
    ++nested;
    drop(*this);
    --nested;
    return;
  }
  Value container;
  container.swap(*this);
  if (nested > 0) {
    while (container.is_list() || container.is_dict()) {
      Value* const first = is_only_reference(container.shared_) ? first_member(container) : nullptr;
      if (first == nullptr) {
        return drop(container);  // Destroys no member.
      }
      Value member;
      member.swap(*first);
      first->swap(*aside);
      aside->swap(container);
      container.swap(member);  // Set aside too: nothing may be destroyed here.
    }
    return;
  }
  Value chain;
  aside = &chain;
  nested = 1;
  drop(container);
  while (!chain.is_nil()) {
    container.swap(chain);
    chain.swap(*first_member(container));
    drop(container);
  }
  nested = 0;
}

bool Value::as_bool() const {
  CW_CHECK(is_bool());
  return scalar_.flag;
}

int64_t Value::as_int() const {
  CW_CHECK(is_int());
  return scalar_.whole;
}

IntType Value::int_type() const {
  CW_CHECK(is_int());
  return int_type_;
}

double Value::as_float() const {
  CW_CHECK(is_float());
  return scalar_.number;
}

const std::string& Value::as_string() const {
  CW_CHECK(is_string() || is_bytes());
  return *static_cast<const std::string*>(shared_.get());
}

const List& Value::as_list() const {
  CW_CHECK(is_list());
  return *static_cast<const List*>(shared_.get());
}

bool Value::is_nil_bytes() const {
  CW_CHECK(is_bytes());
  return is_nil_;
}

DictType Value::dict_type() const {
  CW_CHECK(is_dict());
  return DictType(*scalar_.dict_type);
}

bool Value::is_nil_dict() const {
  CW_CHECK(is_dict());
  return is_nil_;
}

Value Value::with_type(DictType type) const {
  CW_CHECK(is_dict());
  Value v = *this;
  v.scalar_.dict_type = &*type;
  return v;
}

const Dict& Value::as_dict() const {
  CW_CHECK(is_dict());
  return *static_cast<const Dict*>(shared_.get());
}

Dict& Value::mutable_dict() const {
  // Every dict was created as a mutable Dict; only shared_ is const.
  return const_cast<Dict&>(as_dict());
}

std::shared_ptr<Dict> Value::shared_dict() const {
  CW_CHECK(is_dict());
  return std::const_pointer_cast<Dict>(std::static_pointer_cast<const Dict>(shared_));
}

const Native& Value::as_native() const {
  CW_CHECK(is_native());
  return *static_cast<const Native*>(shared_.get());
}

std::shared_ptr<const Native> Value::shared_native() const {
  CW_CHECK(is_native());
  return std::static_pointer_cast<const Native>(shared_);
}

const Value* Value::find(std::string_view key) const {
  return is_dict() ? as_dict().find(key) : nullptr;
}

const Value* Value::find_path(std::initializer_list<std::string_view> keys) const {
  const Value* at = this;
  for (std::string_view key : keys) {
    at = at->find(key);
    if (at == nullptr) {
      return nullptr;
    }
  }
  return at;
}

std::string_view Value::string_at(std::initializer_list<std::string_view> keys) const {
  const Value* v = find_path(keys);
  return v != nullptr && v->is_string() ? std::string_view(v->as_string()) : std::string_view();
}

bool Value::bool_at(std::initializer_list<std::string_view> keys) const {
  const Value* v = find_path(keys);
  return v != nullptr && v->is_bool() && v->as_bool();
}

const std::vector<Value>& Value::items_at(std::initializer_list<std::string_view> keys) const {
  static const std::vector<Value> kNone;
  const Value* v = find_path(keys);
  return v != nullptr && v->is_list() ? v->as_list().items : kNone;
}

int Native::method_arity(std::string_view /*name*/) const { return -1; }

std::shared_ptr<const Native> Native::with_number(int64_t /*number*/) const { return nullptr; }

base::Result<Value> Native::call(std::string_view name, std::span<const Value> /*args*/) const {
  return base::Error(base::ErrorCode::kNotFound, "no method " + std::string(name));
}

Value list_of(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  items.reserve(texts.size());
  for (const std::string& text : texts) {
    items.push_back(Value::string(text));
  }
  return Value::list(std::move(items));
}

Value deep_copy(const Value& v) { return DeepCopy().copy(v).value_or(v); }

}  // namespace chartwright::value
