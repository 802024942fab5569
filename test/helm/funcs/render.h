// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/budget.h"
#include "tmpl/host.h"
#include "value/value.h"

namespace chartwright::helm::funcs {

/// One rendering with text/template's executor and the Sprig functions alone, in the frame that
/// Helm gives: the template's name, .Values, missing keys as zero values, "<no value>" removed.
struct Rendering {
  std::string text;
  value::Value values = value::Value::dict(value::DictType::kValues);
  base::BudgetLimits limits = {};
};

/// What is printed, or "error: " and the message.
std::string render(const Rendering& rendering, tmpl::Host& host);
/// The same in the world of FixedHost.
std::string render(const std::string& text);

}  // namespace chartwright::helm::funcs
