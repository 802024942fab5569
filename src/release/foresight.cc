// SPDX-License-Identifier: Apache-2.0
#include "release/foresight.h"

#include "kube/api_status.h"

namespace chartwright::release {
namespace {

// Source: k8s.io/apiserver pkg/admission/plugin/webhook/errors.
constexpr std::string_view kOfWebhook = "admission webhook \"";
constexpr std::string_view kNoDryRun = "does not support dry run";

// A policy that refuses a change of an object that is there judges that object.
bool may_admit(const Step& step, std::string_view message) {
  return message.find(kNoDryRun) != std::string_view::npos ||
         (step.action == Action::kCreate && message.find(kOfWebhook) != std::string_view::npos);
}

}  // namespace

bool may_pass(const Step& step, const base::Error& refusal) {
  switch (refusal.code()) {
    case base::ErrorCode::kInvalid:
    case base::ErrorCode::kImmutable:
      return may_admit(step, refusal.message());
    // A quota, a role that is to be bound: those may be in the plan, our own rights are not.
    case base::ErrorCode::kForbidden:
      return !kube::lacks_right(refusal) &&
             (step.action == Action::kCreate || may_admit(step, refusal.message()));
    case base::ErrorCode::kNotFound:
    case base::ErrorCode::kAlreadyExists:
    case base::ErrorCode::kConflict:
      return true;
    default:
      return false;
  }
}

}  // namespace chartwright::release
