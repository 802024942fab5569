// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <utility>

#include "base/mutex.h"
#include "base/strings.h"
#include "kube/discovery.h"
#include "test/base/manual_clock.h"
#include "test/fakeapi/fake_transport.h"

namespace chartwright::views {

/// The discovery of an API server whose kinds come and go. Thread-safe.
class DiscoveredKinds {
 public:
  explicit DiscoveredKinds(base::Clock& clock)
      : transport_([this](const kube::Request& request) { return answer(request); }),
        mapper(transport_, clock) {}

  /// Serves a kind, with namespaces or (`scope` is "Cluster") without.
  void add(const kube::Gvk& gvk, const std::string& scope = "Namespaced") {
    const base::MutexLock lock(mutex_);
    scopes_[gvk] = scope;
  }
  void remove(const kube::Gvk& gvk) {
    const base::MutexLock lock(mutex_);
    scopes_.erase(gvk);
  }
  /// From now on, discovery has this status.
  void answer_with(int status) {
    const base::MutexLock lock(mutex_);
    status_ = status;
  }

 private:
  base::Result<kube::Response> answer(const kube::Request& request) {
    const base::MutexLock lock(mutex_);
    std::string items;
    for (const auto& [gvk, scope] : scopes_) {
      if ((request.target == "/api") != gvk.group.empty()) {
        continue;
      }
      items += (items.empty() ? "" : ",") + std::string(R"({"metadata":{"name":")") + gvk.group +
               R"("},"versions":[{"version":")" + gvk.version + R"(","resources":[{"resource":")" +
               base::to_lower_ascii(gvk.kind) + R"(s","responseKind":{"kind":")" + gvk.kind +
               R"("},"scope":")" + scope + R"("}]}]})";
    }
    return kube::Response{status_, 0,
                          R"({"kind":"APIGroupDiscoveryList","items":[)" + items + "]}"};
  }

  base::Mutex mutex_;
  std::map<kube::Gvk, std::string> scopes_ CW_GUARDED_BY(mutex_);
  int status_ CW_GUARDED_BY(mutex_) = 200;
  fakeapi::FakeTransport transport_;

 public:
  kube::RestMapper mapper;
};

}  // namespace chartwright::views
