// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/request.h"
#include "kube/client.h"
#include "kube/transport.h"

namespace chartwright::model {

/// The HTTP side of an API server whose objects are behind a Client: it decodes requests as a real
/// one does, and answers with JSON. Thread-safe if the client is.
class ClientTransport final : public kube::Transport {
 public:
  /// The largest body of a request, and the most bytes that all writes together may have: the
  /// server behind may keep them. Source of the former: k8s.io/apiserver
  /// DefaultMaxRequestBodyBytes.
  static constexpr size_t kBodyMax = size_t{3} << 20;
  static constexpr size_t kWrittenMax = size_t{256} << 20;

  /// It serves `kinds` alone. The client must outlive it.
  ClientTransport(kube::Client& client, std::vector<kube::ResourceMapping> kinds)
      : client_(client), kinds_(std::move(kinds)) {}

  base::Result<kube::Response> perform(kube::Request request, const kube::Call& call) override;
  /// The idle limit does not count: such a server sends no bookmarks while nothing changes.
  base::Result<kube::Response> stream(kube::Request request, const kube::StreamLimits& limits,
                                      std::stop_token stop, const kube::ChunkSink& sink) override;

 private:
  /// The resource that a request is about.
  struct Place {
    kube::ObjectRef ref;  ///< Without a name: the collection.
    kube::Subresource subresource = kube::Subresource::kNone;
  };
  base::Result<Place> place_of(const apiserver::Target& target) const;
  base::Result<kube::Response> answer(const kube::Request& request, const kube::Call& call);
  base::Result<kube::Response> discover(const apiserver::Target& target, const kube::Call& call);
  base::Result<kube::Response> read(const kube::Request& request, const apiserver::Target& target,
                                    const Place& place, const kube::Call& call);
  base::Result<kube::Response> write(const kube::Request& request, const apiserver::Target& target,
                                     const Place& place, const kube::Call& call);
  base::Result<kube::Response> patch(const kube::Request& request, const apiserver::Target& target,
                                     const Place& place, const value::Value& body,
                                     const kube::Call& call);
  value::Value groups(bool of_core) const;
  /// Counts the body of a write. Errors: kBudget, 413 or 507.
  base::Status charge(const kube::Request& request);

  kube::Client& client_;
  const std::vector<kube::ResourceMapping> kinds_;
  std::atomic<size_t> written_{0};  ///< Bytes.
};

}  // namespace chartwright::model
