// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <deque>
#include <memory>
#include <optional>
#include <string>

#include "apiserver/table.h"
#include "base/clock.h"
#include "runtime/http_message.h"
#include "views/feed.h"
#include "views/reader.h"

namespace chartwright::apiserver {

/// The parameters of a watch.
struct WatchQuery {
  views::ListQuery selection;  ///< The watch begins at the resourceVersion of the query.
  bool bookmarks = false;      ///< allowWatchBookmarks
  bool initial = false;        ///< sendInitialEvents: a bookmark ends the existing objects.
};

/// Returns the line that ends a watch because of an error. It has the same form in every
/// representation. Source: k8s.io/apiserver pkg/endpoints/handlers doTransformObject.
std::string error_event(const base::Error& error);

/// The events of a watch, as lines of JSON.
class WatchStream final : public runtime::HttpStream {
 public:
  /// Watches from `cursor` on, which belongs to the selection's resourceVersion. The references
  /// must outlive the stream.
  WatchStream(const views::View& view, views::Feed& feed, const base::Clock& clock,
              WatchQuery query, Rendition rendition);
  /// Has the objects of `page` reported as added first. Their lines are written when they are sent.
  /// Call before the stream is used.
  void begin_with(views::ObjectPage page);
  /// Sets where the events begin. Error: 410.
  base::Status begin_after(const std::string& resource_version);

  std::optional<std::string> next() override;
  void on_more(std::function<void()> wake) override;

 private:
  void add(std::string_view type, const value::Value& object);
  void add_bookmark(const std::string& resource_version, bool ends_initial);
  void add_event(const views::FeedEvent& event);
  bool selects(const views::Shown& object) const;
  void add_initial();
  std::optional<std::string> take();

  const views::View& view_;
  views::Feed& feed_;
  const base::Clock& clock_;
  const WatchQuery query_;
  Rendition rendition_;
  views::Feed::Cursor cursor_;
  std::string begin_version_;
  std::optional<views::ObjectPage>
      initial_;  ///< The objects to begin with, as far as they are left.
  size_t next_initial_ = 0;
  std::deque<std::string> lines_;
  bool ended_ = false;
  std::shared_ptr<void> subscription_;
};

}  // namespace chartwright::apiserver
