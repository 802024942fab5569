// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "release/observed.h"
#include "release/owner.h"

namespace chartwright::release {

/// The prefix of every keyed digest.
inline constexpr std::string_view kKeyedPrefix = "hmac-sha256:";

/// Returns the form in which the digest of a desired object of that kind is recorded. That of a
/// Secret is signed by its owner, if that can sign: who reads the status can then test no guess at
/// its content. Any other is recorded as it is. Error: kInternal if OpenSSL fails.
base::Result<std::string> recorded_desired(const kube::Gvk& gvk, const Owner& owner,
                                           std::string digest);

/// Returns the digest of the fields that `owner` has applied to a live object, in the same form;
/// empty if there are none, or they are to be applied again. That of a Secret is of no use as the
/// digest of another one.
std::string recorded_observed(const value::Value& live, const Owner& owner);

/// Reports whether `observed`, as recorded_observed gives it, is that of a live object; for "",
/// whether there is no digest.
bool is_observed(std::string_view observed, const Observed& live, const Owner& owner);

/// Reports whether a status may show that digest of an object of that kind.
bool may_be_shown(const kube::Gvk& gvk, std::string_view digest);

}  // namespace chartwright::release
