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
  /// Adds what is merged to `layers`, unless it is null.
  JobValues(const ChartUnderTest& under, std::vector<helm::ValueLayer>* layers)
      : under_(under), layers_(layers) {}

  base::Result<Value> merge(const Suite& suite, const Job& job) {
    for (const std::string& path : job.settings.values) {
      CW_TRY_VOID(add_file(suite, path));
    }
    CW_TRY_VOID(add_set(suite.settings.set, "`set` of the suite"));
    CW_TRY_VOID(add_set(job.settings.set, "`set` of the test"));
    return as_json(values_);
  }

 private:
  base::Status add_set(const Value& set, const std::string& name) {
    for (const auto& [path, v] : set.as_dict()) {
      CW_TRY(Value one, value_at_set_path(path, v));
      add(std::move(one), name, "");
    }
    return {};
  }

  base::Status add_file(const Suite& suite, const std::string& path) {
    CW_TRY(const std::string text, under_.read_file(values_file(suite, path)));
    auto v = parse_typed_yaml(text);
    if (!v.ok()) {
      return base::Error(base::ErrorCode::kParse,
                         "failed to parse " + path + ": " + v.error().message());
    }
    if (!v->is_nil() && !v->is_dict()) {
      return base::Error(base::ErrorCode::kParse, "failed to parse " + path + ": it is not a map");
    }
    if (v->is_dict()) {
      add(*std::move(v), path, text);
    }
    return {};
  }

  /// `text`: that of a file which has the values.
  void add(Value v, const std::string& name, const std::string& text) {
    Value over = value::deep_copy(scoped(std::move(v), under_.route));
    if (layers_ != nullptr) {
      // The values of a subchart are deeper among all values than in the file.
      const bool is_at_root = under_.route.find('/') == std::string::npos;
      layers_->push_back({name, value::deep_copy(over), is_at_root ? text : "", ""});
    }
    helm::Warnings ignored;
    helm::merge_tables(over, std::move(values_), {helm::Nulls::kKeep, under_.chart.profile()},
                       ignored);
    values_ = std::move(over);
  }

  const ChartUnderTest& under_;
  std::vector<helm::ValueLayer>* const layers_;
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
  const Compat* const kept = under.compat;
  version.major = given(settings.major_version, kept != nullptr ? kept->kube_major : kKubeMajor);
  version.minor = given(settings.minor_version, kept != nullptr ? kept->kube_minor : kKubeMinor);
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
    CW_TRY(const helm::RenderInputs inputs, read_inputs(nullptr));
    if (under_.compat != nullptr) {
      *under_.compat = after_job(*under_.compat, suite_, job_);
    }
    if (under_.recording != nullptr) {
      under_.recording->values.note(inputs.values);
    }
    auto prepared = prepare(inputs, filter);
    if (!prepared.ok()) {
      fail(prepared.error());
      return std::move(result_);
    }
    GivenObjects given(job_.settings);
    helm::RenderContext context = context_with(given);
    context.counts = under_.recording != nullptr ? &under_.recording->counts : nullptr;
    const auto rendered = helm::render_templates(under_.chart, prepared->chart, inputs, context);
    RenderedTexts texts;
    if (rendered.ok()) {
      result_.succeeded = true;
      texts.insert(rendered->begin(), rendered->end());
    } else {
      CW_TRY(texts, translate(rendered.error()));
    }
    CW_TRY_VOID(take(std::move(texts)));
    for (const helm::Crd& crd : prepared->crds) {
      CW_TRY(result_.manifests[crd.path], parse_manifests(crd.content));
      result_.files.push_back(crd.path);
    }
    return std::move(result_);
  }

  base::Status trace(TemplateFilter& filter, const FileVisit& files) const {
    std::vector<helm::ValueLayer> layers;
    CW_TRY(helm::RenderInputs inputs, read_inputs(&layers));
    inputs.layers = [&layers] { return layers; };
    CW_TRY(const Prepared prepared, prepare(inputs, filter));
    GivenObjects given(job_.settings);
    return helm::trace_files({under_.chart, inputs, context_with(given)}, prepared.chart,
                             files.wants, files.visit);
  }

 private:
  /// A chart with nothing but the templates that the suite renders.
  struct Prepared {
    helm::PreparedChart chart;
    std::vector<helm::Crd> crds;
  };

  base::Result<helm::RenderInputs> read_inputs(std::vector<helm::ValueLayer>* layers) const {
    JobValues values(under_, layers);
    CW_TRY(Value merged, values.merge(suite_, job_));
    return inputs_of(job_.settings, under_, std::move(merged));
  }

  base::Result<Prepared> prepare(const helm::RenderInputs& inputs, TemplateFilter& filter) const {
    CW_TRY_VOID(check_name(job_.settings.release_name));
    CW_TRY(helm::PreparedChart chart, helm::prepare(under_.chart, inputs));
    override_versions(job_.settings, chart.chart);
    std::vector<helm::Crd> crds =
        suite_.include_crds ? helm::crds_of(chart.chart) : std::vector<helm::Crd>();
    filter.apply(chart.chart);
    return Prepared{std::move(chart), std::move(crds)};
  }

  helm::RenderContext context_with(GivenObjects& given) const {
    helm::RenderContext context = under_.context;
    context.cluster = job_.settings.objects.empty() ? context.cluster : &given;
    return context;
  }

  void fail(const base::Error& error) {
    result_.error = error.message();
    result_.help = error.help();
  }

  /// Takes the texts of the render, or of the failure that stands for it.
  base::Status take(RenderedTexts texts) {
    for (const auto& [file, text] : texts) {
      result_.files.push_back(file);
      if (under_.keep_render) {
        CW_TRY_VOID(under_.keep_render(file, text));
      }
    }
    if (!job_.settings.post_renderer.program.empty() && !result_.error) {
      CW_TRY(texts, post_rendered(job_.settings.post_renderer, texts, under_.post_render));
      result_.is_post_rendered = true;
    }
    for (const auto& [file, text] : texts) {
      const std::string& chart = under_.chart.chart().name();
      CW_TRY_VOID(add_file(file.starts_with(chart) ? file : go::join_path(chart, file), text));
    }
    return {};
  }

  base::Status add_file(const std::string& file, const std::string& text) {
    // The text of a failure is YAML, whatever the name of the file is.
    const std::string_view extension = result_.succeeded ? go::extension(file) : ".yaml";
    if (extension == ".yaml" || extension == ".yml" || extension == ".tpl") {
      CW_TRY(result_.manifests[file], parse_manifests(text));
    } else if (extension == ".txt") {
      result_.manifests[file] = {Value::dict({{kRaw, Value::string(text)}})};
    }
    return {};
  }

  /// Turns a failure that the job expects into the text of a document for each file.
  base::Result<RenderedTexts> translate(const base::Error& error) {
    const bool is_expected = std::ranges::any_of(job_.assertions, &Assertion::expects_failure);
    CW_TRY(const auto failure, parse_failure(error.message()));
    RenderedTexts texts;
    if (!failure || !is_expected) {
      fail(error);
      return texts;
    }
    // The original writes the text as YAML and reads it again.
    CW_TRY(const std::string text,
           typed_yaml(Value::dict({{kRaw, Value::string(failure->message)}})));
    if (!go::base_name(failure->file).starts_with('_')) {
      texts[failure->file] = text;
      return texts;
    }
    const std::vector<std::string>& named = suite_.settings.templates;
    for (const std::string& name : named.empty() ? std::vector<std::string>{"**"} : named) {
      texts[go::join_path(under_.route, template_file(name))] = text;
    }
    return texts;
  }

  const Suite& suite_;
  const Job& job_;
  const ChartUnderTest& under_;
  JobRender result_;
};

}  // namespace

std::string values_file(const Suite& suite, const std::string& name) {
  return name.starts_with('/') ? name : go::join_path(go::join_path(suite.file, ".."), name);
}

base::Result<JobRender> render_job(const Suite& suite, const Job& job, const ChartUnderTest& under,
                                   TemplateFilter& filter) {
  return JobRenderer(suite, job, under).run(filter);
}

base::Status trace_job(const Suite& suite, const Job& job, const ChartUnderTest& under,
                       TemplateFilter& filter, const FileVisit& files) {
  return JobRenderer(suite, job, under).trace(filter, files);
}

}  // namespace chartwright::suite
