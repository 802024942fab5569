// SPDX-License-Identifier: Apache-2.0
#include "bundle/renderer.h"

#include <algorithm>
#include <iterator>
#include <span>
#include <utility>

#include "base/digest.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "bundle/override_values.h"
#include "bundle/patch_targets.h"
#include "go/quote.h"
#include "helm/render/engine.h"
#include "helm/render/operator_template.h"
#include "helm/render/rendered_names.h"
#include "helm/render/stored_manifest.h"
#include "release/desired.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::bundle {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// The overrides are part of the values already. As a layer over them they are found to be the
// origin of their values.
std::vector<helm::ValueLayer> layers_of(const Value& spec, bool mapped, Overrides overrides) {
  const Value set = parse_overrides(overrides).value_or({});  // The spec was made with them.
  return {mapped ? helm::ValueLayer{"operator/values.yaml", spec, "", ""}
                 : helm::ValueLayer{"the spec", spec, "", "spec."},
          {"overrideValues of watches.yaml", set, "", ""}};
}

helm::RenderInputs chart_inputs(const ReleaseInputs& inputs, const CapabilitySet& set) {
  const auto action =
      inputs.revision > 1 ? helm::ReleaseAction::kUpgrade : helm::ReleaseAction::kInstall;
  return {
      .values = inputs.config,
      .release = {inputs.name, inputs.ns, inputs.revision, action},
      .capabilities = set.capabilities(),
      .extra = inputs.external.is_nil() ? Value() : Value::dict({{"External", inputs.external}}),
      .layers = [spec = inputs.config, mapped = inputs.mapped, overrides = inputs.overrides] {
        return layers_of(spec, mapped, overrides);
      }};
}

// For templates that are rendered at each reconcile: what they give must come to rest.
host::FixedHost fixed_host(const Value& cr) {
  const auto created = base::parse_rfc3339(cr.string_at({"metadata", "creationTimestamp"}));
  return host::FixedHost(created.ok() ? *created : base::WallTime());
}

/// Returns a new dict, into which templates may write.
Value data_of(const CrView& view) {
  Value data = Value::dict({{"CR", value::deep_copy(view.cr)}});
  if (!view.external.is_nil()) {
    data.mutable_dict().set("External", value::deep_copy(view.external));
  }
  return data;
}

// The objects of one document; none for a document of comments.
base::Result<std::vector<Value>> objects_of(Value document) {
  if (document.is_nil()) {
    return std::vector<Value>();
  }
  if (!document.is_dict()) {
    return Error(ErrorCode::kParse, "a rendered document is not an object: a mapping is needed");
  }
  return release::expand_lists(std::move(document));
}

base::Status append_objects(base::Result<Value> document, const std::string& source,
                            std::vector<Value>& objects) {
  auto found = document.ok() ? objects_of(*std::move(document)) : std::move(document).error();
  if (!found.ok()) {
    return std::move(found).error().wrap(source);
  }
  objects.insert(objects.end(), found->begin(), found->end());
  return {};
}

base::Status append_objects(std::string_view text, const std::string& source,
                            std::vector<Value>& objects) {
  return append_objects(yaml::parse_yaml(text, value::Numbers::kInt64), source, objects);
}

// Helm installs nothing of a release with such an object either.
base::Status check_identities(std::span<const Value> objects) {
  for (const Value& object : objects) {
    CW_TRY_VOID(release::check_identity(object));
  }
  return {};
}

base::Status check_identities(std::span<const Value> objects, const std::string& source) {
  base::Status checked = check_identities(objects);
  if (!checked.ok()) {
    return std::move(checked).error().wrap(source).with_help(
        "Each object needs apiVersion, kind and metadata.name, as \"apiVersion: v1\", "
        "\"kind: ConfigMap\", \"metadata: {name: web}\".");
  }
  return {};
}

// Helm cannot install two objects of one name either. Applied in turn, each would undo the other,
// also two partial objects of one target.
base::Status check_names(std::span<const Value> objects, const std::string& source,
                         helm::RenderedNames& names) {
  for (const Value& object : objects) {
    if (const std::optional<std::string> fault = names.add(object, source)) {
      return Error(ErrorCode::kInvalidArgument, *fault)
          .wrap(source)
          .with_help("Only one object of a kind can have a name: remove one, or rename it.");
    }
  }
  return {};
}

Value related_value(const OperatorView& view) {
  Value related = Value::dict();
  for (const auto& [name, objects] : view.related) {
    related.mutable_dict().set(name, Value::list(objects));
  }
  return related;
}

bool runs_with_releases(const release::Hook& hook) {
  return std::any_of(hook.events.begin(), hook.events.end(),
                     [](const std::string& event) { return event != "test"; });
}

release::Hook release_hook(helm::Hook hook) {
  return {std::move(hook.path),
          std::move(hook.content),
          std::move(hook.kind),
          std::move(hook.name),
          std::move(hook.events),
          hook.weight,
          std::move(hook.delete_policies),
          std::move(hook.output_log_policies)};
}

/// Passes everything on, and notes what differs from render to render.
class NotingHost final : public tmpl::Host {
 public:
  explicit NotingHost(tmpl::Host& inner) : inner_(inner) {}
  base::WallTime now() override {
    asked_ = true;
    return inner_.now();
  }
  base::Status random(std::span<uint8_t> out) override {
    asked_ = true;
    return inner_.random(out);
  }
  std::optional<std::vector<std::string>> addresses_of(std::string_view name) override {
    return inner_.addresses_of(name);
  }
  bool asked() const { return asked_; }

 private:
  tmpl::Host& inner_;
  bool asked_ = false;
};

}  // namespace

base::Status check_document(const Value& document) {
  CW_TRY(const std::vector<Value> objects, objects_of(document));
  return check_identities(objects);
}

// For people: the first ones by name, and the number of the rest.
std::string list_hooks(const std::vector<release::Hook>& hooks) {
  constexpr size_t kNamedMax = 10;
  std::vector<std::string> names;
  size_t more = 0;
  for (const release::Hook& hook : hooks) {
    if (!runs_with_releases(hook)) {
      continue;
    }
    if (names.size() < kNamedMax) {
      names.push_back(hook.kind + " " + hook.name + " (" + base::join(hook.events, ", ") + ")");
    } else {
      ++more;
    }
  }
  return base::join(names, ", ") + (more > 0 ? " and " + std::to_string(more) + " more" : "");
}

Renderer::Renderer(helm::Capabilities capabilities, base::Clock& clock)
    : Renderer(std::make_shared<const CapabilitySet>(std::move(capabilities)), clock) {}

Renderer::Renderer(std::shared_ptr<const CapabilitySet> capabilities, base::Clock& clock)
    : capabilities_(std::move(capabilities)), clock_(clock), host_(clock) {}

std::shared_ptr<const CapabilitySet> Renderer::capabilities() const {
  base::MutexLock lock(mutex_);
  return capabilities_;
}

void Renderer::set_capabilities(std::shared_ptr<const CapabilitySet> capabilities) {
  base::MutexLock lock(mutex_);
  capabilities_ = std::move(capabilities);
}

std::shared_ptr<const CapabilitySet> Renderer::capabilities_for(const ReleaseInputs& inputs) const {
  return inputs.capabilities != nullptr ? inputs.capabilities : capabilities();
}

base::Result<RenderedRelease> Renderer::render(const Bundle& bundle, const ReleaseInputs& inputs,
                                               helm::ClusterReader* reader) const {
  CW_TRY_VOID(check_known(bundle, inputs));
  NotingHost host(host_);
  CW_TRY(helm::Rendered rendered,
         helm::render(*bundle.chart, chart_inputs(inputs, *capabilities_for(inputs)),
                      {.host = host, .clock = clock_, .cluster = reader}));
  RenderedRelease release;
  release.notes = std::move(rendered.notes);
  release.crds = std::move(rendered.crds);
  release.chart_metadata = std::move(rendered.chart_metadata);
  release.chart_values = std::move(rendered.chart_values);
  helm::RenderedNames names(inputs.ns);
  for (const helm::Manifest& manifest : rendered.manifests) {
    CW_TRY_VOID(check_recordable(manifest));
    release.manifest += helm::source_block(manifest.path, manifest.content);
    const size_t before = release.objects.size();
    CW_TRY_VOID(append_objects(manifest.document, manifest.path, release.objects));
    const auto added = std::span(release.objects).subspan(before);
    CW_TRY_VOID(check_identities(added, manifest.path));
    CW_TRY_VOID(check_names(added, manifest.path, names));
  }
  std::transform(std::make_move_iterator(rendered.hooks.begin()),
                 std::make_move_iterator(rendered.hooks.end()), std::back_inserter(release.hooks),
                 release_hook);
  release.repeatable = !host.asked();
  return release;
}

base::Status Renderer::trace(const Bundle& bundle, const ReleaseInputs& inputs,
                             helm::ClusterReader* reader,
                             const std::function<void(const helm::TracedDocument&)>& visit) const {
  const helm::RenderInputs given = chart_inputs(inputs, *capabilities_for(inputs));
  const helm::RenderContext context{.host = host_, .clock = clock_, .cluster = reader};
  return helm::trace_documents({*bundle.chart, given, context}, visit);
}

base::Result<std::vector<helm::Crd>> Renderer::crds(const Bundle& bundle,
                                                    const ReleaseInputs& inputs) const {
  helm::RenderInputs given = chart_inputs(inputs, *capabilities_for(inputs));
  given.schema_check = helm::SchemaCheck::kSkip;  // CRDs do not depend on values.
  CW_TRY(const helm::PreparedChart prepared, helm::prepare(*bundle.chart, given));
  return helm::crds_of(prepared.chart);
}

base::Result<Value> Renderer::scope(const Bundle& bundle, OperatorView view) const {
  helm::RenderInputs inputs = chart_inputs(view.release, *capabilities_for(view.release));
  inputs.schema_check = helm::SchemaCheck::kSkip;  // The release was rendered with these values.
  CW_TRY(helm::PreparedChart prepared, helm::prepare(*bundle.chart, inputs));
  Value data = helm::root_scope(prepared, inputs);
  data.mutable_dict().set("CR", value::deep_copy(view.cr));
  data.mutable_dict().set("Related", related_value(view));
  data.mutable_dict().set("Live", Value::list(std::move(view.live)));
  return data;
}

base::Result<Value> Renderer::render_values(const Bundle& bundle, const CrView& view) const {
  const helm::OperatorTemplate& text = *bundle.values_template;
  host::FixedHost host = fixed_host(view.cr);
  CW_TRY(const std::string rendered, text.render(data_of(view), {.host = host, .clock = clock_}));
  auto values = yaml::parse_yaml(rendered, value::Numbers::kInt64);
  if (!values.ok()) {
    return std::move(values).error().wrap(text.name());
  }
  if (values->is_nil()) {
    return Value::dict();
  }
  if (!values->is_dict()) {
    return Error(ErrorCode::kParse, text.name() + ": the values are not a mapping");
  }
  return values;
}

base::Result<std::vector<Value>> Renderer::render_patches(const Bundle& bundle,
                                                          const Value& scope) const {
  std::vector<Value> objects;
  helm::RenderedNames names(scope.string_at({"Release", "Namespace"}));
  host::FixedHost host = fixed_host(*scope.find("CR"));
  for (const helm::OperatorTemplate& patch : bundle.patches) {
    const Value data = value::deep_copy(scope);  // A copy for each: templates may write into it.
    CW_TRY(std::string rendered, patch.render(data, {.host = host, .clock = clock_}));
    for (const std::string& document : helm::split_manifests(rendered)) {
      if (auto one = check_one_object(document); !one.ok()) {
        return std::move(one).error().wrap(patch.name());
      }
      const size_t before = objects.size();
      CW_TRY_VOID(append_objects(document, patch.name(), objects));
      CW_TRY_VOID(check_names(std::span(objects).subspan(before), patch.name(), names));
    }
  }
  return objects;
}

base::Result<Value> Renderer::render_status(const Bundle& bundle, const Value& scope) const {
  if (!bundle.status_template) {
    return Value();
  }
  const std::string& name = bundle.status_template->name();
  CW_TRY(std::string rendered, bundle.status_template->render(scope, operator_context()));
  auto status = yaml::parse_yaml(rendered, value::Numbers::kInt64);
  if (!status.ok()) {
    return std::move(status).error().wrap(name);
  }
  if (!status->is_dict() && !status->is_nil()) {
    return Error(ErrorCode::kParse, name + ": the status is not a mapping");
  }
  return status;
}

base::Result<std::string> Renderer::render_text(const TemplateText& text,
                                                const CrView& view) const {
  if (!text.parsed) {
    return text.text;
  }
  auto rendered = text.parsed->render(data_of(view), operator_context());
  if (!rendered.ok()) {
    return std::move(rendered).error().wrap(text.pos.to_string());
  }
  return rendered;
}

base::Result<RelatedTexts> Renderer::render_related(const RelatedConfig& related,
                                                    const CrView& view) const {
  RelatedTexts texts;
  if (related.ns) {
    CW_TRY(texts.ns, render_text(*related.ns, view));
  }
  using Config = RelatedConfig;
  if (const auto* by_selector = std::get_if<Config::BySelector>(&related.choice)) {
    std::vector<kube::LabelRequirement> requirements;
    for (const Config::Term& term : by_selector->terms) {
      requirements.push_back(term.as_written());
      for (size_t i = 0; i < term.values.size(); ++i) {
        CW_TRY(requirements.back().values[i], render_text(term.values[i], view));
      }
    }
    texts.selector = kube::LabelSelector(std::move(requirements));
  } else if (const auto* by_name = std::get_if<Config::ByName>(&related.choice)) {
    CW_TRY(texts.name, render_text(by_name->name, view));
  } else if (const auto* by_child = std::get_if<Config::BySelectorOf>(&related.choice)) {
    CW_TRY(texts.name, render_text(by_child->name, view));
  }
  return texts;
}

base::Result<bool> Renderer::judge(const Predicate& predicate, const CrView& view,
                                   const Value& object) const {
  constexpr size_t kShownBytesMax = 60;
  const std::string subject =
      predicate.pos.to_string() + ": " + predicate.path + " of " + kube::ref_of(object).to_string();
  Value data = data_of(view);
  data.mutable_dict().set("Object", value::deep_copy(object));
  auto rendered = predicate.parsed->render(data, operator_context());
  if (!rendered.ok()) {
    return std::move(rendered).error().wrap(subject);
  }
  const std::string_view answer = base::trim(*rendered);
  if (answer != "true" && answer != "false") {
    return Error(ErrorCode::kTemplate,
                 subject + ": " + go::quote(base::shortened(std::string(answer), kShownBytesMax)) +
                     " was rendered (true or false is needed)");
  }
  return answer == "true";
}

CapabilityReads Renderer::reads_of(const Bundle& bundle, std::string_view config) {
  CapabilityReads reads = bundle.capability_reads;
  reads.add(config);  // `tpl` may evaluate it.
  return reads;
}

base::Status Renderer::check_known(const Bundle& bundle, const ReleaseInputs& inputs) const {
  const auto set = capabilities_for(inputs);
  if (set->unknown().empty()) {
    return {};
  }
  const auto config = value::to_json(inputs.config, value::JsonEscape::kNone);
  const auto unknown = reads_of(bundle, config.ok() ? *config : "").unknown(*set);
  if (!unknown) {
    return {};
  }
  return Error(ErrorCode::kUnavailable,
               "the server does not say which kinds " + unknown->version + " has: " + unknown->why)
      .with_http(0, std::string(kUnknownKinds))
      .with_help(
          "The chart asks for them (.Capabilities.APIVersions). It is not rendered before "
          "there is an answer, or the APIService of that version is deleted.");
}

std::string Renderer::inputs_key(const Bundle& bundle, const ReleaseInputs& inputs) const {
  const auto set = capabilities_for(inputs);
  const std::string config = value::to_json(inputs.config, value::JsonEscape::kNone).value_or("");
  std::string text = bundle.chart->digest();
  for (const std::string& part :
       {inputs.name, inputs.ns, set->capabilities().kube_version.version, config}) {
    text += '\0';
    text += part;
  }
  const CapabilityReads reads = reads_of(bundle, config);
  if (reads.any()) {
    text += '\0' + reads.digest(*set);
  }
  return base::sha256_hex(text).substr(0, 32);
}

base::Result<std::vector<Value>> Renderer::parse_manifest(const std::string& manifest) {
  std::vector<Value> objects;
  for (const std::string_view document : helm::split_stored(manifest)) {
    CW_TRY_VOID(append_objects(helm::without_source(document), "stored manifest", objects));
  }
  return objects;
}

base::Status Renderer::check_recordable(const helm::Manifest& manifest) {
  if (manifest.path.find('\n') != std::string::npos) {
    return Error(ErrorCode::kInvalidArgument,
                 go::quote(manifest.path) + ": the name of a template has a line break");
  }
  // UTF-16 can be read, but not be stored: a record is JSON.
  if (!base::is_valid_utf8(manifest.content)) {
    return Error(ErrorCode::kParse, manifest.path + ": a rendered document is not UTF-8");
  }
  return {};
}

}  // namespace chartwright::bundle
