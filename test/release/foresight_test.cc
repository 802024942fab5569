// SPDX-License-Identifier: Apache-2.0
#include "release/foresight.h"

#include <catch2/catch.hpp>

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;

// The texts are those of Kubernetes 1.33.
const Error kNoRight(ErrorCode::kForbidden,
                     R"(apply CronJob shop/w: cronjobs.batch is forbidden: User "op" cannot patch )"
                     R"(resource "cronjobs" in API group "batch" in the namespace "shop")");
const Error kQuota(ErrorCode::kForbidden,
                   R"(apply Pod shop/w: pods "w" is forbidden: exceeded quota: q)");
const Error kGrant(ErrorCode::kForbidden,
                   R"(apply Role shop/w: roles.rbac.authorization.k8s.io "w" is forbidden: user )"
                   R"("op" (groups=["a"]) is attempting to grant RBAC permissions not currently)"
                   " held");
const Error kInvalid(ErrorCode::kInvalid, "apply Service shop/w: spec.ports: Required value");
const Error kPolicy(ErrorCode::kInvalid,
                    R"(apply ConfigMap shop/w: admission webhook "p.example" denied the request)");
const Error kNoDryRun(ErrorCode::kInvalid, R"(apply ConfigMap shop/w: admission webhook )"
                                           R"("p.example" does not support dry run)");

bool may_pass_as(Action action, const Error& error) {
  Step step;
  step.action = action;
  return may_pass(step, error);
}

TEST_CASE("A right that is missing and a value that is invalid stay so") {
  for (const Action action : {Action::kCreate, Action::kApply}) {
    CHECK_FALSE(may_pass_as(action, kNoRight));
    CHECK_FALSE(may_pass_as(action, kInvalid));
    CHECK_FALSE(may_pass_as(action, Error(ErrorCode::kImmutable, "field is immutable")));
    CHECK_FALSE(may_pass_as(action, Error(ErrorCode::kOwnership, "it belongs to another")));
  }
}

TEST_CASE("The objects that a new one needs may come before it") {
  for (const Error& error : {kQuota, kGrant, kPolicy, Error(ErrorCode::kNotFound, "no namespace"),
                             Error(ErrorCode::kConflict, "it is being deleted")}) {
    INFO(error.message());
    CHECK(may_pass_as(Action::kCreate, error));
  }
}

TEST_CASE("A policy judges an object that is there, unless it judges no dry runs") {
  CHECK_FALSE(may_pass_as(Action::kApply, kPolicy));
  CHECK_FALSE(may_pass_as(Action::kApply, kQuota));
  CHECK(may_pass_as(Action::kApply, kNoDryRun));
}

TEST_CASE("A server that does not answer has refused nothing, and allowed nothing") {
  for (const ErrorCode code : {ErrorCode::kTimeout, ErrorCode::kUnavailable,
                               ErrorCode::kTooManyRequests, ErrorCode::kCancelled}) {
    CHECK_FALSE(may_pass_as(Action::kCreate, Error(code, "later")));
  }
}

}  // namespace
}  // namespace chartwright::release
