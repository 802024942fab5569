// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "helm/version/semver.h"
#include "value/value.h"

// The differences between the supported versions of Helm. Behaviour that is not listed here is
// common to all of them.
namespace chartwright::helm {

/// How `--kube-version` is interpreted.
enum class KubeVersionRule : uint8_t {
  kSemver,   ///< A semantic version; the suffix is kept.
  kNumbers,  ///< Numbers; the suffix is dropped.
  kWhole,    ///< `.Version` is the string given; printing and constraints use its numbers.
};

/// How a null in values overrides a default.
enum class NullRule : uint8_t {
  kAnyDefault,     ///< A null removes the key of any default, even of a null default.
  kKnownDefault,   ///< A null removes the key of a default that is not null.
  kCleanDefaults,  ///< Like kKnownDefault, and a null default counts as absent.
};

/// The parts copied for a dependency with an entry in Chart.yaml, with or without an alias.
enum class AliasRule : uint8_t {
  kShared,  ///< Only the chart: all copies share its dependencies and their entries.
  kCopied,  ///< The chart, its entries and its direct dependencies.
};

/// How a chart named `.` or `..` is treated.
enum class DotNameRule : uint8_t { kAccepted, kRefused };

/// The Go type of `.Chart`.
enum class ChartRule : uint8_t { kStruct, kMap };
/// The form of an error in the execution of templates.
enum class ErrorRule : uint8_t {
  kChain,  ///< The message of text/template, on one line.
  kTrace,  ///< One line per frame, if every frame can be identified.
};
/// How a rendered file is split into documents.
enum class SplitRule : uint8_t {
  kTrimmed,  ///< White space around documents is dropped; text may follow the separator.
  kLines,    ///< Documents keep their trailing line breaks.
};
/// The place of webhook configurations in install order: among the unknown kinds, or as the last
/// of the known kinds.
enum class WebhookRule : uint8_t { kUnknownKinds, kLast };
/// The result of `.Files.Lines` for an empty file.
enum class EmptyLinesRule : uint8_t { kPanic, kNoLines };
/// How a reference to a URN in a schema is treated; kAnything accepts every value there.
enum class UrnRule : uint8_t { kRefused, kAnything };
/// The release of santhosh-tekuri/jsonschema. 6.0.2 numbers the items after those that have a
/// schema of their own from 0, reports invalid property names at the root, treats a number as equal
/// to a string that spells it, and accepts email addresses with an unclosed quote.
enum class SchemaRelease : uint8_t { k6_0_2, k6_0_3 };
/// The differences in validation against values.schema.json.
struct SchemaRules {
  UrnRule urns = UrnRule::kAnything;
  SchemaRelease release = SchemaRelease::k6_0_3;
};
/// The release of BurntSushi/toml.
enum class TomlRule : uint8_t { k1_5, k1_6 };
/// How many documents of a values file are read. kAllDocuments also accepts `--set-json` with a
/// whole object, and ignores an unclosed index in `--set`.
enum class ValuesRule : uint8_t { kFirstDocument, kAllDocuments };
/// Whether each file of a chart is limited to 5 MiB.
enum class FileSizeRule : uint8_t { kBounded, kUnbounded };
/// The set of template functions. kHelm4 adds mustToYaml, mustToToml and the duration functions,
/// and replaces mustToJson.
enum class FunctionRule : uint8_t { kHelm3, kHelm4 };

/// The form of Helm's log: each message after the place in the source that writes it, whose lines
/// differ from version to version, or as a record of Go's log/slog.
enum class LogRule : uint8_t { kLines318, kLines322, kRecords };
/// kByApiVersion looks at the apiVersion of Chart.yaml before it loads the chart, and refuses those
/// that it does not know.
enum class LoaderRule : uint8_t { kAny, kByApiVersion };
/// How errors in the steps of an install are told: bare, or after the name of the step.
enum class StepRule : uint8_t { kBare, kNamed };

/// One version of Helm, as its release or another program has it. Each has a single object, which
/// is never destroyed.
struct Profile {
  std::string_view name;          ///< The name by which users select it: "3.22".
  std::string_view helm_version;  ///< `.Capabilities.HelmVersion.Version`.
  /// `.Capabilities.HelmVersion.GoVersion`: the Go version of Helm's release build. Source:
  /// helm/helm .github/env and release.yml of each tag, which select the newest patch release at
  /// build time (see test/oracle/release.go).
  std::string_view go_version;
  int kube_minor;  ///< Without a cluster, Kubernetes is v1.<kube_minor>.0.
  std::span<const std::string_view> api_versions;  ///< API versions without a cluster.
  std::string_view package;                        ///< Go package of Values and Capabilities.
  std::string_view chart_package;                  ///< Go package of Metadata, Dependency and Lock.
  std::string_view head_package;                   ///< Go package of SimpleHead.
  value::DictType values_type;                     ///< Values of that package.
  KubeVersionRule kube_version;
  NullRule nulls;
  AliasRule aliases;
  DotNameRule dot_names;
  ChartRule chart;
  ErrorRule errors;
  SplitRule split;
  WebhookRule webhooks;
  EmptyLinesRule empty_lines;
  SchemaRules schemas;
  TomlRule toml;
  SemverRelease semver;
  ValuesRule values;
  FileSizeRule file_size;
  FunctionRule functions;
  LogRule log;
  LoaderRule loader;
  StepRule steps;
};

/// Returns the versions that users select, each as Helm's own release has it, oldest first.
std::span<const Profile> profiles();
/// Returns these, and after them those that embedded_profile returns.
std::span<const Profile> all_profiles();
/// Returns the version as helm-operator embeds it: 3.18 is linked with semver 3.4 there. Other
/// versions are returned as they are.
const Profile& embedded_profile(const Profile& profile);
/// Returns Helm 3.22.
const Profile& default_profile();
/// Returns nullptr if no version has that name.
const Profile* find_profile(std::string_view name);
/// Returns the names of all versions: "3.18, 3.22, 4.3".
std::string profile_names();

}  // namespace chartwright::helm
