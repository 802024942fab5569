// SPDX-License-Identifier: Apache-2.0
#include "suite/job_render.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"
#include "go/path.h"
#include "go/regexp.h"
#include "go/time.h"
#include "helm/funcs/time_value.h"
#include "helm/render/prepare.h"
#include "helm/render/rendering.h"
#include "helm/values/coalesce.h"
#include "suite/check.h"
#include "suite/given_objects.h"
#include "suite/paths/set_path.h"
#include "suite/typed_yaml.h"

namespace chartwright::suite {
namespace {

using value::Value;

constexpr std::string_view kReleaseName = "RELEASE-NAME";
constexpr std::string_view kNamespace = "NAMESPACE";
/// The version that Helm's library has unless it is built for Helm itself. Charts decide by it, and
/// suites and their snapshots expect what they decide. Source: Helm pkg/chartutil/capabilities.go.
constexpr std::string_view kKubeMajor = "1";
constexpr std::string_view kKubeMinor = "20";
constexpr std::string_view kNameRule =
    R"(^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$)";
constexpr size_t kReleaseNameBytesMax = 53;
constexpr std::string_view kFailurePattern =
    R"((?msU)^(?:.+: |.+ \()(?:(.+):\d+:\d+).+(?:.+>)*: (.+)$)";

/// Returns the value as JSON has it: numbers are floats, times are texts.
Value as_json(const Value& v) {
  if (v.is_int()) {
    const bool is_unsigned = v.int_type() == value::IntType::kUint64;
    return Value::number(is_unsigned ? static_cast<double>(static_cast<uint64_t>(v.as_int()))
                                     : static_cast<double>(v.as_int()));
  }
  if (const go::Time* const time = helm::funcs::as_time(v)) {
    return Value::string(go::format_time(*time, "2006-01-02T15:04:05.999999999Z07:00"));
  }
  if (v.is_list()) {
    std::vector<Value> items;
    std::ranges::transform(v.as_list().items, std::back_inserter(items), as_json);
    return Value::list(std::move(items));
  }
  if (v.is_dict()) {
    Value out = Value::dict();
    for (const auto& [key, member] : v.as_dict()) {
      out.mutable_dict().set(key, as_json(member));
    }
    return out;
  }
  return v;
}

/// Returns the values of a subchart as its parents have them.
Value scoped(Value values, const std::string& route) {
  const std::vector<std::string_view> parts = base::split(route, '/');
  for (size_t i = parts.size(); i > 2; i -= 2) {
    Value outer = Value::dict();
    if (const Value* const global = values.find("global")) {
      outer.mutable_dict().set("global", *global);
    }
    outer.mutable_dict().set(parts[i - 1], std::move(values));
    values = std::move(outer);
  }
  return values;
}

/// The values that a job sets: files in order, then `set` of the suite, then of the job.
class JobValues {
 public:
  explicit JobValues(const ChartUnderTest& under) : under_(under) {}

  base::Result<Value> merge(const Suite& suite, const Job& job) {
    for (const std::string& path : job.settings.values) {
      CW_TRY_VOID(add_file(suite, path));
    }
    for (const Value& set : {suite.settings.set, job.settings.set}) {
      for (const auto& [path, v] : set.as_dict()) {
        CW_TRY(Value one, value_at_set_path(path, v));
        add(std::move(one));
      }
    }
    return as_json(values_);
  }

 private:
  base::Status add_file(const Suite& suite, const std::string& path) {
    const std::string folder = go::join_path(suite.file, "..");
    const std::string file = path.starts_with('/') ? path : go::join_path(folder, path);
    CW_TRY(const std::string text, under_.read_file(file));
    auto v = parse_typed_yaml(text);
    if (!v.ok()) {
      return base::Error(base::ErrorCode::kParse,
                         "failed to parse " + path + ": " + v.error().message());
    }
    if (!v->is_nil() && !v->is_dict()) {
      return base::Error(base::ErrorCode::kParse, "failed to parse " + path + ": it is not a map");
    }
    if (v->is_dict()) {
      add(*std::move(v));
    }
    return {};
  }

  void add(Value v) {
    Value over = value::deep_copy(scoped(std::move(v), under_.route));
    helm::Warnings ignored;
    helm::merge_tables(over, std::move(values_), {helm::Nulls::kKeep, under_.chart.profile()},
                       ignored);
    values_ = std::move(over);
  }

  const ChartUnderTest& under_;
  Value values_ = Value::dict();
};

base::Status check_name(const std::string& name) {
  CW_TRY(const go::Regexp rule, go::Regexp::compile(kNameRule));
  if (name.empty() || (name.size() <= kReleaseNameBytesMax && rule.matches(name))) {
    return {};
  }
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "invalid release name, must match regex " + std::string(kNameRule) +
                         " and the length must not be longer than " +
                         std::to_string(kReleaseNameBytesMax));
}

helm::RenderInputs inputs_of(const Settings& settings, const ChartUnderTest& under, Value values) {
  helm::RenderInputs inputs;
  inputs.values = std::move(values);
  inputs.schema_check = under.schema_check;
  inputs.subchart_notes = helm::SubchartNotes::kInclude;
  const auto given = [](const std::string& text, std::string_view otherwise) {
    return text.empty() ? std::string(otherwise) : text;
  };
  inputs.release.name = given(settings.release_name, kReleaseName);
  inputs.release.namespace_name = given(settings.release_namespace, kNamespace);
  inputs.release.revision = static_cast<int>(settings.revision);
  inputs.release.action =
      settings.upgrade ? helm::ReleaseAction::kUpgrade : helm::ReleaseAction::kInstall;
  inputs.capabilities = helm::Capabilities::offline(under.chart.profile());
  helm::KubeVersion& version = inputs.capabilities.kube_version;
  version.major = given(settings.major_version, kKubeMajor);
  version.minor = given(settings.minor_version, kKubeMinor);
  version.version = "v" + version.major + "." + version.minor + ".0";
  version.normalized.clear();
  inputs.capabilities.api_versions = helm::Capabilities::api_version_list(settings.api_versions);
  return inputs;
}

void override_versions(const Settings& settings, helm::Chart& chart) {
  const auto change = [&](helm::Metadata& metadata) {
    metadata.version = settings.chart_version.empty() ? metadata.version : settings.chart_version;
    metadata.app_version =
        settings.chart_app_version.empty() ? metadata.app_version : settings.chart_app_version;
  };
  change(chart.metadata);
  for (helm::Chart& dependency : chart.dependencies) {
    change(dependency.metadata);
  }
}

struct ParsedFailure {
  std::string file;
  std::string message;
};

/// Returns the file that an error names, and its message without places.
/// Source: helm-unittest pkg/unittest/test_job.go parseRenderError.
base::Result<std::optional<ParsedFailure>> parse_failure(const std::string& error) {
  CW_TRY(const go::Regexp pattern, go::Regexp::compile(kFailurePattern));
  const auto match = pattern.find(error);
  if (!match) {
    return std::optional<ParsedFailure>();
  }
  ParsedFailure failure{std::string((*match)[1].in(error)), std::string((*match)[2].in(error))};
  if (const size_t line = error.find('\n'); line != std::string::npos) {
    failure.message = error.substr(line + 1);
  }
  return std::optional(std::move(failure));
}

/// The render of one job, from its values to the documents of each file.
class JobRenderer {
 public:
  JobRenderer(const Suite& suite, const Job& job, const ChartUnderTest& under)
      : suite_(suite), job_(job), under_(under) {}

  base::Result<JobRender> run(TemplateFilter& filter) {
    JobValues values(under_);
    CW_TRY(Value merged, values.merge(suite_, job_));
    const helm::RenderInputs inputs = inputs_of(job_.settings, under_, std::move(merged));
    if (auto status = check_name(job_.settings.release_name); !status.ok()) {
      return failed(status.error());
    }
    auto prepared = helm::prepare(under_.chart, inputs);
    if (!prepared.ok()) {
      return failed(prepared.error());
    }
    override_versions(job_.settings, prepared->chart);
    const std::vector<helm::Crd> crds =
        suite_.include_crds ? helm::crds_of(prepared->chart) : std::vector<helm::Crd>();
    filter.apply(prepared->chart);
    GivenObjects given(job_.settings);
    helm::RenderContext context = under_.context;
    context.cluster = job_.settings.objects.empty() ? context.cluster : &given;
    const auto rendered = helm::render_templates(under_.chart, *prepared, inputs, context);
    if (!rendered.ok()) {
      CW_TRY_VOID(translate(rendered.error()));
    } else {
      result_.succeeded = true;
      for (const auto& [file, text] : *rendered) {
        CW_TRY_VOID(add_file(file, text));
      }
    }
    for (const helm::Crd& crd : crds) {
      CW_TRY(result_.manifests[crd.path], parse_manifests(crd.content));
      result_.files.push_back(crd.path);
    }
    return std::move(result_);
  }

 private:
  JobRender failed(const base::Error& error) {
    result_.error = error.message();
    return std::move(result_);
  }

  base::Status add_file(const std::string& file, const std::string& text) {
    const std::string_view extension = go::extension(file);
    result_.files.push_back(file);
    if (extension == ".yaml" || extension == ".yml" || extension == ".tpl") {
      CW_TRY(result_.manifests[file], parse_manifests(text));
    } else if (extension == ".txt") {
      result_.manifests[file] = {Value::dict({{kRaw, Value::string(text)}})};
    }
    return {};
  }

  /// Turns a failure that the job expects into a document.
  base::Status translate(const base::Error& error) {
    const bool is_expected = std::ranges::any_of(job_.assertions, &Assertion::expects_failure);
    CW_TRY(const auto failure, parse_failure(error.message()));
    if (!failure || !is_expected) {
      result_.error = error.message();
      return {};
    }
    // The original writes the text as YAML and reads it again.
    CW_TRY(const std::string text,
           typed_yaml(Value::dict({{kRaw, Value::string(failure->message)}})));
    CW_TRY(const std::vector<Value> documents, parse_manifests(text));
    std::vector<std::string> files{failure->file};
    if (go::base_name(failure->file).starts_with('_')) {
      files.clear();
      const std::vector<std::string>& named = suite_.settings.templates;
      for (const std::string& name : named.empty() ? std::vector<std::string>{"**"} : named) {
        files.push_back(go::join_path(under_.route, template_file(name)));
      }
    }
    for (const std::string& file : files) {
      const bool is_full = file.starts_with(under_.chart.chart().name());
      result_.files.push_back(file);
      result_.manifests[is_full ? file : go::join_path(under_.chart.chart().name(), file)] =
          documents;
    }
    return {};
  }

  const Suite& suite_;
  const Job& job_;
  const ChartUnderTest& under_;
  JobRender result_;
};

}  // namespace

base::Result<JobRender> render_job(const Suite& suite, const Job& job, const ChartUnderTest& under,
                                   TemplateFilter& filter) {
  return JobRenderer(suite, job, under).run(filter);
}

}  // namespace chartwright::suite
