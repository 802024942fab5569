// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/error.h"
#include "suite/results/suite_result.h"
#include "value/value.h"

// A test suite as helm-unittest has it: a suite of jobs ("it") with assertions.
namespace chartwright::suite {

/// Which documents an assertion looks at, by a path in them.
struct DocumentSelector {
  std::string path;
  value::Value value;  ///< Nil: any.
  bool match_many = false;
  bool skip_empty_templates = false;
};

/// The checks. Several types of assertion share one.
enum class Check : uint8_t {
  kEqual,
  kEqualRaw,
  kExists,
  kNullOrEmpty,
  kContains,
  kSubset,
  kKind,
  kApiVersion,
  kType,
  kMatch,
  kMatchRaw,
  kGreater,
  kLess,
  kLength,
  kDocuments,
  kContainsDocument,
  kFailedTemplate,
  kSnapshot,
  kSnapshotRaw,
};

struct Assertion {
  std::string type;  ///< The name as written: "notEqual".
  Check check = Check::kEqual;
  bool antonym = false;          ///< The type says the opposite of its check.
  bool is_not = false;           ///< `not: true`
  bool expects_failure = false;  ///< failedTemplate.
  std::string template_name;
  std::optional<int64_t> document_index;
  std::optional<DocumentSelector> selector;
  base::SourcePos pos;

  // The parameters of all checks.
  std::string path;
  std::vector<std::string> paths;
  value::Value value;  ///< `value` or `content`.
  std::string text;    ///< `of`, `type`, `pattern`, or the `value` of a raw check.
  std::string kind, api_version, name, namespace_name;
  std::string error_message, error_pattern;
  std::string match, not_match;  ///< Patterns of a snapshot.
  std::optional<int64_t> count;
  bool any = false;
  bool decode_base64 = false;
  bool filter_aware = false;

  bool negative() const { return is_not != antonym; }
};

/// A program that changes what was rendered.
struct PostRenderer {
  std::string program;  ///< "": none.
  std::vector<std::string> arguments;
  base::SourcePos pos;
};

/// Settings that a suite and its jobs may have.
struct Settings {
  std::vector<std::string> values;
  value::Value set = value::Value::dict();
  std::vector<std::string> templates;
  std::string release_name, release_namespace;
  int64_t revision = 0;
  bool upgrade = false;
  std::string chart_version, chart_app_version;
  std::string major_version, minor_version;
  std::vector<std::string> api_versions;
  /// The member of `kubernetesProvider`: kinds by "v1/Pod".
  value::Value scheme = value::Value::dict();
  std::vector<value::Value> objects;  ///< Those that `lookup` finds.
  bool clears_api_versions = false;   ///< The job has `apiVersions: null`.
  std::string skip_reason;
  PostRenderer post_renderer;
};

struct Job {
  std::string name;
  Settings settings;
  std::string template_name;
  std::optional<int64_t> document_index;
  std::optional<DocumentSelector> selector;
  std::vector<Assertion> assertions;
};

/// A test of the key `scenarios`, which another room reads and runs.
struct ScenarioTest {
  std::string name;
  std::string skip_reason;
  /// Runs it on the calling thread, with nothing that other tests share.
  std::function<JobResult()> run;
};

struct Suite {
  std::string name;
  std::string file;
  Settings settings;
  std::vector<std::string> exclude_templates;
  bool include_crds = false;
  std::string snapshot_id;
  std::vector<Job> jobs;
  std::vector<ScenarioTest> scenarios;
};

}  // namespace chartwright::suite
