// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <utility>

#include "base/printable.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "external/driver.h"
#include "external/settings.h"
#include "go/quote.h"
#include "kube/http_transport.h"
#include "value/json.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;

constexpr size_t kFieldBytesMax = 256;
// The part that is read of a reply with an error.
constexpr value::JsonLimits kErrorLimits = {.max_bytes = size_t{64} << 10, .max_depth = 50};

ErrorCode code_of(int status) {
  switch (status) {
    case 401:
      return ErrorCode::kUnauthorized;
    case 403:
      return ErrorCode::kForbidden;
    case 429:
      return ErrorCode::kTooManyRequests;
    case 408:
    case 504:
      return ErrorCode::kTimeout;
    default:
      return status >= 500 || status < 200 ? ErrorCode::kUnavailable : ErrorCode::kInvalid;
  }
}

Error refusal(const kube::Response& response, const std::optional<value::Path>& field) {
  std::string text = "HTTP status " + std::to_string(response.status);
  if (response.status >= 300 && response.status < 400) {
    text += ": redirects are not followed; set baseURL to where the service is";
  } else {
    text += reply_in_short(response.body, field);
  }
  return Error(code_of(response.status), std::move(text))
      .with_http(response.status, "")
      .with_retry_after(response.retry_after_s);
}

class CurlDriver final : public Driver {
 public:
  CurlDriver(std::unique_ptr<kube::Transport> transport, const HttpEndpoint& endpoint)
      : transport_(std::move(transport)),
        authorization_(endpoint.authorization),
        error_field_(endpoint.error_field) {}

  base::Result<Reply> call(const Request& request, const kube::Call& limits) override {
    CW_TRY(kube::Request sent, http_request(request));
    auto response = transport_->perform(std::move(sent), limits);
    if (!response.ok()) {
      return std::move(response).error();
    }
    if (response->status == 404 || response->status == 410) {
      return Reply{false, std::move(response->body)};
    }
    if (response->status < 200 || response->status > 299) {
      return refusal(*response, error_field_).wrap(request.call);
    }
    return Reply{true, std::move(response->body)};
  }

 private:
  base::Result<kube::Request> http_request(const Request& request) const {
    const size_t space = request.call.find(' ');
    const auto method = http_method(request.call.substr(0, space));
    const std::string_view target =
        space == std::string::npos ? "" : std::string_view(request.call).substr(space + 1);
    if (!method || !target.starts_with('/') ||
        !std::all_of(target.begin(), target.end(), is_graphic) ||
        target.find('#') != std::string_view::npos) {
      return Error(ErrorCode::kInvalidArgument,
                   go::quote(request.call) +
                       " is not a method and an escaped path, such as \"PUT /pets/7\"");
    }
    kube::Request sent;
    sent.method = *method;
    sent.target = target;
    sent.content_type = "application/json";
    if (!authorization_.empty()) {
      sent.headers.push_back("Authorization: " + authorization_);
    }
    if (!request.key.empty()) {
      sent.headers.push_back("Idempotency-Key: " + key_header(request.key));
    }
    // A repeated create is for Connection, which knows what came of the first.
    sent.only_once = request.repeat == Repeat::kNever || !request.key.empty();
    sent.body = request.body;
    sent.max_response_bytes = kReplyBytesMax;
    return sent;
  }

  const std::unique_ptr<kube::Transport> transport_;
  const std::string authorization_;
  const std::optional<value::Path> error_field_;
};

}  // namespace

std::string reply_in_short(std::string_view body, const std::optional<value::Path>& field) {
  if (field) {
    const auto parsed = value::parse_json(body, value::Numbers::kInt64, kErrorLimits);
    const value::Value* said = parsed.ok() ? field->get(*parsed) : nullptr;
    if (said != nullptr && said->is_string() && !base::trim(said->as_string()).empty()) {
      return ": " + base::shortened(base::printable(base::trim(said->as_string())), kFieldBytesMax);
    }
  }
  if (body.empty()) {
    return "";
  }
  return " (" + std::to_string(body.size()) + (body.size() == 1 ? " byte" : " bytes") +
         ", not shown)";
}

std::string key_header(const std::string& key) { return key.empty() ? "" : '"' + key + '"'; }

bool was_refused(const base::Error& error) {
  const int status = error.http_status();
  return error.reason() == kube::kNotSent || error.code() == ErrorCode::kInvalidArgument ||
         (status >= 400 && status < 500 && status != 408);
}

bool may_be_under_way(const base::Error& error) {
  return error.http_status() == 409 || error.http_status() == 425;
}

base::Result<std::unique_ptr<Driver>> make_http_driver(const HttpEndpoint& endpoint,
                                                       base::Clock& clock) {
  CW_TRY_VOID(check_base_url(endpoint.base_url));
  if (!endpoint.authorization.empty() && !endpoint.plaintext) {
    CW_TRY_VOID(check_for_credentials(endpoint.base_url));
  }
  kube::Config config;
  config.server = endpoint.base_url;
  while (config.server.ends_with('/')) {
    config.server.pop_back();
  }
  config.tls_server_name = endpoint.server_name;
  config.ca.data = endpoint.ca;
  config.client_cert.data = endpoint.certificate;
  config.client_key.data = endpoint.key;
  CW_TRY(auto transport, kube::make_transport(config, clock));
  return std::unique_ptr<Driver>(std::make_unique<CurlDriver>(std::move(transport), endpoint));
}

}  // namespace chartwright::external
