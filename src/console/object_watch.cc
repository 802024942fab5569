// SPDX-License-Identifier: Apache-2.0
#include "console/object_watch.h"

#include <utility>

#include "kube/api_status.h"

namespace chartwright::cmd {
namespace {

using base::ErrorCode;
using value::Value;

constexpr base::Duration kGoOnAfter = std::chrono::seconds(1);

}  // namespace

void ObjectWatch::begin_with(const Value& object) {
  version_ = kube::resource_version_of(object);
  known_.insert(kube::ref_of(object));
}

base::Status ObjectWatch::list(kube::Client& client, const kube::Call& call, const Sink& sink) {
  kube::ListOptions options;
  options.selection = selection_;
  options.resource_version = was_listed_ ? "" : "0";  // The cache may be older than what was seen.
  options.bytes_max = kube::kCacheListBytes;
  CW_TRY(const kube::ListPage page, client.list(kind_, options, call));
  was_listed_ = true;
  version_ = page.resource_version;
  const std::set<kube::ObjectRef> before = std::exchange(known_, {});
  for (const Value& object : page.items) {
    known_.insert(kube::ref_of(object));
    sink.seen(object);
  }
  for (const kube::ObjectRef& ref : before) {
    if (!known_.contains(ref)) {
      sink.gone(ref);
    }
  }
  return {};
}

void ObjectWatch::take(const kube::WatchFrame& frame, const Sink& sink) {
  version_ = kube::resource_version_of(frame.object);
  const kube::ObjectRef ref = kube::ref_of(frame.object);
  switch (frame.type) {
    case kube::WatchFrame::Type::kAdded:
    case kube::WatchFrame::Type::kModified:
      if (known_.size() < kObjectsMax) {
        known_.insert(ref);
      }
      sink.seen(frame.object);
      return;
    case kube::WatchFrame::Type::kDeleted:
      known_.erase(ref);
      sink.gone(ref);
      return;
    case kube::WatchFrame::Type::kBookmark:
      return;
  }
}

base::Status ObjectWatch::go_on(kube::Client& client, const kube::Call& call, const Sink& sink) {
  if (version_.empty()) {
    CW_TRY_VOID(list(client, call, sink));
  }
  kube::WatchOptions options;
  options.selection = selection_;
  options.resource_version = version_;
  base::Status ended = client.watch(kind_, options, call.stop, [&](const kube::WatchFrame& frame) {
    take(frame, sink);
    return base::Status();
  });
  if (!ended.ok() && ended.error().code() == ErrorCode::kExpired) {
    version_.clear();
    return {};
  }
  return ended;
}

base::Error ObjectWatch::follow(Connection& connection, const Sink& sink) {
  while (true) {
    const base::Status ended = go_on(connection.client(), connection.call(), sink);
    if (!ended.ok() &&
        (kube::lacks_right(ended.error()) || ended.error().code() == ErrorCode::kCancelled)) {
      return ended.error();
    }
    connection.pause(kGoOnAfter);
  }
}

}  // namespace chartwright::cmd
