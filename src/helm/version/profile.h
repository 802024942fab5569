// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "helm/version/semver.h"
#include "value/value.h"

// What differs between the versions of Helm that charts can be rendered as. Everything that is not
// in this table is common to all of them.
namespace chartwright::helm {

/// What `--kube-version` becomes.
enum class KubeVersionRule : uint8_t {
  kSemver,   ///< A semantic version with its suffix.
  kNumbers,  ///< Its numbers; the suffix is dropped.
  kWhole,    ///< `.Version` is the text as given; printing and constraints see the numbers.
};

/// Nulls where values meet defaults.
enum class NullRule : uint8_t {
  kAnyDefault,     ///< A null removes the key of any default, a null default included.
  kKnownDefault,   ///< A null removes the key of a default that is not null.
  kCleanDefaults,  ///< The same, and nulls among defaults count as absent.
};

/// What a dependency with an alias, or with an entry in Chart.yaml at all, is a copy of.
enum class AliasRule : uint8_t {
  kShared,  ///< The chart alone: all copies share its dependencies and their entries.
  kCopied,  ///< The chart, its entries and its direct dependencies.
};

/// Charts whose name is `.` or `..`.
enum class DotNameRule : uint8_t { kAccepted, kRefused };

/// `.Chart`.
enum class ChartRule : uint8_t { kStruct, kMap };
/// The text of an error while templates execute.
enum class ErrorRule : uint8_t {
  kChain,  ///< text/template's own, on one line.
  kTrace,  ///< A line per frame where every frame can be told.
};
/// How a rendered file is split into documents.
enum class SplitRule : uint8_t {
  kTrimmed,  ///< White space around documents is dropped; text may follow the separator.
  kLines,    ///< Documents keep their line ends.
};
/// Where webhook configurations stand in install order.
enum class WebhookRule : uint8_t { kUnknownKinds, kLast };
/// `.Files.Lines` of an empty file.
enum class EmptyLinesRule : uint8_t { kPanic, kNoLines };
/// References of schemas to URNs.
enum class UrnRule : uint8_t { kRefused, kAnything };
/// The release of santhosh-tekuri/jsonschema. 6.0.2 numbers items behind those that have a schema
/// each from 0, has property names that are wrong at the root, takes a number as equal to a text
/// that writes it, and opens quotes in addresses that it does not close.
enum class SchemaRelease : uint8_t { k6_0_2, k6_0_3 };
/// What differs in values.schema.json.
struct SchemaRules {
  UrnRule urns = UrnRule::kAnything;
  SchemaRelease release = SchemaRelease::k6_0_3;
};
/// The release of BurntSushi/toml.
enum class TomlRule : uint8_t { k1_5, k1_6 };
/// Values files of several documents; the second rule also takes `--set-json` of a whole object,
/// and overlooks an index of `--set` that is not closed.
enum class ValuesRule : uint8_t { kFirstDocument, kAllDocuments };
/// The bound of 5 MiB on a chart's file.
enum class FileSizeRule : uint8_t { kBounded, kUnbounded };
/// mustToYaml, mustToToml and the functions of durations.
enum class FunctionRule : uint8_t { kHelm3, kHelm4 };

/// One version of Helm. There is one object per version, and it lives for ever.
struct Profile {
  std::string_view name;          ///< As users select it: "3.22".
  std::string_view helm_version;  ///< `.Capabilities.HelmVersion.Version`.
  /// `.Capabilities.HelmVersion.GoVersion`: the Go that Helm's release build of that version was
  /// made with. Source: helm/helm .github/env and release.yml of each tag, which take the newest
  /// patch release of the day (see test/oracle/release.go).
  std::string_view go_version;
  int kube_minor;  ///< Without a cluster, Kubernetes is v1.<this>.0.
  std::span<const std::string_view> api_versions;  ///< Without a cluster.
  std::string_view package;                        ///< Go package of Values and Capabilities.
  std::string_view chart_package;                  ///< That of Metadata, Dependency and Lock.
  std::string_view head_package;                   ///< That of SimpleHead.
  value::DictType values_type;
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
};

/// Every version, the oldest first.
std::span<const Profile> profiles();
/// Helm 3.22.
const Profile& default_profile();
/// nullptr when no version has that name.
const Profile* find_profile(std::string_view name);
/// "3.18, 3.22, 4.3".
std::string profile_names();

}  // namespace chartwright::helm
