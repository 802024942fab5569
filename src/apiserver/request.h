// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace chartwright::apiserver {

/// The path and query of a request, decoded.
struct Target {
  std::string path;
  std::vector<std::string> segments;         ///< The segments of the path.
  std::map<std::string, std::string> query;  ///< The first value of each parameter.

  std::string parameter(std::string_view name) const;
  /// Reports whether a boolean parameter is set, as the API server's authorization decides.
  /// Source: k8s.io/apimachinery pkg/runtime/conversion.go Convert_Slice_string_To_bool: everything
  /// is true but "0" and, in any letters, "false".
  bool flag(std::string_view name) const;
};
/// A parameter with a semicolon is dropped, as by Go's net/url. Error: 400 for a malformed escape.
base::Result<Target> parse_target(std::string_view target);

/// Returns a text without its escapes (%41); nullopt if one is malformed.
std::optional<std::string> percent_decoded(std::string_view text);

/// The parts of a resource path: /apis/GROUP/VERSION[/namespaces/NS]/PLURAL[/NAME].
struct ResourcePath {
  std::string group;
  std::string version;
  std::string ns;
  std::string plural;
  std::string name;
};
/// Returns nullopt if the path is not of that form.
std::optional<ResourcePath> parse_resource_path(const std::vector<std::string>& segments);

/// The representation that a client asks for.
enum class Form : uint8_t {
  kPlain,
  kTable,
  kPartialMetadata,
  kPartialMetadataList,
  kAggregatedDiscovery,
};
/// One acceptable representation: its form, and the version of the form's group ("v1").
struct Accepted {
  Form form = Form::kPlain;
  std::string version;
};
/// Returns the first representation of an Accept header that is JSON, in one of the forms that
/// `offered` lists. An empty header accepts everything. Error: 406 (NotAcceptable).
base::Result<Accepted> negotiate(std::string_view accept, const std::vector<Accepted>& offered);

}  // namespace chartwright::apiserver
