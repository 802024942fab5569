// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "value/go_type.h"

namespace chartwright::value {

class Native;

/// The kinds of values.
enum class Kind : uint8_t {
  kNil,      ///< A nil interface: JSON null, or a missing map entry under missingkey=zero.
  kNoValue,  ///< Go's invalid reflect.Value: a missing field, as opposed to a nil one.
  kBool,
  kInt,    ///< A whole number; int_type() is its Go type (int, int64, ...).
  kFloat,  ///< float64, as encoding/json decodes every number.
  kString,
  kBytes,   ///< []byte: prints as numbers, converts to a string where a function does.
  kList,    ///< Shared and immutable: functions that change a list build a new one.
  kDict,    ///< Shared and mutable, like a Go map: every reference sees a `set`.
  kNative,  ///< A Go struct or pointer with fields and methods, such as time.Time.
};

/// Returns the noun for a value of that kind in messages to users: "a number", "an object", "null".
std::string_view kind_noun(Kind kind);

/// The static integer type in Go, which decides %T, typeOf, conversions and comparison.
enum class IntType : uint8_t { kInt64, kInt, kInt32, kUint8, kUint64 };

/// A value of 32 bytes, cheap to copy. Distinct Values may be used from distinct threads, but dicts
/// are shared: no thread may write a dict that another thread can see. (Each render deep-copies its
/// roots; stored objects are only read.)
class Value {
 public:
  Value() = default;  ///< nil
  Value(const Value&) = default;
  /// Leaves nil in `other`.
  Value(Value&& other) noexcept
      : kind_(std::exchange(other.kind_, Kind::kNil)),
        int_type_(other.int_type_),
        is_nil_(other.is_nil_),
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
    std::swap(is_nil_, other.is_nil_);
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
  /// Returns a nil []byte, which prints as [] and marshals as null.
  static Value nil_bytes();
  static Value list(std::vector<Value> items = {}, ListType type = kAnyList);
  /// Returns a nil slice, which prints as [] and marshals as null.
  static Value nil_list(ListType type = kAnyList);
  static Value dict(DictType type = kAnyDict);
  static Value dict(std::initializer_list<std::pair<std::string_view, Value>> entries);
  static Value dict(std::shared_ptr<Dict> dict, DictType type = kAnyDict);
  /// Returns a nil map, which prints as map[], marshals as null, is empty and must not be written.
  static Value nil_dict(DictType type = kAnyDict);
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
  bool is_number() const { return is_int() || is_float(); }
  /// Reports whether this is a nil interface. A missing field is passed as one.
  bool is_nothing() const { return is_nil() || is_no_value(); }

  // Each of these aborts on another kind; callers check first.
  bool as_bool() const;
  int64_t as_int() const;
  IntType int_type() const;
  double as_float() const;
  const std::string& as_string() const;  ///< For kString and kBytes.
  const List& as_list() const;
  bool is_nil_bytes() const;  ///< For kBytes.
  const Dict& as_dict() const;
  DictType dict_type() const;  ///< For kDict.
  bool is_nil_dict() const;    ///< For kDict.
  /// Returns the same map under another Go type.
  Value with_type(DictType type) const;
  /// Returns the shared dict for writing. Every Value that refers to it sees the changes.
  Dict& mutable_dict() const;
  std::shared_ptr<Dict> shared_dict() const;
  const Native& as_native() const;
  std::shared_ptr<const Native> shared_native() const;

  /// Returns member `key` of a dict, or nullptr if this is not a dict or has no such key.
  const Value* find(std::string_view key) const;
  /// Returns the member reached through nested dicts, or nullptr if any step is missing.
  const Value* find_path(std::initializer_list<std::string_view> keys) const;
  /// Returns the string at that member, or "" if it is missing or not a string.
  std::string_view string_at(std::initializer_list<std::string_view> keys) const;
  /// Reports whether that member is true; false if it is missing or not a bool.
  bool bool_at(std::initializer_list<std::string_view> keys) const;
  /// Returns the items of the list at that member; none if it is missing or not a list.
  const std::vector<Value>& items_at(std::initializer_list<std::string_view> keys) const;

 private:
  // Releases a container without recursing as deep as the document is nested.
  void release_container() noexcept;

  Kind kind_ = Kind::kNil;
  IntType int_type_ = IntType::kInt64;
  bool is_nil_ = false;  // For bytes and dicts.
  union {
    bool flag;
    int64_t whole;
    double number;
    const GoType* dict_type;
  } scalar_{.whole = 0};
  // The string, List, Dict or Native, according to kind_. Not a std::variant: every move of one
  // costs a jump table, and Values are moved more than anything else.
  std::shared_ptr<const void> shared_;
};

struct List {
  std::vector<Value> items;
  ListType type = kAnyList;
  bool is_nil = false;
};

/// A map with string keys, iterated in bytewise key order (the order in which Go's fmt,
/// encoding/json and template range visit keys). It is one sorted array, small and cheap to iterate
/// and to copy. An insertion in the middle of a large one splits it into several short arrays, so
/// that no insertion moves many entries. Not thread-safe.
class Dict {
 public:
  using Entry = std::pair<std::string, Value>;
  class Iterator;
  using const_iterator = Iterator;

  Dict() = default;
  /// Takes entries in any order, in O(n log n). Of equal keys the last one is kept.
  explicit Dict(std::vector<Entry> entries);
  Dict(const Dict& other);
  Dict(Dict&&) noexcept = default;
  Dict& operator=(const Dict& other) { return *this = Dict(other); }
  Dict& operator=(Dict&&) noexcept = default;
  ~Dict() = default;

  size_t size() const { return rest_ == nullptr ? first_.size() : rest_->size; }
  bool empty() const { return first_.empty(); }
  const_iterator begin() const;
  const_iterator end() const;
  /// Returns the first entry whose key is greater than `key`.
  const_iterator after(std::string_view key) const;

  /// Returns nullptr if there is no such key. The pointer is invalidated by set and erase.
  const Value* find(std::string_view key) const;
  Value* find(std::string_view key);
  bool contains(std::string_view key) const { return find(key) != nullptr; }
  /// Inserts or replaces.
  void set(std::string_view key, Value v);
  /// Returns the value at `key`, after inserting nil if it is absent.
  Value& at_or_insert(std::string_view key);
  /// Returns true if the key existed.
  bool erase(std::string_view key);
  void reserve(size_t n) { first_.reserve(n); }

 private:
  /// Sorted entries, of which all come before those of the next run. Only `first_` may be empty,
  /// and only if there is no other.
  using Run = std::vector<Entry>;
  struct Rest {
    std::vector<Run> runs;
    size_t size = 0;  ///< The number of entries of the whole dict.
  };
  /// Where a key is, or would be inserted.
  struct Place {
    Run* run;
    Run::iterator at;
    bool found;
  };

  Place place_of(std::string_view key);
  const Run& run_of(std::string_view key) const {
    return rest_ == nullptr ? first_ : find_run(key);
  }
  const Run& find_run(std::string_view key) const;
  const_iterator iterator_at(const Run& run, const Entry* at) const;
  void split(Run& run);
  void remove(const Run& run);

  Run first_;
  std::unique_ptr<Rest> rest_;
};

/// Invalidated by insertion and erasure.
class Dict::Iterator {
 public:
  using iterator_category = std::forward_iterator_tag;
  using value_type = Entry;
  using difference_type = std::ptrdiff_t;
  using pointer = const Entry*;
  using reference = const Entry&;

  Iterator() = default;
  reference operator*() const { return *at_; }
  pointer operator->() const { return at_; }
  Iterator& operator++() {
    if (++at_ == run_end_ && next_ != last_) {
      at_ = next_->data();
      run_end_ = at_ + next_->size();
      ++next_;
    }
    return *this;
  }
  Iterator operator++(int) {
    const Iterator before = *this;
    ++*this;
    return before;
  }
  bool operator==(const Iterator& other) const { return at_ == other.at_; }

 private:
  friend Dict;
  Iterator(const Entry* at, const Entry* run_end, const Run* next, const Run* last)
      : at_(at), run_end_(run_end), next_(next), last_(last) {}

  const Entry* at_ = nullptr;
  const Entry* run_end_ = nullptr;
  const Run* next_ = nullptr;  // The runs after this one.
  const Run* last_ = nullptr;
};

inline Dict::const_iterator Dict::iterator_at(const Run& run, const Entry* at) const {
  const Entry* const run_end = run.data() + run.size();
  if (rest_ == nullptr) {
    return {at, run_end, nullptr, nullptr};
  }
  const Run* const runs = rest_->runs.data();
  return {at, run_end, &run == &first_ ? runs : &run + 1, runs + rest_->runs.size()};
}

inline Dict::const_iterator Dict::begin() const { return iterator_at(first_, first_.data()); }

inline Dict::const_iterator Dict::end() const {
  const Run& last = rest_ == nullptr ? first_ : rest_->runs.back();
  return iterator_at(last, last.data() + last.size());
}

/// A Go value that is not a map, a slice or a scalar: a struct or pointer whose fields and methods
/// templates can reach. Implementations are immutable, or synchronise themselves.
class Native {
 public:
  /// A field of a struct, exported or not.
  struct Member {
    std::string_view name;
    Value value;
  };

  virtual ~Native() = default;
  /// Returns the type as %T prints it: "time.Time", "*semver.Version".
  virtual std::string_view go_type() const = 0;
  /// Returns the kind as kindOf prints it: "struct", "ptr", "map", "slice".
  virtual std::string_view go_kind() const = 0;
  /// Returns the truth of the value in a Go template.
  virtual bool truth() const { return true; }
  /// Returns the value of an exported field, or nullopt if there is none of that name.
  virtual std::optional<Value> field(std::string_view name) const = 0;
  /// Returns the number of parameters of a method, or -1 if there is no such method.
  virtual int method_arity(std::string_view name) const;
  /// Calls an existing method. The number of arguments must be its arity.
  virtual base::Result<Value> call(std::string_view name, std::span<const Value> args) const;
  /// Returns the list or dict beneath a named Go slice or map type that has methods: range, len,
  /// index, fmt and functions work on it.
  /// Returns nullptr for structs and pointers.
  virtual const Value* underlying() const { return nullptr; }
  /// Returns the type whose methods can be called; empty for a copy of a value whose methods have a
  /// pointer receiver.
  virtual std::string_view method_owner() const { return go_type(); }
  /// Returns the value as it is inside an interface{}, where it is not addressable; nullptr if it
  /// does not change.
  virtual std::shared_ptr<const Native> boxed() const { return nullptr; }
  /// Returns a copy that has only the exported fields; nullptr if that is the value itself. Source:
  /// copystructure.
  virtual std::shared_ptr<const Native> deep_copied() const { return nullptr; }
  /// Returns all fields, in order, of a struct whose fields fmt prints. Also used to follow
  /// references.
  virtual std::vector<Member> members() const { return {}; }
  /// Reports whether this is a nil pointer.
  virtual bool is_nil_pointer() const { return false; }
  /// Returns a value of the same named integer type, for range over an integer; nullptr
  /// for other types.
  virtual std::shared_ptr<const Native> with_number(int64_t number) const;
  /// Reports whether fmt finds a String method, and prints to_string() under the verbs for strings.
  virtual bool is_stringer() const { return false; }
  /// Returns the result of the GoString method, for %#v; nullopt if there is no such method.
  virtual std::optional<std::string> go_string() const { return std::nullopt; }
  /// Returns the value as a template prints it (by its String method if that can be called).
  virtual std::string to_string() const = 0;
  /// Returns the value as fmt's %v prints it without its String method.
  virtual std::string to_plain_string() const { return to_string(); }
  /// Returns the value as encoding/json sees it: dicts, lists and scalars. Error: kInvalidArgument
  /// with Go's message if it has no JSON form.
  virtual base::Result<Value> to_json_value() const = 0;
  /// Returns the names of the dict that to_json_value returns, in the order in which encoding/json
  /// writes a struct's fields. Names that the dict lacks are skipped. If some or all names of the
  /// dict are missing here, it is written in sorted order, like a map.
  virtual std::vector<std::string_view> json_order() const { return {}; }
};

/// Returns a list of strings.
Value list_of(const std::vector<std::string>& texts);

/// Returns a copy that shares no dict with `v`. Lists are copied only if they hold something that
/// is copied. Natives are shared unless Native::deep_copied returns a copy. Deeper values do not
/// take more stack. A dict that contains itself is copied to one that contains itself.
Value deep_copy(const Value& v);

}  // namespace chartwright::value
