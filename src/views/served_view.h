// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <optional>
#include <stop_token>

#include "base/clock.h"
#include "base/log.h"
#include "base/mutex.h"
#include "base/thread.h"
#include "kube/client.h"
#include "kube/discovery.h"
#include "views/feed.h"
#include "views/projector.h"
#include "views/reader.h"
#include "views/view.h"
#include "views/view_writer.h"

namespace chartwright::views {

/// A view that is being served: its feed, which a thread "view:<plural>" keeps up to date, and what
/// reads and writes its objects. Without its source it waits for that, and no other view does.
class ServedView {
 public:
  /// The references must outlive this.
  ServedView(const View& view, kube::Client& client, kube::RestMapper& mapper, base::Clock& clock,
             const base::Logger& log);
  ~ServedView();

  const View& view() const { return projector_.view(); }
  Feed& feed() { return feed_; }
  const Reader& reader() const { return reader_; }
  const Writer& writer() const { return writer_; }
  /// Begins to follow the source. Error: kUnavailable (no thread).
  base::Status start();
  /// Ends the thread and waits for it.
  void stop();
  /// Returns why the source cannot be followed: it is not what the view needs, or the last request
  /// for it has failed. nullopt if nothing is known to be wrong.
  std::optional<base::Error> last_error() const CW_EXCLUDES(mutex_);
  /// Returns why no request can be answered: the source is not what the view needs.
  base::Status usable() const CW_EXCLUDES(mutex_);
  /// Reports whether the source is known not to be there, or to have no namespaces where the view
  /// has, so that the view has no objects.
  bool has_no_objects() const CW_EXCLUDES(mutex_);
  /// Reports whether the feed is complete, or it is known why it is not: to wait is then useless.
  bool has_settled() const CW_EXCLUDES(mutex_);

 private:
  void fill_from_items();
  void await_source() CW_EXCLUDES(mutex_);
  void note(std::optional<base::Error> problem) CW_EXCLUDES(mutex_);

  const Projector projector_;
  kube::RestMapper& mapper_;
  base::Clock& clock_;
  const base::Logger log_;
  Feed feed_;
  const Reader reader_;
  const Writer writer_;
  mutable base::Mutex mutex_;
  /// The fault of the source, before it is followed.
  std::optional<base::Error> problem_ CW_GUARDED_BY(mutex_);
  std::unique_ptr<runtime::Watcher> watcher_;  ///< Null for an inline source.
  std::stop_source stop_;
  base::Thread thread_;
};

}  // namespace chartwright::views
