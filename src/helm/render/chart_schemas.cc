// SPDX-License-Identifier: Apache-2.0
#include "helm/render/chart_schemas.h"

#include <vector>

#include "base/ascii.h"
#include "base/digest.h"
#include "base/strings.h"

namespace chartwright::helm {
namespace {

constexpr std::string_view kFolder = "schemas/";
constexpr std::string_view kSuffix = ".json";
// An escape is '%' and two digits, so that a '%' before anything else marks a name of our own.
constexpr std::string_view kOwnSuffix = "%.json";
constexpr std::string_view kEmptyName = "%";
constexpr size_t kNameBytesMax = 128;
constexpr size_t kPathBytesMax = 512;

/// Escapes what a file's name should not have; a leading '.', too.
std::string name_of(std::string_view segment) {
  std::string name;
  for (const char c : segment) {
    const bool is_plain =
        base::is_ascii_alphanumeric(c) || c == '-' || c == '_' || (c == '.' && !name.empty());
    if (is_plain) {
      name += c;
    } else {
      base::append_percent_encoded(name, c);
    }
  }
  return name;
}

/// A folder never ends like a file.
std::string folder_name(std::string_view segment) {
  std::string name = name_of(segment);
  if (name.ends_with(kSuffix)) {
    name.pop_back();
    base::append_percent_encoded(name, kSuffix.back());
  }
  return name.empty() ? std::string(kEmptyName) : name;
}

std::string file_name(std::string_view segment) {
  std::string name = name_of(segment);
  return name.ends_with(kSuffix) ? name : name + std::string(kOwnSuffix);
}

}  // namespace

std::string vendored_path(std::string_view url) {
  const size_t scheme = url.find("://");
  std::string path(kFolder);
  bool is_long = scheme == std::string_view::npos;
  const std::vector<std::string_view> segments =
      base::split(is_long ? url : url.substr(scheme + 3), '/');
  path += folder_name(is_long ? "" : url.substr(0, scheme)) + "/";
  const std::string digest_path =
      path + std::string(kEmptyName) + base::sha256_hex(url) + std::string(kSuffix);
  for (size_t i = 0; i < segments.size(); ++i) {
    // A host alone is a folder, whose file has no name, as the server is asked for "/".
    const bool is_file = i > 0 && i + 1 == segments.size();
    const std::string name = is_file ? file_name(segments[i]) : folder_name(segments[i]);
    is_long = is_long || name.size() > kNameBytesMax;
    path += is_file ? name : name + "/";
  }
  if (segments.size() == 1) {
    path += file_name("");
  }
  return is_long || path.size() > kPathBytesMax ? digest_path : path;
}

base::Result<std::string> ChartSchemas::load(const std::string& url) const {
  if (sources_.vendored == SchemaSources::Vendored::kUsed) {
    const auto found = operator_files_.find(vendored_path(url));
    if (found != operator_files_.end()) {
      return found->second;
    }
  }
  if (sources_.elsewhere != nullptr) {
    return sources_.elsewhere->load(url);
  }
  return base::Error(base::ErrorCode::kSchema,
                     "it is not in the chart's folder operator/schemas; run \"chartwright "
                     "vendor-schemas CHART\", or set \"remoteSchemas: network\" in watches.yaml");
}

}  // namespace chartwright::helm
