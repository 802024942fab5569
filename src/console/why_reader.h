// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "console/connection.h"
#include "report/why_report.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Searches for the causes for which the children of a live custom resource are not ready. A
/// child that cannot be read is named in the report. Blocks.
WhyReport read_why(const value::Value& cr, Connection& connection);

}  // namespace chartwright::cmd
