// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "kube/client.h"
#include "release/owner.h"
#include "release/readiness.h"
#include "value/value.h"

namespace chartwright::release {

enum class KeepBody : uint8_t {
  kNo,   ///< Only what decisions need: identity, ownership, projection, readiness.
  kYes,  ///< Also the object (without managedFields), because a template reads it. Ignored for
         ///< Secrets.
};

/// Reduces a live object to the part that is kept in memory, as the informers' transform. The
/// result has apiVersion, kind and the identifying metadata, as runtime::Transform requires, and
/// all that Observed reads.
value::Value condense(const value::Value& object, std::string_view manager, KeepBody keep);

/// Decodes the object inside a condensed one; nullopt if it was not kept.
std::optional<value::Value> body_of(const value::Value& condensed);

/// How a change of an object matters to the reconcile of its owner.
enum class Difference : uint8_t {
  kNone,   ///< Not at all: only fields that nothing reads changed, or the resourceVersion.
  kShown,  ///< Only what a status or a template may show: readiness, or part of a kept body.
  kDrift,  ///< Ownership, deletion, or fields that we applied.
};
Difference difference_for_owner(const value::Value& before, const value::Value& after);

/// The answers of a child's rule about the live object.
struct Verdict {
  bool present = true;        ///< False: it does not count. It is replaced, and deleted.
  bool vacant = false;        ///< It does not count, but is not to be replaced yet.
  std::optional<bool> ready;  ///< Takes the place of the built-in readiness.
};

/// Reads a condensed object, which it keeps alive. Cheap to copy.
class Observed {
 public:
  explicit Observed(std::shared_ptr<const value::Value> condensed, Verdict verdict = {})
      : value_(std::move(condensed)), verdict_(verdict) {}

  std::string_view uid() const;
  std::string_view resource_version() const;
  bool deleting() const;
  /// Reports whether the object counts, according to its rule.
  bool present() const { return verdict_.present; }
  bool keep_policy() const;
  /// Returns how a deletion treats what the object owns.
  kube::Propagation propagation() const;
  Claim claim(const Owner& owner) const { return claim_on(*value_, owner); }
  std::string owner_text() const { return describe_owner(*value_); }
  /// Returns the digest of the fields that we own; empty if we have no Apply entry. See
  /// projection_digest.
  std::string_view projection() const;
  ReadyState ready_state() const;
  std::string_view ready_message() const;
  /// Returns a copy with that verdict.
  Observed judged(Verdict verdict) const;
  /// Returns a copy that is being deleted: the API server has said so, and the watch not yet.
  Observed deleted() const;
  /// Returns the condensed object.
  const value::Value& condensed() const { return *value_; }
  const std::shared_ptr<const value::Value>& stored() const { return value_; }
  /// Decodes the whole object; nullopt if it was not kept.
  std::optional<value::Value> body() const { return body_of(*value_); }

 private:
  std::shared_ptr<const value::Value> value_;
  Verdict verdict_;
  bool deleted_ = false;
};

}  // namespace chartwright::release
