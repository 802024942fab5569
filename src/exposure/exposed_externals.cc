// SPDX-License-Identifier: Apache-2.0
#include "exposure/exposed_externals.h"

#include <string_view>

#include "base/strings.h"
#include "exposure/spec_values.h"

namespace chartwright::exposure {

using base::Error;
using base::ErrorCode;
using bundle::Bundle;
using bundle::SchemaPlace;

namespace {

/// Returns the noun for what a text of a file decides; "" if a spec may decide it.
std::string_view role_of(std::string_view path) {
  if (path == "driver.http.baseURL" || path == "driver.grpc.address") {
    return "the server";
  }
  return path.starts_with("driver.") && path.ends_with(".secret") ? "the Secret" : "";
}

}  // namespace

std::vector<Error> exposed_externals(const Bundle& bundle, const std::optional<SchemaPlace>& spec) {
  std::vector<Error> warnings;
  if (bundle.externals.empty()) {
    return warnings;
  }
  const external::ReadFinder reads(*bundle.chart,
                                   bundle.values_template ? &*bundle.values_template : nullptr);
  const SpecValues values(bundle, spec);
  for (const external::External& external : bundle.externals) {
    for (const external::WrittenTemplate& text : external.templates) {
      const std::string_view role = role_of(text.path);
      const auto names =
          role.empty() ? std::vector<std::string>() : chosen_by(text.text, reads, values);
      if (names.empty()) {
        continue;
      }
      const std::string remedy =
          role == "the server"
              ? "they have the operator connect to where only its network reaches (SSRF), with the "
                "credentials"
              : "they have the operator send it to the server, without a right to read it";
      warnings.push_back(
          Error(ErrorCode::kInvalidArgument,
                text.path + ": who writes custom resources chooses " + std::string(role) + ", by " +
                    base::join(names, ", ") + ": " + remedy +
                    "; keep such values out of the spec (crd.omit), and set them in overrideValues")
              .at(text.pos));
    }
  }
  return warnings;
}

}  // namespace chartwright::exposure
