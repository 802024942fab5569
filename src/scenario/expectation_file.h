// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "base/result.h"
#include "scenario/scenario.h"
#include "suite/suite_reader.h"

namespace chartwright::scenario {

/// Reads an element of `then`, in a scenario whose custom resource and kinds are known. Error:
/// kParse, with the position.
base::Result<Expectation> read_expectation(const suite::SuiteText& text, const value::Value& v,
                                           suite::SuiteMap::Steps steps, const Scenario& scenario);

/// Reads a member that names an object. Error: kParse, with the position, also if there is no such
/// member.
base::Result<kube::ObjectRef> read_ref(suite::SuiteMap& map, std::string_view key,
                                       const Scenario& scenario);

/// Reads a verb and a kind, "apply Deployment", from the start of a text; the rest is left in
/// `text`. Error: kInvalidArgument for an unknown verb, with the nearest.
base::Result<std::string> take_verb(std::string_view& text);

}  // namespace chartwright::scenario
