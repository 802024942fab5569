// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "helm/funcs/bind.h"
#include "helm/version/semver.h"
#include "tmpl/function.h"

namespace chartwright::helm::funcs {

/// Returns every Sprig function that Helm exposes, ordered by family. Built on first call;
/// thread-safe. Source: Masterminds/sprig v3.3.0 functions.go, without env and expandenv, which
/// Helm removes.
const std::vector<Entry>& registry();

/// Adds every entry of the registry to `functions` under its name and its aliases, with the given
/// release of Masterminds/semver.
void register_sprig(tmpl::FunctionMap& functions, SemverRelease semver = SemverRelease::k3_5);

}  // namespace chartwright::helm::funcs
