// SPDX-License-Identifier: Apache-2.0
#include "apiserver/access_review.h"

#include <utility>

#include "base/digest.h"
#include "value/json.h"
#include "views/api_errors.h"

namespace chartwright::apiserver {
namespace {

using value::Value;
using views::forbidden;
using views::internal_error;

constexpr base::Duration kTimeout = std::chrono::seconds(10);
constexpr base::Duration kAllowedFor = std::chrono::seconds(10);
constexpr base::Duration kRefusedFor = std::chrono::seconds(5);
constexpr size_t kVerdictsMax = 4096;

Value review_spec(const User& user, const Access& access) {
  const Value attributes = Value::dict({{"verb", Value::string(access.verb)},
                                        {"group", Value::string(access.resource.group)},
                                        {"version", Value::string(access.resource.version)},
                                        {"resource", Value::string(access.resource.plural)}});
  if (!access.ns.empty()) {
    attributes.mutable_dict().set("namespace", Value::string(access.ns));
  }
  if (!access.name.empty()) {
    attributes.mutable_dict().set("name", Value::string(access.name));
  }
  const Value extra = Value::dict();
  for (const auto& [key, values] : user.extra) {
    extra.mutable_dict().set(key, value::list_of(values));
  }
  return Value::dict({{"resourceAttributes", attributes},
                      {"user", Value::string(user.name)},
                      {"uid", Value::string(user.uid)},
                      {"groups", value::list_of(user.groups)},
                      {"extra", extra}});
}

}  // namespace

AccessReview::AccessReview(kube::Client& client, const base::Clock& clock, std::stop_token stop)
    : client_(client), clock_(clock), call_{.stop = std::move(stop), .timeout = kTimeout} {}

base::Result<AccessReview::Verdict> AccessReview::ask(const User& user, const Access& access) {
  const Value review = Value::dict({{"apiVersion", Value::string("authorization.k8s.io/v1")},
                                    {"kind", Value::string("SubjectAccessReview")},
                                    {"metadata", Value::dict()},
                                    {"spec", review_spec(user, access)}});
  auto answer = client_.create(review, {}, call_);
  if (!answer.ok()) {
    return internal_error("the API server cannot say whether this is allowed: " +
                          answer.error().message());
  }
  Verdict verdict;
  verdict.allowed = answer->bool_at({"status", "allowed"});
  verdict.reason = answer->string_at({"status", "reason"});
  verdict.until = base::after(clock_.monotonic(), verdict.allowed ? kAllowedFor : kRefusedFor);
  return verdict;
}

void AccessReview::remember(const std::string& key, const Verdict& verdict) {
  const base::MutexLock lock(mutex_);
  if (verdicts_.size() >= kVerdictsMax) {
    const base::MonotonicTime now = clock_.monotonic();
    std::erase_if(verdicts_, [now](const auto& one) { return one.second.until <= now; });
  }
  if (verdicts_.size() >= kVerdictsMax) {
    verdicts_.clear();
  }
  verdicts_.insert_or_assign(key, verdict);
}

base::Status AccessReview::check(const User& user, const Access& access) {
  const std::string key = base::sha256_hex(
      value::to_json(review_spec(user, access), value::JsonEscape::kNone).value_or(""));
  std::optional<Verdict> verdict;
  {
    const base::MutexLock lock(mutex_);
    const auto known = verdicts_.find(key);
    if (known != verdicts_.end() && clock_.monotonic() < known->second.until) {
      verdict = known->second;
    }
  }
  if (!verdict) {
    CW_TRY(verdict, ask(user, access));
    remember(key, *verdict);
  }
  if (verdict->allowed) {
    return {};
  }
  return forbidden(access.resource.plural + "." + access.resource.group +
                   (access.name.empty() ? "" : " \"" + access.name + "\"") +
                   " is forbidden: User \"" + user.name + "\" cannot " + access.verb + " it here" +
                   (verdict->reason.empty() ? "" : ": " + verdict->reason));
}

}  // namespace chartwright::apiserver
