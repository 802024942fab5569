// SPDX-License-Identifier: Apache-2.0
#include "host/remote_schemas.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "go/http_status.h"
#include "go/quote.h"
#include "go/url.h"
#include "helm/schema/reference.h"
#include "kube/http_transport.h"

namespace chartwright::host {
namespace {

using base::Error;
using base::ErrorCode;
using base::MutexLock;
using base::Result;

constexpr size_t kTextBytesMax = size_t{64} << 20;  // Kept; what is beyond is loaded each time.
constexpr size_t kFailuresMax = 256;

bool may_stand_in_url(char c) {
  return static_cast<unsigned char>(c - '!') <= '~' - '!' &&
         std::string_view("\"<>\\^`{|}").find(c) == std::string_view::npos;
}

std::string escaped(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (may_stand_in_url(c)) {
      out += c;
    } else {
      base::append_percent_encoded(out, c);
    }
  }
  return out;
}

/// The server of a URL, and what to ask it for.
struct Target {
  std::string origin;  ///< "https://host:port"
  std::string path;    ///< With the query; begins with '/'.
};

/// Takes a URL apart. Errors: kSchema for one that is malformed, has another scheme, or would send
/// a password.
Result<Target> target_of(const std::string& url) {
  const auto refused = [](std::string why) { return Error(ErrorCode::kSchema, std::move(why)); };
  const auto parsed = go::Url::parse(url);
  if (!parsed.ok()) {
    return refused(parsed.error().message());
  }
  if (!helm::is_remote(url)) {
    return refused("unsupported protocol scheme " + go::quote(parsed->scheme));
  }
  if (parsed->user) {
    return refused("a user name or password is not sent");
  }
  if (parsed->host.empty()) {
    return refused("http: no Host in request URL");
  }
  const size_t host = url.find("://") + 3;
  const size_t path = std::min(url.size(), url.find_first_of("/?", host));
  Target target{url.substr(0, path), escaped(std::string_view(url).substr(path))};
  if (!std::all_of(target.origin.begin(), target.origin.end(), may_stand_in_url)) {
    return refused("invalid character in host name");
  }
  if (!target.path.starts_with('/')) {
    target.path.insert(0, "/");
  }
  return target;
}

bool is_redirect(int status) {
  return status == 301 || status == 302 || status == 303 || status == 307 || status == 308;
}

/// Source: Go net/http stripPassword.
std::string without_password(const std::string& url) {
  const auto parsed = go::Url::parse(url);
  const size_t user = url.find("://") + 3;
  const size_t end = url.find('@');
  if (!parsed.ok() || !parsed->user || !parsed->user->password || end == std::string::npos) {
    return url;
  }
  return url.substr(0, url.find(':', user)) + ":***" + url.substr(end);
}

/// Returns why a document at `url` cannot be had, where `asked` was asked for last.
Error request_failed(const std::string& url, const std::string& asked, const Error& error) {
  std::string_view why = error.message();
  // The transport names the request, too.
  const std::string request = "GET " + asked.substr(0, asked.find('?')) + ": ";
  if (error.code() == ErrorCode::kTimeout) {
    why = "context deadline exceeded (Client.Timeout exceeded while awaiting headers)";
  } else if (why.starts_with(request)) {
    why.remove_prefix(request.size());
  }
  return {error.code(), "HTTP request failed for " + url + ": Get " +
                            go::quote(without_password(asked)) + ": " + std::string(why)};
}

Error status_failed(const std::string& url, int status) {
  // A server that is overloaded or restarts may answer otherwise the next time.
  const bool may_pass = status >= 500 || status == 429 || status == 408;
  return {may_pass ? ErrorCode::kUnavailable : ErrorCode::kSchema,
          "HTTP request to " + url + " returned status " + std::to_string(status) + " (" +
              std::string(go::http_status_text(status)) + ")"};
}

}  // namespace

RemoteSchemas::RemoteSchemas(base::Clock& clock, std::string ca_file, std::stop_token stop)
    : clock_(clock),
      connect_([&clock, ca_file = std::move(ca_file)](std::string origin) {
        kube::Config server;
        server.server = std::move(origin);
        server.ca.file = ca_file;
        kube::TransportOptions options;
        options.connect_timeout = kLoadTime;
        return kube::make_transport(server, clock, std::move(options));
      }),
      stop_(std::move(stop)) {}

Result<std::string> RemoteSchemas::load(const std::string& url) const {
  const base::MonotonicTime began = clock_.monotonic();
  {
    MutexLock lock(mutex_);
    if (const auto kept = texts_.find(url); kept != texts_.end()) {
      return kept->second;
    }
    if (const auto failed = failures_.find(url);
        failed != failures_.end() && began < failed->second.until) {
      return failed->second.error;
    }
    if (began >= period_end_) {
      period_end_ = base::after(began, kPeriod);
      spent_ = {};
    }
    if (spent_ >= kAllLoadsTime) {
      return Error(ErrorCode::kTimeout, "the documents before it took longer than " +
                                            base::format_go_duration(kAllLoadsTime));
    }
  }
  auto result = fetch(url);
  MutexLock lock(mutex_);
  spent_ += clock_.monotonic() - began;
  keep(url, result);
  return result;
}

void RemoteSchemas::keep(const std::string& url, const Result<std::string>& result) const {
  if (!result.ok()) {
    if (failures_.size() >= kFailuresMax) {
      failures_.clear();
    }
    const Failure failure{result.error(), base::after(clock_.monotonic(), kFailureKept)};
    failures_.insert_or_assign(url, failure);
  } else if (text_bytes_ + result->size() <= kTextBytesMax &&
             texts_.try_emplace(url, *result).second) {
    text_bytes_ += result->size();
  }
}

Result<std::string> RemoteSchemas::fetch(const std::string& url) const {
  const base::MonotonicTime began = clock_.monotonic();
  std::string asked = url;
  for (int requests = 1;; ++requests) {
    auto response = get(asked, began);
    if (!response.ok()) {
      return request_failed(url, asked, response.error());
    }
    if (!is_redirect(response->status) || response->location.empty()) {
      return response->status == 200 ? Result<std::string>(std::move(response->body))
                                     : status_failed(url, response->status);
    }
    if (requests == kRequestsMax) {
      return request_failed(url, response->location,
                            Error(ErrorCode::kSchema, "stopped after 10 redirects"));
    }
    asked = helm::join_url(asked, helm::split_fragment(response->location).url);
  }
}

Result<kube::Response> RemoteSchemas::get(const std::string& url, base::MonotonicTime began) const {
  CW_TRY(Target target, target_of(url));
  CW_TRY(const auto transport, connect_(std::move(target.origin)));
  kube::Request request;
  request.target = std::move(target.path);
  request.accept = "*/*";
  request.max_response_bytes = kBytesMax;
  return transport->perform(std::move(request), kube::rest_of({stop_, kLoadTime}, began, clock_));
}

}  // namespace chartwright::host
