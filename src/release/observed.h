// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "health/ending.h"
#include "health/readiness.h"
#include "kube/client.h"
#include "release/owner.h"
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
value::Value condense(const value::Value& object, KeepBody keep);

/// Decodes the object inside a condensed one; nullopt if it was not kept.
std::optional<value::Value> body_of(const value::Value& condensed);

/// How a change of an object matters to the reconcile of its owner.
enum class Difference : uint8_t {
  kNone,       ///< Not at all: only fields that nothing reads changed, or the resourceVersion.
  kRecounted,  ///< Only numbers in the words by which its status says why it is not ready.
  kShown,      ///< Only what a status or a template may show: readiness, or part of a kept body.
  kDrift,      ///< Ownership, deletion, or fields that we applied.
};
Difference difference_for_owner(const value::Value& before, const value::Value& after);

/// The answers of a child's rule about the live object.
struct Verdict {
  bool present = true;        ///< False: it does not count. It is replaced, and deleted.
  bool backs_off = false;     ///< It does not count, and its replacement waits.
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
  /// Reports whether an object without an owner consents to be taken over (owner.h).
  bool consents(const Owner& owner) const { return release::consents(*value_, owner); }
  /// Returns the digest of the fields that `owner` applied; empty if there are none, or if they are
  /// to be applied again. See fields::projection_digest.
  std::string_view projection(const Owner& owner) const;
  /// Reports whether `owner` applied fields.
  bool has_fields_of(const Owner& owner) const;
  /// Reports whether there are fields of the manager that all custom resources had in common.
  bool has_shared_fields() const;
  /// Returns a text that changes with the fields that custom resources other than `owner` applied;
  /// empty if there are none.
  std::string fields_of_others(const Owner& owner) const;
  /// Reports whether the object is the child of a custom resource: its owner was written by us.
  bool is_child() const;
  health::ReadyState ready_state() const;
  std::string_view ready_message() const;
  /// Returns the end of the object, see health::ending_of.
  std::optional<health::Ending> ending() const;
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
  /// Returns the digest of what `manager` applied; nullopt if it applied nothing.
  std::optional<std::string_view> digest_of(std::string_view manager) const;

  std::shared_ptr<const value::Value> value_;
  Verdict verdict_;
  bool deleted_ = false;
};

}  // namespace chartwright::release
