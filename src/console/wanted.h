// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/result.h"
#include "cli/command.h"
#include "console/connection.h"
#include "console/kinds.h"
#include "kube/object.h"
#include "value/value.h"

namespace chartwright::cmd {

/// For arguments that name custom resources.
inline const Takes kTakesCustomResources{.live = Takes::Live::kCustomResources};

/// A kind, and the names of the custom resources that are meant of it; none: all.
struct Wanted {
  ServedKind kind;
  std::vector<std::string> names;
};

/// Reads "KIND NAME...", "KIND/NAME ...", or nothing for all kinds of the category. Errors: those
/// of select_kinds, and kInvalidArgument where a kind is missing, or a name has several.
base::Result<std::vector<Wanted>> wanted_of(const std::vector<ServedKind>& served,
                                            const std::vector<std::string>& arguments);

/// Returns an error where names of a kind in namespaces are meant of all namespaces, `ns` "".
base::Status check_namespace(const ServedKind& kind, const std::string& ns);

/// Returns the namespace of requests for the kind: `ns`, or "" if the kind is cluster-scoped.
std::string request_namespace(const ServedKind& kind, const std::string& ns);

/// Returns the custom resources that arguments name, each of which needs a kind and a name. Errors:
/// those of served_kinds and wanted_of, and kInvalidArgument without a name. Blocks.
base::Result<std::vector<kube::ObjectRef>> named_objects(const std::vector<std::string>& arguments,
                                                         Connection& connection);

/// Custom resources that arguments name.
struct NamedObjects {
  std::vector<value::Value> objects;  ///< Those that could be read.
  int exit_code = kExitOk;            ///< kExitError if another one could not.
};
/// Reads the custom resources that arguments name, and prints why one cannot be read. Errors: those
/// of named_objects. Blocks.
base::Result<NamedObjects> read_named(const std::vector<std::string>& arguments,
                                      Connection& connection, Streams& streams);

/// Says on standard error what could not be read of a custom resource.
void print_gaps(const kube::ObjectRef& ref, const std::vector<std::string>& gaps,
                const Streams& streams);

}  // namespace chartwright::cmd
