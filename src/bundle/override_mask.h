// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>

#include "bundle/override_values.h"
#include "host/secret_mask.h"
#include "value/value.h"

namespace chartwright::bundle {

/// Masks overrideValues in what is told to people: they are the operator's own, mostly from its
/// environment, and may be secret. Those who read custom resources and Events may not read that.
/// `true`, `false` and `null` are not secret.
class OverrideMask {
 public:
  explicit OverrideMask(Overrides overrides);

  /// The values of at least SecretMask::kSecretBytesMin bytes, to be masked in texts. Shorter ones
  /// would be found in every text.
  const host::SecretMask& texts() const { return texts_; }
  /// Reports whether a value in a child is one of them, however short, or has one of those in
  /// texts(): only the name of the field can be told.
  bool covers(const value::Value& value) const;

 private:
  void add(const value::Value& value);

  host::SecretMask texts_;
  std::set<std::string> values_;
};

}  // namespace chartwright::bundle
