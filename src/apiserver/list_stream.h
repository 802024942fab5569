// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "apiserver/table.h"
#include "base/clock.h"
#include "runtime/http_message.h"
#include "views/reader.h"

namespace chartwright::apiserver {

/// A list as JSON, written while it is sent: of its text, only one piece exists at a time.
class ListStream final : public runtime::HttpStream {
 public:
  /// Shows ages as of `now`. `view` must outlive the stream.
  ListStream(const views::View& view, views::ObjectPage page, Rendition rendition,
             base::WallTime now);

  std::optional<std::string> next() override;
  void on_more(std::function<void()> /*wake*/) override {}  // There is more until the end.

 private:
  const views::View& view_;
  views::ObjectPage page_;
  const Rendition rendition_;
  const base::WallTime now_;
  size_t next_ = 0;  ///< The index of the next item of the page.
  bool begun_ = false;
  bool ended_ = false;
};

/// Returns the reply with a list: a short one at once, so that the connection can be used again,
/// and a long one as a stream.
runtime::HttpReply list_reply(const views::View& view, views::ObjectPage page,
                              const Rendition& rendition, base::WallTime now);

}  // namespace chartwright::apiserver
