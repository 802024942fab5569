// SPDX-License-Identifier: Apache-2.0
#include "runtime/scrape_guard.h"

#include <utility>

#include "base/digest.h"
#include "base/strings.h"

namespace chartwright::runtime {
namespace {

using value::Value;

constexpr base::Duration kReviewTimeout = std::chrono::seconds(10);
constexpr base::Duration kAllowedFor = std::chrono::minutes(1);
constexpr base::Duration kRefusedFor = std::chrono::seconds(30);
constexpr size_t kVerdictsMax = 1024;

// The token of RFC 6750, after "Bearer" in any case; empty where there is none.
std::string bearer_token(std::string_view authorization) {
  authorization = base::trim(authorization);
  const size_t space = authorization.find(' ');
  if (space == std::string_view::npos ||
      base::to_lower_ascii(authorization.substr(0, space)) != "bearer") {
    return {};
  }
  return std::string(base::trim(authorization.substr(space)));
}

Value review(std::string_view group, std::string_view kind, Value spec) {
  return Value::dict({{"apiVersion", Value::string(std::string(group) + "/v1")},
                      {"kind", Value::string(kind)},
                      {"metadata", Value::dict()},
                      {"spec", std::move(spec)}});
}

}  // namespace

ScrapeGuard::ScrapeGuard(kube::Client& client, const base::Clock& clock, base::Logger log,
                         std::stop_token stop)
    : client_(client),
      clock_(clock),
      log_(std::move(log)),
      call_{.stop = std::move(stop), .timeout = kReviewTimeout} {}

std::optional<HttpReply> ScrapeGuard::refusal(const HttpRequest& request) {
  const std::optional<Denial> denial = decide(request);
  if (!denial) {
    return std::nullopt;
  }
  return text_reply(denial->status, denial->why + "\n");
}

std::optional<ScrapeGuard::Denial> ScrapeGuard::decide(const HttpRequest& request) {
  const std::string token = bearer_token(request.header("authorization"));
  if (token.empty()) {
    return Denial{401, "Unauthorized"};
  }
  const std::string key =
      base::sha256_hex(request.method + "\n" + std::string(request.path()) + "\n" + token);
  const auto known = verdicts_.find(key);
  if (known != verdicts_.end() && clock_.monotonic() < known->second.believed_until) {
    return known->second.denial;
  }
  auto verdict = judge(request, token);
  if (!verdict.ok()) {
    // Not cached: the next scrape asks again.
    log_.error("Caller of metrics could not be checked", verdict.error());
    return Denial{500, "Authentication or authorization failed"};
  }
  const base::Duration lasts = *verdict ? kRefusedFor : kAllowedFor;
  remember(key, {*verdict, clock_.monotonic() + lasts});
  return *std::move(verdict);
}

base::Result<std::optional<ScrapeGuard::Denial>> ScrapeGuard::judge(const HttpRequest& request,
                                                                    const std::string& token) {
  CW_TRY(const Caller caller, review_token(token));
  const Value* user = caller.find("user");
  if (!caller.bool_at({"authenticated"}) || user == nullptr) {
    return std::optional(Denial{401, "Unauthorized"});
  }
  CW_TRY(const bool allowed, may(*user, request));
  if (allowed) {
    return std::optional<Denial>();
  }
  return std::optional(
      Denial{403, "Authorization denied for user " + std::string(user->string_at({"username"}))});
}

base::Result<ScrapeGuard::Caller> ScrapeGuard::review_token(const std::string& token) {
  CW_TRY(const Value reviewed,
         client_.create(review("authentication.k8s.io", "TokenReview",
                               Value::dict({{"token", Value::string(token)}})),
                        {}, call_));
  const Value* status = reviewed.find("status");
  return status != nullptr ? *status : Value::dict();
}

base::Result<bool> ScrapeGuard::may(const Value& user, const HttpRequest& request) {
  Value spec =
      Value::dict({{"nonResourceAttributes",
                    Value::dict({{"path", Value::string(std::string(request.path()))},
                                 {"verb", Value::string(base::to_lower_ascii(request.method))}})},
                   {"user", Value::string(user.string_at({"username"}))}});
  for (std::string_view key : {"uid", "groups", "extra"}) {
    if (const Value* member = user.find(key)) {
      spec.mutable_dict().set(key, *member);
    }
  }
  CW_TRY(const Value reviewed,
         client_.create(review("authorization.k8s.io", "SubjectAccessReview", std::move(spec)), {},
                        call_));
  return reviewed.bool_at({"status", "allowed"}) && !reviewed.bool_at({"status", "denied"});
}

void ScrapeGuard::remember(const std::string& key, Verdict verdict) {
  if (verdicts_.size() >= kVerdictsMax) {
    const base::MonotonicTime now = clock_.monotonic();
    std::erase_if(verdicts_, [now](const auto& one) { return one.second.believed_until <= now; });
  }
  if (verdicts_.size() >= kVerdictsMax) {
    // Made-up tokens fill the cache. Starting anew costs other callers one review.
    verdicts_.clear();
  }
  verdicts_.insert_or_assign(key, std::move(verdict));
}

}  // namespace chartwright::runtime
