// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/budget.h"
#include "helm/version/profile.h"
#include "tmpl/host.h"
#include "value/value.h"

namespace chartwright::helm::funcs {

/// One rendering with only text/template's executor and the Sprig functions, set up as in Helm: the
/// template's name, .Values, missing keys as zero values, "<no value>" removed.
struct Rendering {
  std::string text;
  value::Value values = value::Value::dict(default_profile().values_type);
  base::BudgetLimits limits = {};
};

/// Returns the output, or "error: " and the message.
std::string render(const Rendering& rendering, tmpl::Host& host);
/// Renders with FixedHost.
std::string render(const std::string& text);

}  // namespace chartwright::helm::funcs
