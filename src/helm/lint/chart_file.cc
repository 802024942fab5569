// SPDX-License-Identifier: Apache-2.0
#include <optional>

#include "go/path.h"
#include "go/quote.h"
#include "go/type_name.h"
#include "helm/chart/metadata.h"
#include "helm/chart/web.h"
#include "helm/lint/helm.h"
#include "helm/version/semver.h"
#include "yaml/yaml.h"

namespace chartwright::helm::lint {
namespace {

using helm::Metadata;
using value::Value;

constexpr const char* kFile = "Chart.yaml";

/// A description of a fault; nullopt if there is none.
using Fault = std::optional<std::string>;

Fault name_fault(const Metadata& chart) {
  if (chart.name.empty()) {
    return "name is required";
  }
  if (go::base_name(chart.name) != chart.name) {
    return "chart name " + go::quote(chart.name) + " is invalid";
  }
  return {};
}

Fault api_version_fault(const Metadata& chart) {
  constexpr const char* kAllowed = "The value must be either \"v1\" or \"v2\"";
  if (chart.api_version.empty()) {
    return std::string("apiVersion is required. ") + kAllowed;
  }
  if (chart.api_version != "v1" && chart.api_version != "v2") {
    return "apiVersion '" + chart.api_version + "' is not valid. " + kAllowed;
  }
  return {};
}

/// Checks a member that must be written as a string, although decoding also accepts other types.
Fault string_fault(const Value& members, const std::string& key) {
  const Value* found = members.find(key);
  if (found == nullptr || found->is_string()) {
    return {};
  }
  return key + " should be of type string but it's of type " +
         (found->is_nil() ? "<nil>" : go::dynamic_type_name(*found));
}

Fault version_fault(const Metadata& chart) {
  if (chart.version.empty()) {
    return "version is required";
  }
  const auto version = Version::parse(chart.version);
  if (!version.ok()) {
    return "version '" + chart.version + "' is not a valid SemVer";
  }
  const std::string least = "0.0.0-0";
  if (version->compare(CW_MUST(Version::parse(least))) <= 0) {
    return "version " + go::quote(version->to_string()) + " is less than or equal to " +
           go::quote(least);
  }
  return {};
}

Fault maintainer_fault(const Metadata& chart) {
  for (const helm::Maintainer& maintainer : chart.maintainers) {
    if (maintainer.is_null) {
      return "a maintainer entry is empty";
    }
    if (maintainer.name.empty()) {
      return "each maintainer requires a name";
    }
    if (!maintainer.email.empty() && !is_email(maintainer.email)) {
      return "invalid email '" + maintainer.email + "' for maintainer '" + maintainer.name + "'";
    }
    if (!maintainer.url.empty() && !is_url(maintainer.url)) {
      return "invalid url '" + maintainer.url + "' for maintainer '" + maintainer.name + "'";
    }
  }
  return {};
}

Fault source_fault(const Metadata& chart) {
  for (const std::string& source : chart.sources) {
    if (!is_request_url(source)) {
      return "invalid source URL '" + source + "'";
    }
  }
  return {};
}

Fault icon_fault(const Metadata& chart) {
  return chart.icon.empty() || is_request_url(chart.icon) ? Fault()
                                                          : "invalid icon URL '" + chart.icon + "'";
}

Fault type_fault(const Metadata& chart) {
  return chart.type.empty() || chart.api_version == "v2"
             ? Fault()
             : "chart type is not valid in apiVersion '" + chart.api_version +
                   "'. It is valid in apiVersion 'v2'";
}

Fault dependencies_fault(const Metadata& chart) {
  return chart.dependencies.empty() || chart.api_version == "v2"
             ? Fault()
             : "dependencies are not valid in the Chart file with apiVersion '" +
                   chart.api_version + "'. They are valid in apiVersion 'v2'";
}

}  // namespace

void check_chart_file(const ChartSource& source, Messages& messages) {
  const auto note = [&messages](const Fault& fault, Severity severity = Severity::kError) {
    if (fault) {
      messages.push_back({severity, kFile, *fault});
    }
  };
  if (source.entry(kFile) == ChartSource::Entry::kFolder) {
    note("should be a file, not a directory");
  }
  const auto text = source.read(kFile);
  Metadata chart;
  const base::Status read = text.ok() ? helm::read_metadata(*text, chart) : text.error();
  if (!read.ok()) {
    note("unable to parse YAML\n\t" + read.error().message());
    return;
  }
  const Value members = yaml::parse_yaml(*text, value::Numbers::kFloat64).value_or(Value());
  note(name_fault(chart));
  note(api_version_fault(chart));
  note(string_fault(members, "version"));
  note(version_fault(chart));
  note(string_fault(members, "appVersion"));
  note(maintainer_fault(chart));
  note(source_fault(chart));
  if (chart.icon.empty()) {
    note("icon is recommended", Severity::kInfo);
  }
  note(icon_fault(chart));
  note(type_fault(chart));
  note(dependencies_fault(chart));
}

}  // namespace chartwright::helm::lint
