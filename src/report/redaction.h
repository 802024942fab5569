// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <set>
#include <string>

#include "host/secret_mask.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Returns a copy of a live object for readers outside of its cluster: in place of each value of a
/// Secret or ConfigMap stands its size, and *** in place of texts that are credentials by their
/// name or their content. The keys stay, and so do empty texts. A CRD, which its author has
/// published, loses what is a credential by its content alone. `object` may have any content. Pure.
value::Value redacted(const value::Value& object);

/// Returns a copy of a value whose texts, keys and numbers have *** where `mask` has a secret.
/// Pure.
value::Value masked_texts(const value::Value& value, const host::SecretMask& mask);

/// The contents of the Secrets in a report. Not thread-safe.
class SeenSecrets {
 public:
  /// Notes the contents of a Secret, of any shape.
  void learn(const value::Value& secret);
  /// Notes words that a report shows in any case: they stay, even if a Secret contains them. The
  /// name of a database, which a Secret has, is often that of the custom resource.
  void show_names(const kube::ObjectRef& ref);
  /// Returns the mask of all contents, but for words that are shown.
  host::SecretMask mask() const;

 private:
  std::set<std::string, std::less<>> secrets_;
  std::set<std::string, std::less<>> shown_ = {"true", "false", "null"};
};

}  // namespace chartwright::cmd
