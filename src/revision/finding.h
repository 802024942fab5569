// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "base/result.h"

namespace chartwright::release {

/// The proof that a search has found: the thing that is there, or the reason why there is none.
/// Where it could tell neither, it returns no Finding, but the error of the Result around it. So a
/// caller that goes on without the thing has the proof that there is none.
template <typename T>
class [[nodiscard]] Finding {
 public:
  // NOLINTNEXTLINE(google-explicit-constructor): so that a search can return what it has found.
  Finding(T thing) : state_(std::move(thing)) {}
  /// There is none, because of `proof`.
  static Finding absent(base::Error proof) { return Finding(base::Result<T>(std::move(proof))); }

  /// Reports whether the thing is there.
  bool found() const { return state_.ok(); }
  T& thing() { return *state_; }  ///< Aborts if there is none.
  const T& thing() const { return *state_; }
  const base::Error& proof() const { return state_.error(); }  ///< Aborts if the thing is there.
  /// Returns the thing, for callers who cannot go on without it. Error: the proof.
  base::Result<T> required() && { return std::move(state_); }

 private:
  explicit Finding(base::Result<T> state) : state_(std::move(state)) {}

  base::Result<T> state_;
};

}  // namespace chartwright::release
