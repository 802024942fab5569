// SPDX-License-Identifier: Apache-2.0
#include "origin/explain.h"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/clock.h"
#include "base/printable.h"
#include "base/unicode.h"
#include "bundle/renderer.h"
#include "defaults/credential.h"
#include "fields/controllers.h"
#include "fields/manager.h"
#include "fields/projection.h"
#include "helm/render/traced_render.h"
#include "kube/object.h"
#include "resource/field_text.h"
#include "revision/listed_record.h"
#include "value/path.h"

namespace chartwright::origin {
namespace {

using value::Path;
using value::Value;
using Steps = std::vector<Path::Step>;

constexpr size_t kTextMax = 256;
constexpr size_t kWritersMax = 10;
constexpr size_t kGapsMax = 20;
constexpr std::array<std::string_view, 4> kBuiltins = {".Release", ".Chart", ".Capabilities",
                                                       ".Template"};

std::string line_text(std::string_view text) {
  return base::shortened(base::printable(text.substr(0, 2 * kTextMax)), kTextMax);
}

kube::ObjectRef printable_ref(const kube::ObjectRef& ref) {
  return {{line_text(ref.gvk.group), line_text(ref.gvk.version), line_text(ref.gvk.kind)},
          line_text(ref.ns),
          line_text(ref.name)};
}

std::optional<Value> member_at(const std::optional<Path>& path, const Value& object) {
  const Value* member = path ? path->get(object) : nullptr;
  return member == nullptr ? std::nullopt : std::optional(*member);
}

/// Reports whether a step of a path is the name of a credential.
bool names_credential(const Steps& path) {
  defaults::Secrecy secrecy = defaults::Secrecy::kNone;
  for (const Path::Step& step : path) {
    if (const auto* name = std::get_if<std::string>(&step)) {
      secrecy = defaults::secrecy_of(*name, secrecy);
    }
  }
  return secrecy != defaults::Secrecy::kNone;
}

/// Returns the path of a field of the spec among the values of the chart.
Steps spec_steps(const op::FieldPath& field, const Value& cr) {
  const auto path = field.in(cr);
  Steps steps = path ? path->steps() : Steps();
  for (size_t i = 0; !path && i < field.steps().size(); ++i) {
    const auto* name = std::get_if<std::string>(&field.steps()[i]);
    const auto* index = std::get_if<size_t>(&field.steps()[i]);
    steps.push_back(name != nullptr ? Path::Step(*name)
                                    : Path::Step(index == nullptr ? size_t{0} : *index));
  }
  if (!steps.empty()) {
    steps.erase(steps.begin());
  }
  return steps;
}

bool is_builtin(std::string_view name) {
  return std::ranges::any_of(kBuiltins,
                             [name](std::string_view root) { return name.starts_with(root); });
}

}  // namespace

Explanation::Explanation(const Subject& subject) : subject_(subject) {
  answer_.cr = printable_ref(kube::ref_of(subject.cr));
  if (subject.child) {
    answer_.child = printable_ref(subject.child->ref);
  }
  answer_.field = line_text(subject.field.text());
  answer_.revision = subject.in_force;
  answer_.is_paused = subject.is_paused;
  if (subject.revision) {
    secrets_ = secrets_in(subject.revision->manifest);
  }
  if (subject.live && kube::is_secret(kube::gvk_of(*subject.live))) {
    secrets_.add(*subject.live);
  }
}

release::DocumentSearch Explanation::search() const {
  return {subject_.child->slot, subject_.release_namespace};
}

std::string Explanation::shown(const Value& value, bool is_credential) const {
  op::FieldChange field;
  field.before = value;
  field.secret = answer_.is_secret || is_credential;
  return op::shown_values(field, secrets_).before.value_or("");
}

void Explanation::add_writers(const Path& path) {
  const std::string ours = fields::manager_of_owner(kube::uid_of(subject_.cr));
  const fields::FieldManagers managers(object());
  for (const Value* entry : managers.entries_of(path)) {
    if (answer_.writers.size() == kWritersMax) {
      return;
    }
    const std::string_view manager = entry->string_at({"manager"});
    const bool is_ours = subject_.child && (manager == ours || manager == fields::kFieldManager);
    answer_.writers.push_back({line_text(manager), line_text(entry->string_at({"operation"})),
                               line_text(entry->string_at({"subresource"})),
                               line_text(entry->string_at({"time"})), is_ours});
  }
}

bool Explanation::is_autoscaled() const {
  const auto objects = subject_.field.text() == "spec.replicas"
                           ? bundle::Renderer::parse_manifest(subject_.revision->manifest)
                           : base::Result<std::vector<Value>>(std::vector<Value>());
  if (!objects.ok()) {
    return false;
  }
  const auto scaled = fields::autoscaled(*objects, subject_.release_namespace);
  return std::ranges::any_of(scaled, [this](const kube::ObjectRef& ref) {
    const kube::ObjectRef& slot = subject_.child->slot;
    return ref.group_kind() == slot.group_kind() && ref.name == slot.name &&
           (ref.ns.empty() || ref.ns == slot.ns);
  });
}

FieldState Explanation::state_of(const std::optional<Value>& live,
                                 const std::optional<Value>& recorded) const {
  if (!subject_.child) {
    return FieldState::kOfSpec;
  }
  if (!subject_.live) {
    return FieldState::kChildGone;
  }
  if (!subject_.revision) {
    return FieldState::kUnknown;
  }
  if (!recorded) {
    return FieldState::kNotRendered;
  }
  if (!live) {
    return FieldState::kFieldGone;
  }
  if (is_autoscaled()) {
    return FieldState::kAutoscaled;
  }
  return fields::already_holds(*live, *recorded) ? FieldState::kAsRecorded : FieldState::kChanged;
}

// The first and the last name of the path decide, whatever is between them.
void Explanation::mark_secret() {
  const Steps path = spec_steps(subject_.field, subject_.cr);
  if (!subject_.child) {
    answer_.is_secret = names_credential(path);
    return;
  }
  Steps steps{Path::Step(size_t{0})};
  if (const auto* first = std::get_if<std::string>(&subject_.field.steps().front())) {
    steps.front() = *first;
  }
  steps.insert(steps.end(), path.begin(), path.end());
  answer_.is_secret = op::is_secret_field(subject_.child->ref.gvk, steps);
}

/// Tells of the chart's default of a field that the spec does not set. Reports whether it has one.
bool Explanation::add_default() {
  if (subject_.child || !subject_.revision) {
    return false;
  }
  const Steps steps = spec_steps(subject_.field, subject_.cr);
  const Value defaults = with_integers(subject_.revision->chart_values);
  const Value* usual = steps.empty() ? nullptr : Path(steps).get(defaults);
  if (usual == nullptr) {
    return false;
  }
  answer_.values.push_back({line_text(".Values." + Path(steps).to_string()),
                            shown(*usual, names_credential(steps)), Source::kChart,
                            "values.yaml of the chart"});
  return true;
}

base::Status Explanation::compare() {
  const Value none = Value::dict();
  const Value& live_object = subject_.child && !subject_.live ? none : object();
  const auto path = subject_.field.in(live_object);
  const auto live = member_at(path, live_object);
  const auto recorded =
      subject_.revision ? since_search().value_in(*subject_.revision) : std::optional<Value>();
  mark_secret();
  if (!live && !recorded && !add_default()) {
    std::vector<Value> objects{live_object};
    if (subject_.child && subject_.revision) {
      const auto found = recorded_object(subject_.revision->manifest, search());
      objects.push_back(found ? found->body : none);
    }
    return no_such_field(subject_.field, (answer_.child ? *answer_.child : answer_.cr).to_string(),
                         objects);
  }
  answer_.state = state_of(live, recorded);
  if (live) {
    answer_.live = shown(*live);
    add_writers(*path);
  }
  if (recorded) {
    answer_.recorded = shown(*recorded);
  }
  return {};
}

helm::RenderInputs Explanation::inputs(const Chart& chart) const {
  const release::Revision& revision = *subject_.revision;
  helm::RenderInputs inputs;
  inputs.values = with_integers(revision.config);
  inputs.release = {
      release::record_name(std::string(kube::name_of(subject_.cr))), subject_.release_namespace,
      revision.number,
      revision.number > 1 ? helm::ReleaseAction::kUpgrade : helm::ReleaseAction::kInstall};
  inputs.capabilities = chart.capabilities;
  inputs.schema_check = helm::SchemaCheck::kSkip;
  return inputs;
}

ReadValue Explanation::read_value(const helm::ReadOperand& read, const Chart& chart) const {
  ReadValue told;
  told.name = line_text(read.name);
  if (read.path.empty()) {
    told.source = Source::kBuiltin;
    return told;
  }
  const Path path(read.path);
  const Value config = with_integers(subject_.revision->config);
  const Value* given = path.get(config);
  const Value* spec = subject_.cr.find("spec");
  const Value* own = spec == nullptr ? nullptr : path.get(*spec);
  if (given == nullptr) {
    told.source = read.value ? Source::kChart : Source::kUnset;
    if (read.value) {
      told.value = shown(*read.value, names_credential(read.path));
      const auto file = std::ranges::find_if(read.origins, &helm::ValueOrigins::Origin::is_file);
      told.place = chart.has_lines && file != read.origins.end() ? line_text(file->place)
                                                                 : "values.yaml of the chart";
    }
    return told;
  }
  if (own == nullptr || !fields::already_holds(*own, *given)) {
    told.source = Source::kOutside;
    return told;
  }
  told.source = Source::kSpec;
  told.value = shown(*given, names_credential(read.path));
  told.place = line_text("spec." + path.to_string());
  return told;
}

base::Status Explanation::trace_own(const helm::RenderRequest& request) {
  CW_TRY(const Uses uses, trace_value(request, spec_steps(subject_.field, subject_.cr)));
  for (const Use& use : uses.found) {
    if (answer_.uses.size() == kUsesMax) {
      ++answer_.more_uses;
      continue;
    }
    const auto field = op::FieldPath::parse(use.field);
    const auto* first = field.ok() ? std::get_if<std::string>(&field->steps().front()) : nullptr;
    const bool is_secret =
        first != nullptr && op::is_secret_field(use.object.gvk, {Path::Step(*first)});
    answer_.uses.push_back({printable_ref(use.object), line_text(use.field),
                            shown(use.value, is_secret), line_text(use.place)});
  }
  if (uses.found.empty()) {
    add_gap(
        "no template writes this value into a field by itself: it may decide what is rendered, "
        "or be part of a computed value");
  }
  if (!uses.is_complete) {
    add_gap("the chart renders more fields than were looked at");
  }
  return {};
}

base::Status Explanation::trace(const Chart& chart) {
  const helm::RenderInputs values = inputs(chart);
  const helm::RenderRequest request{*chart.chart, values, chart.context};
  if (!subject_.child) {
    return trace_own(request);
  }
  CW_TRY(const std::optional<TemplateLine> line, trace_field(request, search(), subject_.field));
  if (!line) {
    return {};
  }
  for (const std::string& place : line->places) {
    answer_.places.push_back(line_text(place));
  }
  for (const helm::ReadOperand& read : line->reads) {
    if (!read.path.empty() || is_builtin(read.name)) {
      answer_.values.push_back(read_value(read, chart));
    }
  }
  return {};
}

SinceSearch Explanation::since_search() const {
  return subject_.child ? SinceSearch(search(), subject_.field) : SinceSearch(subject_.field);
}

void Explanation::add_since(const SinceSearch& search) {
  if (const auto& since = search.since()) {
    answer_.since = FirstRevision{since->revision, base::format_rfc3339(since->updated),
                                  line_text(secrets_.masked(since->description)),
                                  line_text(since->by), since->is_certain};
  }
}

void Explanation::add_gap(const std::string& sentence) {
  if (answer_.gaps.size() < kGapsMax) {
    answer_.gaps.push_back(
        base::shortened(base::printable(secrets_.masked(sentence)), 2 * kTextMax));
  }
}

}  // namespace chartwright::origin
