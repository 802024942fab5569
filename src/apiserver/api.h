// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <stop_token>
#include <string>
#include <vector>

#include "apiserver/access_review.h"
#include "apiserver/front_proxy.h"
#include "base/clock.h"
#include "base/log.h"
#include "runtime/http_message.h"
#include "runtime/http_options.h"
#include "views/served_view.h"

namespace chartwright::apiserver {

/// The parts of an Api. All references must outlive it.
struct ApiParts {
  const std::vector<views::View>& views;
  std::vector<views::ServedView*> served;  ///< In the same order.
  FrontProxy& front_proxy;
  AccessReview* access = nullptr;  ///< Null: the aggregator's own authorization is enough.
  const base::Clock& clock;
  base::Logger log;
  std::stop_token stop;      ///< Ends the calls of running requests.
  size_t request_bytes_max;  ///< The limit of one request: objects of a list, beginning of a watch.
};

/// Answers the requests of the aggregator: discovery, OpenAPI, and the objects of the views.
/// Blocks; thread-safe.
class Api {
 public:
  explicit Api(ApiParts parts) : parts_(std::move(parts)) {}
  /// Returns a reply to every request; errors become a metav1.Status, of a watch that has been
  /// accepted as an event.
  runtime::HttpReply handle(const runtime::HttpRequest& request);
  /// Returns when it is answered: users take turns, and what the aggregator and clients need to
  /// find the views waits for no work on them. Does not block.
  runtime::HttpTurn turn(const runtime::HttpRequest& request) const;

 private:
  struct Call;
  static base::Error too_expensive(const base::Error& error, const runtime::HttpRequest& request,
                                   const Call& call);
  static runtime::HttpReply refusal(const base::Error& error, const Call& call);
  base::Result<runtime::HttpReply> answer(const runtime::HttpRequest& request, Call& call);
  base::Result<runtime::HttpReply> answer_document(const runtime::HttpRequest& request,
                                                   const Call& call) const;
  base::Result<runtime::HttpReply> act(const runtime::HttpRequest& request, Call& call);
  base::Result<runtime::HttpReply> get(const runtime::HttpRequest& request, const Call& call);
  base::Result<runtime::HttpReply> list(const runtime::HttpRequest& request, const Call& call);
  base::Result<runtime::HttpReply> watch(const runtime::HttpRequest& request, Call& call);
  base::Result<runtime::HttpReply> write(const runtime::HttpRequest& request, Call& call);
  base::Result<runtime::HttpReply> remove(const runtime::HttpRequest& request, Call& call);
  static base::Result<views::Edit> edit_of(const runtime::HttpRequest& request, const Call& call);
  std::optional<runtime::HttpReply> health(const std::string& path) const;
  std::vector<views::View> discovered() const;
  views::ServedView* find(const std::string& group, const std::string& version,
                          const std::string& plural) const;

  const ApiParts parts_;
};

/// Returns the reply for an error; `view` and `name` describe the object, if any.
runtime::HttpReply error_reply(const base::Error& error, const views::View* view = nullptr,
                               std::string_view name = "");

}  // namespace chartwright::apiserver
