// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "helm/version/profile.h"
#include "value/value.h"

namespace chartwright::helm {

struct Maintainer {
  std::string name;
  std::string email;
  std::string url;
  bool is_null = false;  ///< Set for a null in the list, which validation rejects.
};

/// An entry of Chart.yaml's dependencies.
struct Dependency {
  std::string name;
  std::string version;  ///< A semver constraint.
  std::string repository;
  std::string condition;  ///< Comma-separated value paths.
  std::vector<std::string> tags;
  bool enabled = false;
  value::Value import_values;  ///< A list, or nil.
  std::string alias;
  bool is_null = false;  ///< Set for a null in the list, which validation rejects.
};

/// The contents of Chart.yaml, with the fields of Helm in the same order.
/// Source: helm/helm v3 pkg/chart/metadata.go.
struct Metadata {
  std::string name;
  std::string home;
  std::vector<std::string> sources;
  std::string version;
  std::string description;
  std::vector<std::string> keywords;
  std::vector<Maintainer> maintainers;
  std::string icon;
  std::string api_version;
  std::string condition;
  std::string tags;
  std::string app_version;
  bool deprecated = false;
  value::Value annotations;  ///< A dict of strings, or nil.
  std::string kube_version;
  std::vector<Dependency> dependencies;
  bool has_dependencies = false;  ///< False if Go's slice is nil: then nothing is processed.
  std::string type;
};

enum class ChartRole : uint8_t { kRoot, kSubchart };

/// Decodes `yaml` over the present contents of `into`, as json.Unmarshal into an existing struct
/// does: requirements.yaml is read over Chart.yaml. Error: kParse with Go's message.
base::Status read_metadata(std::string_view yaml, Metadata& into,
                           const Profile& profile = default_profile());

/// Returns the apiVersion in the text of Chart.yaml, before anything else of it is looked at.
/// Error: kParse with Go's message. Source: helm/helm v4 pkg/chart/loader/load.go chartBase.
base::Result<std::string> read_api_version(std::string_view yaml);

/// Reads Chart.lock or requirements.lock. Returns it as release records have it: a dict, or nil if
/// the file says nothing. Error: kParse with Go's message.
/// Source: helm/helm v3 pkg/chart/dependency.go Lock.
base::Result<value::Value> read_lock(std::string_view yaml, const Profile& profile);

/// Sanitises the strings and checks the fields. Error: kInvalidArgument "validation:
/// chart.metadata...".
base::Status validate_metadata(Metadata& metadata, const Profile& profile);

/// Returns `.Chart` as templates see it: a struct or a map with the fields by their Go names, and
/// IsRoot.
value::Value make_chart_value(const Metadata& metadata, ChartRole role, ChartRule rule);

/// Returns the metadata as release records have it: a dict with the names of Chart.yaml. Errors:
/// those of value::Native::to_json_value.
base::Result<value::Value> recorded_metadata(const Metadata& metadata);
/// Returns a list of dependencies in the same way.
base::Result<value::Value> recorded_dependencies(const std::vector<Dependency>& dependencies);

}  // namespace chartwright::helm
