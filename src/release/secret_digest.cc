// SPDX-License-Identifier: Apache-2.0
#include "release/secret_digest.h"

#include <utility>

#include "fields/projection.h"

namespace chartwright::release {
namespace {

// Neither counts as the other.
constexpr std::string_view kDesiredPurpose = "desired Secret";
constexpr std::string_view kObservedPurpose = "observed Secret";

base::Result<std::string> keyed(const base::Signer& signer, std::string_view purpose,
                                std::string_view text) {
  CW_TRY(const std::string signature, signer.sign(purpose, text));
  return std::string(kKeyedPrefix) + signature;
}

// The fields that were applied do not contain the name of the object.
base::Result<std::string> observed_form(const kube::ObjectRef& ref, const Owner& owner,
                                        std::string_view digest) {
  if (digest.empty() || !owner.signer || !kube::is_secret(ref.gvk)) {
    return std::string(digest);
  }
  std::string text = ref.ns + "/" + ref.name + " ";
  text += digest;
  return keyed(*owner.signer, kObservedPurpose, text);
}

}  // namespace

base::Result<std::string> recorded_desired(const kube::Gvk& gvk, const Owner& owner,
                                           std::string digest) {
  if (!owner.signer || !kube::is_secret(gvk)) {
    return digest;
  }
  return keyed(*owner.signer, kDesiredPurpose, digest);
}

std::string recorded_observed(const value::Value& live, const Owner& owner) {
  const auto digest = fields::projection_digest(live, field_manager_of(owner));
  return observed_form(kube::ref_of(live), owner, digest.value_or("")).value_or("");
}

bool is_observed(std::string_view observed, const Observed& live, const Owner& owner) {
  const std::string_view digest = live.projection(owner);
  if (!observed.starts_with(kKeyedPrefix)) {
    return observed == digest;
  }
  const auto recorded = observed_form(kube::ref_of(live.condensed()), owner, digest);
  return recorded.ok() && *recorded == observed;
}

bool may_be_shown(const kube::Gvk& gvk, std::string_view digest) {
  return !kube::is_secret(gvk) || digest.starts_with(kKeyedPrefix);
}

}  // namespace chartwright::release
