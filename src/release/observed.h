// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "release/owner.h"
#include "release/readiness.h"
#include "value/value.h"

namespace chartwright::release {

enum class KeepBody : uint8_t {
  kNo,   ///< Only what decides: identity, ownership, projection, readiness.
  kYes,  ///< Also the object (without managedFields), because a template reads it. Never a
         ///< Secret's.
};

/// Reduces a live object to what is kept of it in memory: the informers' transform. The result
/// keeps apiVersion, kind and the identifying metadata, as runtime::Transform asks, and whatever
/// Observed reads.
value::Value condense(const value::Value& object, std::string_view manager, KeepBody keep);

/// The object inside a condensed one, decoded anew; nullopt when it was not kept.
std::optional<value::Value> body_of(const value::Value& condensed);

/// What a change of an object means to the reconcile of its owner.
enum class Difference : uint8_t {
  kNone,   ///< Churn that nobody looks at, or a new resourceVersion alone.
  kShown,  ///< Only what a status or a template may show: readiness, or something of a kept body.
  kDrift,  ///< Ownership, deletion, or fields that we applied.
};
Difference difference_for_owner(const value::Value& before, const value::Value& after);

/// Reads a condensed object. Keeps it alive; cheap to copy.
class Observed {
 public:
  explicit Observed(std::shared_ptr<const value::Value> condensed) : value_(std::move(condensed)) {}

  std::string_view uid() const;
  std::string_view resource_version() const;
  bool deleting() const;
  bool keep_policy() const;
  Claim claim(const Owner& owner) const { return claim_on(*value_, owner); }
  std::string owner_text() const { return describe_owner(*value_); }
  /// Digest of what we own of it; empty when we have no Apply entry. See projection_digest.
  std::string_view projection() const;
  ReadyState ready_state() const;
  std::string_view ready_message() const;
  /// The whole object, decoded anew; nullopt when it was not kept.
  std::optional<value::Value> body() const { return body_of(*value_); }

 private:
  std::shared_ptr<const value::Value> value_;
};

}  // namespace chartwright::release
