// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <utility>
#include <vector>

#include "apiserver/api.h"
#include "base/mutex.h"
#include "test/fakeapi/refusing_client.h"
#include "test/views/discovered_kinds.h"
#include "test/views/parts.h"

namespace chartwright::apiserver {

/// An API server that lists one ConfigMap, at version 20.
class OneSource final : public fakeapi::RefusingClient {
 public:
  base::Result<kube::ListPage> list(const kube::Gvk& /*gvk*/, const kube::ListOptions& /*options*/,
                                    const kube::Call& /*call*/) override {
    if (failure) {
      return *failure;
    }
    kube::ListPage page;
    page.items = {views::config_map("sky", "15", R"({"colour":"blue"})")};
    page.resource_version = "20";
    return page;
  }

  base::Status watch(const kube::Gvk& /*gvk*/, const kube::WatchOptions& /*options*/,
                     std::stop_token stop, const kube::WatchSink& /*sink*/) override {
    const std::stop_callback wake(stop, [this] {
      const base::MutexLock lock(mutex_);
      changed_.notify_all();
    });
    const base::MutexLock lock(mutex_);
    is_watched_ = true;
    changed_.notify_all();
    while (!stop.stop_requested()) {
      changed_.wait(mutex_);
    }
    return base::Error(base::ErrorCode::kCancelled, "stopped");
  }
  /// Blocks until somebody watches.
  void await_watch() CW_EXCLUDES(mutex_) {
    const base::MutexLock lock(mutex_);
    while (!is_watched_) {
      changed_.wait(mutex_);
    }
  }

  std::optional<base::Error> failure;

 private:
  base::Mutex mutex_;
  base::CondVar changed_;
  bool is_watched_ CW_GUARDED_BY(mutex_) = false;
};

/// Returns a view of ConfigMaps that may be written.
inline views::View stored_paint_view() {
  return CW_MUST(views::parse_view(R"(group: paint.example.com
version: v1
resource: {kind: Paint, plural: paints}
verbs: [get, list, watch, create, update, patch, delete, deletecollection]
source: {apiVersion: v1, kind: ConfigMap}
project: |
  spec: {colour: {{ .source.data.colour }}}
store: |
  apiVersion: v1
  kind: ConfigMap
  metadata: {name: {{ .object.metadata.name }}}
  data: {colour: {{ .object.spec.colour }}}
schema:
  type: object
  properties:
    spec:
      type: object
      properties:
        colour: {type: string}
)",
                                   "paints.yaml"));
}

/// An Api with a view of ConfigMaps, and the aggregator that asks it.
class ServedPaints {
 public:
  ServedPaints() {
    FrontProxyConfig config;
    config.user_headers = {"x-remote-user"};
    front_proxy_.set(config);
  }

  /// Has the feed know the sources as of version 20.
  void sync() {
    using Type = runtime::WatchEvent::Type;
    served.feed().apply({Type::kInit, {}, {}});
    served.feed().apply(
        {Type::kInitApply, views::config_map("sky", "15", R"({"colour":"blue"})"), {}});
    served.feed().apply({Type::kInitDone, {}, "20"});
  }

  /// Returns the reply to a request of the user "jane".
  runtime::HttpReply ask(const std::string& method, const std::string& target,
                         const std::string& accept = "", const std::string& body = "") {
    runtime::HttpRequest request;
    request.method = method;
    request.target = target;
    request.headers = {{"x-remote-user", "jane"}, {"accept", accept}};
    request.body = body;
    request.client_name = "aggregator";
    return api_.handle(request);
  }

  static constexpr const char* kPath = "/apis/paint.example.com/v1/namespaces/a/paints";
  OneSource source;
  base::ManualClock clock;
  views::DiscoveredKinds kinds{clock};

 private:
  const base::Logger log_{{}, clock, [](std::string_view /*line*/) {}};
  const std::vector<views::View> views_{stored_paint_view()};

 public:
  views::ServedView served{views_.front(), source, kinds.mapper, clock, log_};

 private:
  FrontProxy front_proxy_;
  Api api_{{views_, {&served}, front_proxy_, nullptr, clock, log_, {}, size_t{8} << 20}};
};

}  // namespace chartwright::apiserver
