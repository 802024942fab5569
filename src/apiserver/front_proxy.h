// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/mutex.h"
#include "base/result.h"
#include "runtime/http_message.h"
#include "value/value.h"

namespace chartwright::apiserver {

/// The user on whose behalf the aggregator asks.
struct User {
  std::string name;
  std::string uid;
  std::vector<std::string> groups;
  std::vector<std::pair<std::string, std::vector<std::string>>> extra;
};

/// Whom to believe: the ConfigMap extension-apiserver-authentication, which the API server writes.
struct FrontProxyConfig {
  std::string authorities;                 ///< PEM
  std::vector<std::string> allowed_names;  ///< Empty: every name that an authority has signed.
  std::vector<std::string> user_headers;   ///< In lower case, as the others.
  std::vector<std::string> uid_headers;
  std::vector<std::string> group_headers;
  std::vector<std::string> extra_prefixes;

  bool operator==(const FrontProxyConfig&) const = default;
};

/// Reads the ConfigMap. Error: kInvalidArgument if it has no authority, or is malformed.
base::Result<FrontProxyConfig> read_front_proxy(const value::Value& config_map);

/// Establishes who asks. The certificate of the connection proves that it is the aggregator, whose
/// headers name the user; without it they prove nothing. Thread-safe.
class FrontProxy {
 public:
  void set(FrontProxyConfig config) CW_EXCLUDES(mutex_);
  /// Error: 401.
  base::Result<User> authenticate(const runtime::HttpRequest& request) const CW_EXCLUDES(mutex_);

 private:
  mutable base::Mutex mutex_;
  FrontProxyConfig config_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::apiserver
