// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/mutex.h"
#include "kube/object.h"
#include "runtime/watcher.h"
#include "value/value.h"

namespace chartwright::runtime {

/// A stored object. It is immutable.
using Stored = std::shared_ptr<const value::Value>;

/// A change of a store. `before` is null for an addition, `after` for a removal.
struct Change {
  kube::ObjectRef ref;
  Stored before;
  Stored after;
};
/// Called on the watcher's thread once the change is visible in the store, with no lock held. The
/// change is a hint: the store may have moved on by the time it is used.
using ChangeListener = std::function<void(const Change& change)>;

/// Reduces an object before it is stored and before listeners see it. It must keep apiVersion, kind
/// and metadata's name, namespace, uid, resourceVersion and ownerReferences.
using Transform = std::function<value::Value(value::Value object)>;

/// The reason why a store is to be filled anew.
enum class Outdated : uint8_t {
  kBehind,    ///< The watch of the store may lag behind.
  kRestored,  ///< The storage of the API server was restored from a backup.
};

/// A cache of the objects of one kind, namespace and selector. A new list is collected separately
/// and swapped in as a whole at kInitDone, so that readers never see half of it. Reading is
/// thread-safe; only one thread may call `apply`.
class Store {
 public:
  explicit Store(Transform transform = nullptr) : transform_(std::move(transform)) {}

  void apply(WatchEvent event) CW_EXCLUDES(mutex_);
  /// Reports every later change to `listener`. The objects already stored are reported as additions
  /// before this returns, on the calling thread. Both may happen at the same time, so the listener
  /// must be thread-safe. It stays for the store's lifetime.
  void add_listener(ChangeListener listener) CW_EXCLUDES(mutex_);

  /// Returns nullptr if there is no such object.
  Stored get(std::string_view ns, std::string_view name) const CW_EXCLUDES(mutex_);
  /// Returns all objects, ordered by namespace and name.
  std::vector<Stored> list() const CW_EXCLUDES(mutex_);
  /// Returns the objects with an owner reference to `uid`, ordered by namespace and name.
  std::vector<Stored> by_owner(std::string_view uid) const CW_EXCLUDES(mutex_);
  size_t size() const CW_EXCLUDES(mutex_);
  /// Reports whether a complete list has been swapped in, since the last expect_list() if there was
  /// one.
  bool has_synced() const CW_EXCLUDES(mutex_);
  /// Says that the objects may be outdated until a list that begins from now on is swapped in. They
  /// stay.
  void expect_list(Outdated why) CW_EXCLUDES(mutex_);
  /// Returns how often a list came after the storage of the API server had been restored from a
  /// backup. Versions noted before it mean nothing any more, and may be given to other states of an
  /// object.
  size_t setbacks() const CW_EXCLUDES(mutex_);
  /// Returns how many of them a list has proven, where expect_list had not announced them.
  size_t proven_setbacks() const CW_EXCLUDES(mutex_);
  /// Returns the resourceVersion up to which the store has seen everything; empty before the first
  /// sync.
  std::string resource_version() const CW_EXCLUDES(mutex_);

 private:
  struct Key {
    std::string ns;
    std::string name;
    auto operator<=>(const Key&) const = default;
  };
  struct KeyView {
    std::string_view ns;
    std::string_view name;
  };
  struct KeyLess {
    using is_transparent = void;
    static KeyView view(const Key& key) { return {key.ns, key.name}; }
    static KeyView view(const KeyView& key) { return key; }
    template <typename A, typename B>
    bool operator()(const A& a, const B& b) const {
      const KeyView x = view(a);
      const KeyView y = view(b);
      return x.ns != y.ns ? x.ns < y.ns : x.name < y.name;
    }
  };
  using Objects = std::map<Key, Stored, KeyLess>;

  using Changes = std::vector<Change>;
  Changes apply_one(WatchEvent event) CW_REQUIRES(mutex_);
  Changes swap_in(std::string resource_version) CW_REQUIRES(mutex_);
  /// Reports whether an object of `list` is older than the same of `known`.
  static bool has_older(const Objects& list, const Objects& known);
  Changes put(const Key& key, Stored object) CW_REQUIRES(mutex_);
  Changes erase(const Key& key) CW_REQUIRES(mutex_);
  void index(const Key& key, const Stored& before, const Stored& after) CW_REQUIRES(mutex_);
  void drop_from_index(const std::string& uid, const Key& key) CW_REQUIRES(mutex_);

  const Transform transform_;
  mutable base::Mutex mutex_;
  Objects objects_ CW_GUARDED_BY(mutex_);
  /// The list being collected between kInit and kInitDone.
  Objects incoming_ CW_GUARDED_BY(mutex_);
  bool collecting_ CW_GUARDED_BY(mutex_) = false;
  std::unordered_map<std::string, std::set<Key>> by_owner_ CW_GUARDED_BY(mutex_);
  std::string resource_version_ CW_GUARDED_BY(mutex_);
  bool synced_ CW_GUARDED_BY(mutex_) = false;
  size_t expected_lists_ CW_GUARDED_BY(mutex_) = 0;
  /// The number of lists that were expected when the one being collected began.
  size_t lists_begun_ CW_GUARDED_BY(mutex_) = 0;
  bool restored_ CW_GUARDED_BY(mutex_) = false;  ///< Since the last list.
  size_t setbacks_ CW_GUARDED_BY(mutex_) = 0;
  size_t proven_setbacks_ CW_GUARDED_BY(mutex_) = 0;
  std::vector<std::shared_ptr<const ChangeListener>> listeners_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::runtime
