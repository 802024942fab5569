// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <stop_token>
#include <string>

#include "apiserver/front_proxy.h"
#include "base/clock.h"
#include "base/mutex.h"
#include "base/result.h"
#include "kube/client.h"
#include "views/view.h"

namespace chartwright::apiserver {

/// A request of a user.
struct Access {
  std::string verb;
  const views::Resource& resource;
  std::string ns;
  std::string name;
};

/// Asks the API server by SubjectAccessReview whether a user may do what the aggregator asks for.
/// The aggregator has asked already; this is for clusters that do not rely on that. Verdicts are
/// cached: an allowance for 10 s, a refusal for 5 s. Blocks; thread-safe.
class AccessReview {
 public:
  /// The references must outlive the review.
  AccessReview(kube::Client& client, const base::Clock& clock, std::stop_token stop);
  /// Errors: 403; 500 if the API server cannot be asked.
  base::Status check(const User& user, const Access& access) CW_EXCLUDES(mutex_);

 private:
  struct Verdict {
    bool allowed = false;
    std::string reason;
    base::MonotonicTime until;
  };
  base::Result<Verdict> ask(const User& user, const Access& access);
  void remember(const std::string& key, const Verdict& verdict) CW_EXCLUDES(mutex_);

  kube::Client& client_;
  const base::Clock& clock_;
  const kube::Call call_;
  base::Mutex mutex_;
  std::map<std::string, Verdict> verdicts_ CW_GUARDED_BY(mutex_);
};

}  // namespace chartwright::apiserver
