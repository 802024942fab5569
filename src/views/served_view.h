// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <stop_token>

#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "kube/client.h"
#include "views/feed.h"
#include "views/projection.h"
#include "views/reader.h"
#include "views/view.h"
#include "views/writer.h"

namespace chartwright::views {

/// A view that is being served: its feed, which a thread "view:<plural>" keeps up to date, and what
/// reads and writes its objects.
class ServedView {
 public:
  /// The references must outlive this.
  ServedView(const View& view, kube::Client& client, base::Clock& clock, const base::Logger& log);
  ~ServedView();

  const View& view() const { return projector_.view(); }
  Feed& feed() { return feed_; }
  const Reader& reader() const { return reader_; }
  const Writer& writer() const { return writer_; }
  /// Begins to follow the source. Error: kUnavailable (no thread).
  base::Status start();
  /// Ends the thread and waits for it.
  void stop();
  /// Returns the error of the last request for the source; nullopt if it succeeded.
  std::optional<base::Error> last_error() const;

 private:
  void fill_from_items();

  const Projector projector_;
  Feed feed_;
  const Reader reader_;
  const Writer writer_;
  std::unique_ptr<runtime::Watcher> watcher_;  ///< Null for an inline source.
  std::stop_source stop_;
  base::Thread thread_;
};

}  // namespace chartwright::views
