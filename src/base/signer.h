// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::base {

/// Signs what the operator keeps for one custom resource in objects that others can write, so that
/// it believes nothing but what it has written itself. Everything is signed under a key that is
/// derived from the operator's master key and the uid: a text that was signed for one custom
/// resource says nothing about another. Thread-safe.
class Signer {
 public:
  /// Derives the key of `uid`. `master` is secret and binary. Error: kInternal if OpenSSL fails.
  static Result<Signer> make(const std::string& master, std::string_view uid);

  /// Returns the signature of `text`, in hex. A signature for one purpose ("release", "status")
  /// does not verify for another. Error: kInternal if OpenSSL fails.
  Result<std::string> sign(std::string_view purpose, std::string_view text) const;
  /// Reports whether `signature` is that of `text`, in a time that does not depend on how much of
  /// it is right. Error: as sign.
  Result<bool> verifies(std::string_view purpose, std::string_view text,
                        std::string_view signature) const;

 private:
  explicit Signer(std::string key) : key_(std::move(key)) {}
  std::string key_;
};

}  // namespace chartwright::base
