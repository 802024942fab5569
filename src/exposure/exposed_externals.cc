// SPDX-License-Identifier: Apache-2.0
#include "exposure/exposed_externals.h"

#include <string_view>

#include "exposure/spec_values.h"

namespace chartwright::exposure {

using base::Error;
using bundle::Bundle;
using bundle::SchemaPlace;

namespace {

constexpr Door kServer = {
    "the server",
    "they have the operator connect to where only its network reaches (SSRF), "
    "with the credentials"};
constexpr Door kSecret = {
    "the Secret", "they have the operator send it to the server, without a right to read it"};

/// Returns the door that a text of a file decides about; null: a spec may decide it.
const Door* door_of(std::string_view path) {
  if (path == "driver.http.baseURL" || path == "driver.grpc.address") {
    return &kServer;
  }
  return path.starts_with("driver.") && path.ends_with(".secret") ? &kSecret : nullptr;
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
      const Door* door = door_of(text.path);
      const auto names =
          door == nullptr ? std::vector<std::string>() : chosen_by(text.text, reads, values);
      if (!names.empty()) {
        warnings.push_back(warning(text.path + ": ", *door, names).at(text.pos));
      }
    }
  }
  return warnings;
}

}  // namespace chartwright::exposure
