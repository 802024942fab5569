// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "base/result.h"
#include "console/connection.h"
#include "origin/answer.h"
#include "origin/question.h"
#include "value/value.h"

namespace chartwright::cmd {

/// Finds out where the value of a field comes from, of a live custom resource or of a child of it.
/// `chart`: the folder or archive of the chart; empty: the chart of the record. A link that
/// cannot be read is a gap in the answer. Errors: those of origin::find_child, and kNotFound where
/// there is no such field; those of loading `chart`. Blocks.
base::Result<origin::FieldAnswer> read_field(const value::Value& cr,
                                             const origin::Question& question,
                                             const std::string& chart, Connection& connection);

}  // namespace chartwright::cmd
