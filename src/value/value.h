// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"

namespace chartwright::value {

class Dict;
class Native;
struct List;

/// The shapes that chart values, template data and Kubernetes objects take.
enum class Kind : uint8_t {
  kNil,  ///< A nil interface: JSON null, or a map entry that is not there under missingkey=zero.
  kNoValue,  ///< Go's invalid reflect.Value: a missing field where even nil would say too much.
  kBool,
  kInt,    ///< A whole number; its Go type (int, int64, ...) is kept beside it.
  kFloat,  ///< float64, what every number of a values file is.
  kString,
  kBytes,   ///< []byte: prints as numbers, converts to text where Sprig does.
  kList,    ///< Shared and immutable: functions that change a list build a new one.
  kDict,    ///< Shared and mutable, as a Go map is: Sprig's `set` is seen through every reference.
  kNative,  ///< A Go struct or pointer with fields and methods (.Chart, .Capabilities, time.Time).
};

/// How a sentence for users names a value of that kind: "a number", "an object", "null".
std::string_view kind_noun(Kind kind);

/// Go's static integer type; decides %T, typeOf, conversions and comparison.
enum class IntType : uint8_t { kInt64, kInt, kInt32, kUint8, kUint64 };

/// Element type of a Go slice, kept for %T, typeOf and conversions.
enum class ListType : uint8_t {
  kAny,
  kString,
  kInt,
  kDict,
  kList,        ///< [][]interface {}
  kMaintainer,  ///< []*chart.Maintainer
  kDependency   ///< []*chart.Dependency
};

/// Go type under which a map is held.
enum class DictType : uint8_t {
  kAny,           ///< map[string]interface {}
  kString,        ///< map[string]string
  kValues,        ///< chartutil.Values
  kCommonValues,  ///< common.Values, the same in Helm 4
  kFiles,         ///< engine.files: map[string][]byte
};

/// Whether the members of a map of that type are of type interface{}.
constexpr bool holds_any(DictType type) {
  return type == DictType::kAny || type == DictType::kValues || type == DictType::kCommonValues;
}

/// A value of 32 bytes, cheap to copy. Distinct Values may be used from distinct threads, but a
/// dict payload is shared: nobody may write one that another thread can see (each render
/// deep-copies its roots; stored objects are only read).
class Value {
 public:
  Value() = default;  ///< nil
  Value(const Value&) = default;
  /// Leaves nil behind.
  Value(Value&& other) noexcept
      : kind_(std::exchange(other.kind_, Kind::kNil)),
        int_type_(other.int_type_),
        dict_type_(other.dict_type_),
        scalar_(other.scalar_),
        shared_(std::move(other.shared_)) {}
  Value& operator=(const Value& other) {
    Value copy(other);
    swap(copy);
    return *this;
  }
  Value& operator=(Value&& other) noexcept {
    Value taken(std::move(other));
    swap(taken);
    return *this;
  }
  ~Value() {
    if (kind_ == Kind::kList || kind_ == Kind::kDict) {
      release_container();
    }
  }
  void swap(Value& other) noexcept {
    std::swap(kind_, other.kind_);
    std::swap(int_type_, other.int_type_);
    std::swap(dict_type_, other.dict_type_);
    std::swap(scalar_, other.scalar_);
    shared_.swap(other.shared_);
  }

  static Value nil() { return {}; }
  static Value no_value();
  static Value boolean(bool v);
  static Value integer(int64_t v, IntType type = IntType::kInt64);
  static Value number(double v);
  static Value string(std::string v);
  static Value string(std::string_view v) { return string(std::string(v)); }
  static Value string(const char* v) { return string(std::string(v)); }
  static Value bytes(std::string v);
  /// A nil []byte: prints as [], marshals as null.
  static Value nil_bytes();
  static Value list(std::vector<Value> items = {}, ListType type = ListType::kAny);
  /// A nil slice: prints as [], marshals as null.
  static Value nil_list(ListType type = ListType::kAny);
  static Value dict(DictType type = DictType::kAny);
  static Value dict(std::initializer_list<std::pair<std::string_view, Value>> entries);
  static Value dict(std::shared_ptr<Dict> dict, DictType type = DictType::kAny);
  /// A nil map: prints as map[], marshals as null, holds nothing and must not be written.
  static Value nil_dict(DictType type = DictType::kAny);
  static Value native(std::shared_ptr<const Native> v);

  Kind kind() const { return kind_; }
  bool is_nil() const { return kind_ == Kind::kNil; }
  bool is_no_value() const { return kind_ == Kind::kNoValue; }
  bool is_bool() const { return kind_ == Kind::kBool; }
  bool is_int() const { return kind_ == Kind::kInt; }
  bool is_float() const { return kind_ == Kind::kFloat; }
  bool is_string() const { return kind_ == Kind::kString; }
  bool is_bytes() const { return kind_ == Kind::kBytes; }
  bool is_list() const { return kind_ == Kind::kList; }
  bool is_dict() const { return kind_ == Kind::kDict; }
  bool is_native() const { return kind_ == Kind::kNative; }

  // Each of these aborts on another kind: callers have looked.
  bool as_bool() const;
  int64_t as_int() const;
  IntType int_type() const;
  double as_float() const;
  const std::string& as_string() const;  ///< kString and kBytes.
  const List& as_list() const;
  bool is_nil_bytes() const;  ///< Of kBytes.
  const Dict& as_dict() const;
  DictType dict_type() const;  ///< Of kDict.
  bool is_nil_dict() const;    ///< Of kDict.
  /// The same map, held under another Go type.
  Value with_type(DictType type) const;
  /// The shared payload for writing: visible through every Value that refers to it.
  Dict& mutable_dict() const;
  std::shared_ptr<Dict> shared_dict() const;
  const Native& as_native() const;
  std::shared_ptr<const Native> shared_native() const;

  /// Member `key` of a dict; nullptr when this is no dict or has no such key.
  const Value* find(std::string_view key) const;
  /// Member reached through nested dicts; nullptr when any step is missing.
  const Value* find_path(std::initializer_list<std::string_view> keys) const;
  /// The string at that member, or "" when it is missing or no string.
  std::string_view string_at(std::initializer_list<std::string_view> keys) const;

 private:
  // Drops a container so that the depth of a document never becomes depth of the stack.
  void release_container() noexcept;

  Kind kind_ = Kind::kNil;
  IntType int_type_ = IntType::kInt64;
  DictType dict_type_ = DictType::kAny;
  union {
    bool flag;  // Also of bytes and dicts: nil.
    int64_t whole;
    double number;
  } scalar_{.whole = 0};
  // The text, List, Dict or Native that kind_ says. Not a std::variant: every move of one costs a
  // jump table, and Values are moved more than anything else.
  std::shared_ptr<const void> shared_;
};

struct List {
  std::vector<Value> items;
  ListType type = ListType::kAny;
  bool is_nil = false;
};

/// A map from strings, iterated in bytewise key order (the order in which Go's fmt, encoding/json
/// and template range visit keys). A sorted array: small, cheap to walk and to copy; insertion in
/// the middle is linear. Not thread-safe.
class Dict {
 public:
  using Entry = std::pair<std::string, Value>;
  /// A member to set, or without a value to erase.
  using Change = std::pair<std::string, std::optional<Value>>;
  using const_iterator = std::vector<Entry>::const_iterator;

  Dict() = default;
  /// Takes entries in any order, in n log n; of equal keys the last one stays.
  explicit Dict(std::vector<Entry> entries);
  size_t size() const { return entries_.size(); }
  bool empty() const { return entries_.empty(); }
  const_iterator begin() const { return entries_.begin(); }
  const_iterator end() const { return entries_.end(); }

  /// nullptr when there is no such key. Invalidated by set and erase.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Inserts or replaces.
  void set(std::string_view key, Value v);
  /// The value at `key`, inserted as nil when absent.
  Value& at_or_insert(std::string_view key);
  /// True if the key was there.
  bool erase(std::string_view key);
  /// Makes all changes in one walk, where one by one each would move what comes after it. They are
  /// in key order, one for a key.
  void change(std::vector<Change> changes);
  /// How many entries come after `key`, which set and erase may have to move.
  size_t count_after(std::string_view key) const;
  void reserve(size_t n) { entries_.reserve(n); }

 private:
  std::vector<Entry>::iterator lower_bound(std::string_view key);
  std::vector<Entry>::const_iterator lower_bound(std::string_view key) const;
  std::vector<Entry> entries_;
};

/// A Go value that is neither map nor slice nor scalar: a struct or pointer whose fields and
/// methods templates can reach. Implementations are immutable, or synchronise themselves.
class Native {
 public:
  /// A field of a struct, exported or not.
  struct Member {
    std::string_view name;
    Value value;
  };

  virtual ~Native() = default;
  /// As %T prints it: "time.Time", "*semver.Version", "*chart.Metadata".
  virtual std::string_view go_type() const = 0;
  /// As kindOf prints it: "struct", "ptr", "map", "slice".
  virtual std::string_view go_kind() const = 0;
  /// Go template truth.
  virtual bool truth() const { return true; }
  /// An exported field's value; nullopt when there is none of that name.
  virtual std::optional<Value> field(std::string_view name) const = 0;
  /// Parameters a method takes (-1: no such method).
  virtual int method_arity(std::string_view name) const;
  /// Calls a method that exists with as many arguments as it takes.
  virtual base::Result<Value> call(std::string_view name, std::span<const Value> args) const;
  /// The list or dict beneath a named Go slice or map type that has methods (.Files,
  /// .Capabilities.APIVersions): what range, len, index, fmt and functions work on. nullptr for
  /// structs and pointers.
  virtual const Value* underlying() const { return nullptr; }
  /// The type whose methods are within reach: empty for a copy of what has methods on a pointer.
  virtual std::string_view method_owner() const { return go_type(); }
  /// What it is once it is in an interface{}, where no pointer leads to it; nullptr: the same.
  virtual std::shared_ptr<const Native> boxed() const { return nullptr; }
  /// What a copy is that knows exported fields only; nullptr: the same. Source: copystructure.
  virtual std::shared_ptr<const Native> deep_copied() const { return nullptr; }
  /// All fields, in their order, of a struct that fmt opens; also for those who follow references.
  virtual std::vector<Member> members() const { return {}; }
  /// Whether it is a pointer that leads nowhere.
  virtual bool is_nil_pointer() const { return false; }
  /// A value of the same named integer type, as range counts; nullptr for other types.
  virtual std::shared_ptr<const Native> with_number(int64_t number) const;
  /// Whether fmt finds a String method, and prints to_string under the verbs for texts.
  virtual bool is_stringer() const { return false; }
  /// What a GoString method gives, for %#v; nullopt without one.
  virtual std::optional<std::string> go_string() const { return std::nullopt; }
  /// As a template prints it (its String() method where it is reachable).
  virtual std::string to_string() const = 0;
  /// As fmt's %v prints the value without its String() method.
  virtual std::string to_plain_string() const { return to_string(); }
  /// As encoding/json sees it: dicts, lists and scalars. Error: kInvalidArgument with Go's text
  /// where it has no JSON form.
  virtual base::Result<Value> to_json_value() const = 0;
  /// Names of the dict that to_json_value returns, in the order in which encoding/json writes a
  /// struct's fields; names that it lacks are skipped. Not all of them, or none: sorted, as a map.
  virtual std::vector<std::string_view> json_order() const { return {}; }
};

/// A copy that shares no dict with `v`; lists are copied only where they hold dicts. Natives are
/// shared. Takes no more stack for a deeper value; a dict that contains itself ends in a copy that
/// contains itself.
Value deep_copy(const Value& v);

}  // namespace chartwright::value
