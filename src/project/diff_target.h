// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "cli/command.h"
#include "value/value.h"

namespace chartwright::cmd {

/// A custom resource that `diff` is to look at, or all of a kind.
struct DiffTarget {
  std::string kind;
  std::string group;   ///< Empty: any.
  std::string name;    ///< Empty: all.
  value::Value given;  ///< From a file; nil without one.
};

/// Reads "KIND", "KIND NAME..." or "KIND/NAME...". Errors: kInvalidArgument.
base::Result<std::vector<DiffTarget>> targets_of_arguments(
    const std::vector<std::string>& arguments);

/// Reads a file with one custom resource; "-" is standard input. Errors: those of reading and of
/// YAML, with the place; kInvalidArgument where it is not one custom resource.
base::Result<DiffTarget> target_of_file(const std::string& file, Streams& streams);

/// Returns the watch of the target's kind. Errors: kInvalidArgument, with the kinds that there are
/// or the nearest. `file` is the path of the watches file.
base::Result<const bundle::Watch*> watch_of(const DiffTarget& target,
                                            const std::vector<bundle::Watch>& watches,
                                            const std::string& file);

}  // namespace chartwright::cmd
