// SPDX-License-Identifier: Apache-2.0
#include "runtime/http_message.h"

#include <algorithm>
#include <utility>

namespace chartwright::runtime {

std::string_view HttpRequest::path() const {
  return std::string_view(target).substr(0, target.find('?'));
}

std::string_view HttpRequest::header(std::string_view name) const {
  const auto found = std::find_if(headers.begin(), headers.end(),
                                  [&](const auto& one) { return one.first == name; });
  return found == headers.end() ? std::string_view() : std::string_view(found->second);
}

HttpReply text_reply(int status, std::string body) {
  HttpReply reply;
  reply.status = status;
  reply.headers.emplace_back("Content-Type", "text/plain; charset=utf-8");
  reply.body = std::move(body);
  return reply;
}

HttpReply plain_refusal(HttpRefusal why) {
  switch (why) {
    case HttpRefusal::kTooManyRequests:
      return text_reply(429, "too many requests\n");
    case HttpRefusal::kBodyTooLarge:
      return text_reply(413, "request body too large\n");
    case HttpRefusal::kEnding:
      return text_reply(503, "shutting down\n");
    case HttpRefusal::kFailed:
      break;
  }
  return text_reply(500, "internal error\n");
}

}  // namespace chartwright::runtime
