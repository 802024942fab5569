// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "funcs/semver.h"
#include "tmpl/function.h"

namespace chartwright::funcs {

/// One Sprig function as it is registered and as docs/compatibility.md lists it.
struct Entry {
  tmpl::Function function;
  std::vector<std::string> aliases;  ///< Further names of exactly the same function.
  std::string_view family;           ///< "strings", "lists", ...: the heading in the documentation.
  std::string deviation;             ///< Where the result may differ from Sprig's; "" = nowhere.
};

/// Every Sprig function that Helm exposes, ordered by family. Built on the first call; thread-safe.
/// Source: Masterminds/sprig v3.3.0 functions.go, without env and expandenv, which Helm deletes.
const std::vector<Entry>& registry();

/// Adds every entry of the registry to `functions` under its name and its aliases, over that
/// release of Masterminds/semver.
void register_sprig(tmpl::FunctionMap& functions, SemverRelease semver = SemverRelease::k3_5);

}  // namespace chartwright::funcs
