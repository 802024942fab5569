// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "go/regexp.h"
#include "helm/funcs/bind.h"
#include "helm/funcs/master_key.h"
#include "helm/version/semver.h"
#include "tmpl/function.h"

namespace chartwright::helm::funcs {

/// Results that functions cache from one execution to the next. Owned by what is executed many
/// times: a chart or a view. Bounded, thread-safe.
struct Caches {
  go::RegexpCache regexps;
  ConstraintsCache constraints;
  MasterKeys master_keys;
};

/// The extension that every execution has whose templates use functions of the registry.
class State : public tmpl::Extension {
 public:
  /// The caches must outlive the execution.
  explicit State(Caches& caches) : caches_(caches) {}
  Caches& caches() const { return caches_; }

 private:
  Caches& caches_;
};

/// Returns the caches of the execution that calls a function.
inline Caches& caches_of(const CallContext& ctx) {
  return static_cast<const State&>(*ctx.extension).caches();
}

}  // namespace chartwright::helm::funcs
