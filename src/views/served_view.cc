// SPDX-License-Identifier: Apache-2.0
#include "views/served_view.h"

#include <chrono>
#include <utility>

#include "runtime/pause.h"
#include "views/api_errors.h"
#include "views/source_check.h"

namespace chartwright::views {
namespace {

using runtime::WatchEvent;
using value::Value;

constexpr base::Duration kSourceTimeout = std::chrono::seconds(15);
// All views share one discovery, and it is repeated less often (RestMapper::kMinRefresh).
constexpr base::Duration kSourceRetry = std::chrono::seconds(2);

}  // namespace

ServedView::ServedView(const View& view, kube::Client& client, kube::RestMapper& mapper,
                       base::Clock& clock, const base::Logger& log)
    : projector_(view, clock),
      mapper_(mapper),
      clock_(clock),
      log_(log.with({{"view", view.resource.plural + "." + view.resource.group}})),
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

void ServedView::note(std::optional<base::Error> problem) {
  const base::MutexLock lock(mutex_);
  problem_ = std::move(problem);
}

/// Waits until the source is there, and fits. That may be never: each cause is logged once.
void ServedView::await_source() {
  std::string last;
  while (!stop_.stop_requested()) {
    const base::Status checked =
        check_source(view(), mapper_, {.stop = stop_.get_token(), .timeout = kSourceTimeout});
    if (checked.ok()) {
      note(std::nullopt);
      if (!last.empty()) {
        log_.info("The source of a view is there");
      }
      return;
    }
    if (stop_.stop_requested()) {
      return;
    }
    note(checked.error());
    if (checked.error().message() != last) {
      last = checked.error().message();
      log_.error("A view waits for its source", checked.error());
    }
    runtime::pause(clock_, kSourceRetry, stop_.get_token());
  }
}

base::Status ServedView::start() {
  CW_TRY(thread_,
         base::Thread::start("view:" + view().resource.plural, base::kRenderStackBytes, [this] {
           if (watcher_ == nullptr) {
             fill_from_items();
             return;
           }
           await_source();
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
  {
    const base::MutexLock lock(mutex_);
    if (problem_) {
      return problem_;
    }
  }
  return watcher_ == nullptr ? std::nullopt : watcher_->last_error();
}

base::Status ServedView::usable() const {
  const base::MutexLock lock(mutex_);
  if (!problem_) {
    return {};
  }
  return unavailable(source_failure(view(), *problem_).message());
}

bool ServedView::has_no_objects() const {
  {
    const base::MutexLock lock(mutex_);
    if (problem_) {  // Of a discovery that has failed, nothing is known.
      return problem_->reason() == kube::kNoMatchReason ||
             problem_->code() == base::ErrorCode::kInvalidArgument;
    }
  }
  const auto error = last_error();
  return error && error->code() == base::ErrorCode::kNotFound;
}

bool ServedView::has_settled() const { return feed_.has_synced() || last_error(); }

}  // namespace chartwright::views
