// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <stop_token>
#include <string>

#include "base/clock.h"
#include "base/log.h"
#include "kube/client.h"
#include "runtime/http_message.h"

namespace chartwright::runtime {

/// Lets a caller read a path only if the API server does: a TokenReview says who calls, and a
/// SubjectAccessReview whether that user may `get` the path. A verdict is cached for a minute, a
/// refusal for half of one. Anonymous callers are refused. Not thread-safe: for the thread of one
/// server.
/// Source: kubernetes-sigs/controller-runtime pkg/metrics/filters/filters.go.
class ScrapeGuard {
 public:
  /// The references must outlive the guard. A requested `stop` ends its calls.
  ScrapeGuard(kube::Client& client, const base::Clock& clock, base::Logger log,
              std::stop_token stop);

  /// Returns the reply that refuses a request; nullopt: the caller may read. 401 without a token
  /// that the API server knows, 403 without permission, 500 where the API server cannot be asked.
  std::optional<HttpReply> refusal(const HttpRequest& request);

 private:
  /// The user of a token: the status of a TokenReview.
  using Caller = value::Value;
  struct Denial {
    int status;
    std::string why;
  };
  struct Verdict {
    std::optional<Denial> denial;
    base::MonotonicTime believed_until;
  };

  std::optional<Denial> decide(const HttpRequest& request);
  base::Result<std::optional<Denial>> judge(const HttpRequest& request, const std::string& token);
  base::Result<Caller> review_token(const std::string& token);
  base::Result<bool> may(const value::Value& user, const HttpRequest& request);
  void remember(const std::string& key, Verdict verdict);

  kube::Client& client_;
  const base::Clock& clock_;
  const base::Logger log_;
  const kube::Call call_;
  std::map<std::string, Verdict> verdicts_;  ///< The key is a digest of token, verb and path.
};

}  // namespace chartwright::runtime
