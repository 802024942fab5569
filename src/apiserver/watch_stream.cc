// SPDX-License-Identifier: Apache-2.0
#include "apiserver/watch_stream.h"

#include <algorithm>
#include <utility>

#include "value/json.h"
#include "views/api_errors.h"

namespace chartwright::apiserver {
namespace {

using value::Value;
using views::Feed;
using views::FeedEvent;
using views::ObjectPage;
using views::Shown;
using views::status_of;
using views::View;

constexpr size_t kEventsAtOnce = 100;
constexpr size_t kChunkBytes = size_t{64} << 10;

std::string line_of(std::string_view type, const Value& object) {
  const Value event = Value::dict({{"type", Value::string(type)}, {"object", object}});
  return value::to_json(event, value::JsonEscape::kNone).value_or("{}") + "\n";
}

/// Returns a copy of an object that has another resourceVersion.
Value with_version(const Value& object, const std::string& resource_version) {
  Value copy = Value::dict();
  for (const auto& [key, member] : object.as_dict()) {
    copy.mutable_dict().set(key, member);
  }
  const Value metadata = Value::dict();
  if (const Value* before = object.find("metadata"); before != nullptr && before->is_dict()) {
    for (const auto& [key, member] : before->as_dict()) {
      metadata.mutable_dict().set(key, member);
    }
  }
  metadata.mutable_dict().set("resourceVersion", Value::string(resource_version));
  copy.mutable_dict().set("metadata", metadata);
  return copy;
}

}  // namespace

std::string error_event(const base::Error& error) { return line_of("ERROR", status_of(error)); }

WatchStream::WatchStream(const View& view, Feed& feed, const base::Clock& clock, WatchQuery query,
                         Rendition rendition)
    : view_(view),
      feed_(feed),
      clock_(clock),
      query_(std::move(query)),
      rendition_(std::move(rendition)) {}

void WatchStream::begin_with(ObjectPage page) { initial_ = std::move(page); }

/// Adds the next objects that the watch begins with and, after the last, the bookmark.
void WatchStream::add_initial() {
  const size_t end = std::min(next_initial_ + kEventsAtOnce, initial_->items.size());
  for (; next_initial_ < end; ++next_initial_) {
    add("ADDED", *std::exchange(initial_->items[next_initial_], nullptr));
  }
  if (next_initial_ == initial_->items.size()) {
    if (query_.initial && query_.bookmarks) {
      add_bookmark(initial_->resource_version, true);
    }
    initial_.reset();
  }
}

base::Status WatchStream::begin_after(const std::string& resource_version) {
  CW_TRY(cursor_, feed_.after(resource_version));
  begin_version_ = resource_version;
  return {};
}

void WatchStream::add(std::string_view type, const Value& object) {
  lines_.push_back(line_of(type, present(view_, object, rendition_, clock_.wall())));
  rendition_.headers = false;
}

void WatchStream::add_bookmark(const std::string& resource_version, bool ends_initial) {
  const Value metadata = Value::dict({{"resourceVersion", Value::string(resource_version)}});
  if (ends_initial) {
    metadata.mutable_dict().set(
        "annotations", Value::dict({{"k8s.io/initial-events-end", Value::string("true")}}));
  }
  const Value object = Value::dict({{"apiVersion", Value::string(view_.resource.api_version())},
                                    {"kind", Value::string(view_.resource.kind)},
                                    {"metadata", metadata}});
  if (rendition_.accepted.form != Form::kTable) {
    add("BOOKMARK", object);
    return;
  }
  Value table = present(view_, object, rendition_, clock_.wall());
  table.mutable_dict().set("rows", Value::list());
  table.mutable_dict().set("metadata", metadata);
  lines_.push_back(line_of("BOOKMARK", table));
}

bool WatchStream::selects(const Shown& object) const {
  const std::string& ns = query_.selection.ns;
  return object != nullptr && (ns.empty() || kube::namespace_of(*object) == ns) &&
         query_.selection.selects(*object);
}

void WatchStream::add_event(const FeedEvent& event) {
  if (!kube::may_be_newer_version(event.resource_version, begin_version_)) {
    return;  // Part of the list that the client has.
  }
  if (event.before == nullptr && event.after == nullptr) {
    if (query_.bookmarks) {
      add_bookmark(event.resource_version, false);
    }
    return;
  }
  const bool before = selects(event.before);
  const bool after = selects(event.after);
  if (after) {
    add(before ? "MODIFIED" : "ADDED", *event.after);
  } else if (before) {
    add("DELETED", with_version(*event.before, event.resource_version));
  }
}

std::optional<std::string> WatchStream::take() {
  std::string chunk;
  while (!lines_.empty() && chunk.size() < kChunkBytes) {
    chunk += lines_.front();
    lines_.pop_front();
  }
  return chunk;
}

std::optional<std::string> WatchStream::next() {
  while (lines_.empty() && initial_) {
    add_initial();
  }
  while (lines_.empty() && !ended_) {
    auto events = feed_.next(cursor_, query_.selection.ns, kEventsAtOnce);
    if (!events.ok()) {
      lines_.push_back(error_event(events.error()));
      ended_ = true;
      break;
    }
    if (events->empty()) {
      return "";
    }
    for (const FeedEvent& event : *events) {
      add_event(event);
    }
  }
  return lines_.empty() ? std::nullopt : take();
}

void WatchStream::on_more(std::function<void()> wake) {
  subscription_ = feed_.subscribe(std::move(wake));
}

}  // namespace chartwright::apiserver
