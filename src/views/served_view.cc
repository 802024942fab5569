// SPDX-License-Identifier: Apache-2.0
#include "views/served_view.h"

#include <chrono>
#include <utility>

namespace chartwright::views {
namespace {

using runtime::WatchEvent;
using value::Value;

}  // namespace

ServedView::ServedView(const View& view, kube::Client& client, base::Clock& clock,
                       const base::Logger& log)
    : projector_(view, clock),
      feed_(projector_),
      reader_(projector_, feed_, view.source.is_inline() ? nullptr : &client),
      writer_(projector_, reader_, client) {
  if (!view.source.is_inline()) {
    runtime::WatcherOptions options;
    options.gvk = view.source.gvk;
    options.selection.label_selector = view.source.label_selector;
    watcher_ = std::make_unique<runtime::Watcher>(options, client, clock, log);
  }
}

ServedView::~ServedView() { stop(); }

/// The items of a file are as old as the file, and their version is the time at which it was
/// written: a client that resumes after the file has changed lists again.
void ServedView::fill_from_items() {
  const Source& source = view().source;
  const std::string version = std::to_string(source.items_version);
  const base::WallTime written{std::chrono::milliseconds(source.items_version)};
  feed_.apply({WatchEvent::Type::kInit, {}, {}});
  for (const Value& item : source.items) {
    Value object = value::deep_copy(item);
    const Value* metadata = object.find("metadata");
    metadata->mutable_dict().set("resourceVersion", Value::string(version));
    metadata->mutable_dict().set("creationTimestamp", Value::string(base::format_rfc3339(written)));
    feed_.apply({WatchEvent::Type::kInitApply, std::move(object), {}});
  }
  feed_.apply({WatchEvent::Type::kInitDone, {}, version});
}

base::Status ServedView::start() {
  CW_TRY(thread_,
         base::Thread::start("view:" + view().resource.plural, base::kRenderStackBytes, [this] {
           if (watcher_ == nullptr) {
             fill_from_items();
             return;
           }
           watcher_->run(stop_.get_token(),
                         [this](WatchEvent event) { feed_.apply(std::move(event)); });
         }));
  return {};
}

void ServedView::stop() {
  stop_.request_stop();
  thread_.join();
}

std::optional<base::Error> ServedView::last_error() const {
  return watcher_ == nullptr ? std::nullopt : watcher_->last_error();
}

}  // namespace chartwright::views
