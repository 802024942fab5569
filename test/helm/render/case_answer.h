// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/budget.h"
#include "base/result.h"
#include "helm/render/chart_schemas.h"
#include "helm/version/profile.h"
#include "test/cases/case_file.h"

namespace chartwright::helm {

/// Returns the output of a case of engine helm: the text of its main template or, if it has none,
/// everything that `helm template` prints. Errors: those of loading and rendering, in Helm's words.
/// Local times use the zone of the process. test/cases/README.md defines the sections, of
/// which "remote" is the business of `schemas`.
base::Result<std::string> answer_case(const cases::Case& c, const Profile& profile,
                                      const base::BudgetLimits& limits = {},
                                      const SchemaSources& schemas = {});

}  // namespace chartwright::helm
