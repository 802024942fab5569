// SPDX-License-Identifier: Apache-2.0
#include "console/wanted.h"
#include "report/summary.h"

#include <algorithm>

#include "go/quote.h"

namespace chartwright::cmd {

using base::Error;
using base::ErrorCode;

base::Result<std::vector<Wanted>> wanted_of(const std::vector<ServedKind>& served,
                                            const std::vector<std::string>& arguments) {
  const std::string first = arguments.empty() ? "all" : arguments.front();
  std::vector<Wanted> wanted;
  if (first.find('/') == std::string::npos) {
    CW_TRY(const auto kinds, select_kinds(served, first));
    const auto names = arguments.size() < 2 ? std::vector<std::string>()
                                            : std::vector(arguments.begin() + 1, arguments.end());
    if (std::ranges::find(names, "") != names.end()) {
      return Error(ErrorCode::kInvalidArgument, "an empty name");
    }
    if (!names.empty() && kinds.size() != 1) {
      return Error(ErrorCode::kInvalidArgument,
                   go::quote(first) + " is several kinds: give one kind with a name");
    }
    for (const ServedKind& kind : kinds) {
      wanted.push_back({kind, names});
    }
    return wanted;
  }
  for (const std::string& argument : arguments) {
    const size_t slash = argument.find('/');
    if (slash == std::string::npos || slash + 1 == argument.size()) {
      return Error(ErrorCode::kInvalidArgument,
                   go::quote(argument) + " is not KIND/NAME, as all arguments have to be");
    }
    CW_TRY(const auto kinds, select_kinds(served, argument.substr(0, slash)));
    for (const ServedKind& kind : kinds) {
      wanted.push_back({kind, {argument.substr(slash + 1)}});
    }
  }
  return wanted;
}

base::Status check_namespace(const ServedKind& kind, const std::string& ns) {
  if (ns.empty() && kind.mapping.scope == kube::Scope::kNamespaced) {
    return Error(ErrorCode::kInvalidArgument, "a name needs one namespace, and not all of them");
  }
  return {};
}

std::string request_namespace(const ServedKind& kind, const std::string& ns) {
  return kind.mapping.scope == kube::Scope::kCluster ? "" : ns;
}

base::Result<std::vector<kube::ObjectRef>> named_objects(const std::vector<std::string>& arguments,
                                                         Connection& connection) {
  CW_TRY(const auto served, served_kinds(connection.transport(), connection.call()));
  CW_TRY(const auto wanted, wanted_of(served, arguments));
  std::vector<kube::ObjectRef> refs;
  for (const Wanted& one : wanted) {
    CW_TRY_VOID(check_namespace(one.kind, connection.ns()));
    const std::string ns = request_namespace(one.kind, connection.ns());
    for (const std::string& name : one.names) {
      refs.push_back({one.kind.mapping.gvk, ns, name});
    }
  }
  if (refs.empty()) {
    return Error(ErrorCode::kInvalidArgument, "name the custom resource: KIND/NAME");
  }
  return refs;
}

base::Result<NamedObjects> read_named(const std::vector<std::string>& arguments,
                                      Connection& connection, Streams& streams) {
  CW_TRY(const auto refs, named_objects(arguments, connection));
  NamedObjects named;
  for (const kube::ObjectRef& ref : refs) {
    auto object = connection.client().get(ref, connection.call());
    if (object.ok()) {
      named.objects.push_back(*std::move(object));
    } else {
      print_error(object.error(), streams);
      named.exit_code = kExitError;
    }
  }
  return named;
}

void print_gaps(const kube::ObjectRef& ref, const std::vector<std::string>& gaps,
                const Streams& streams) {
  for (const std::string& gap : gaps) {
    streams.err(name_text(ref) + ": " + gap + "\n");
  }
}

}  // namespace chartwright::cmd
