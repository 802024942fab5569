// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "helm/funcs/bind.h"
#include "helm/version/semver.h"
#include "tmpl/function.h"

namespace chartwright::helm::funcs {

/// Every Sprig function that Helm exposes, ordered by family. Built on the first call; thread-safe.
/// Source: Masterminds/sprig v3.3.0 functions.go, without env and expandenv, which Helm deletes.
const std::vector<Entry>& registry();

/// Adds every entry of the registry to `functions` under its name and its aliases, over that
/// release of Masterminds/semver.
void register_sprig(tmpl::FunctionMap& functions, SemverRelease semver = SemverRelease::k3_5);

}  // namespace chartwright::helm::funcs
