// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/release.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/memory_limit.h"
#include "bundle/bundle.h"
#include "bundle/renderer.h"
#include "fields/projection.h"
#include "helm/chart/archive.h"
#include "helm/render/engine.h"
#include "helm/render/renderable_chart.h"
#include "helm/render/stored_manifest.h"
#include "history/chart_definitions.h"
#include "host/cluster_lookup.h"
#include "model/memory_server.h"
#include "release/apply.h"
#include "release/desired.h"
#include "release/plan.h"
#include "test/fuzz/chart_text.h"
#include "test/fuzz/heap_peak.h"
#include "test/fuzz/targets.h"
#include "test/helm/funcs/fixed_host.h"
#include "value/json.h"
#include "yaml/yaml.h"

// Fuzzes the whole path of a release: loads an archive, renders it with values, then plans its
// objects, applies them and plans again. Each stage has limits for memory and time.
namespace chartwright::fuzz {
namespace {

using base::Result;
using value::Value;

constexpr size_t kMemoryMax = size_t{8} << 20;
// For code that lifts the limit (RE2, 8 MiB per pattern) and for memory of C libraries.
constexpr size_t kMemorySlack = size_t{16} << 20;
constexpr base::Duration kCpuMax = std::chrono::seconds(1);
// For code that counts steps instead of time: schemas, values, YAML.
constexpr base::Duration kCpuSlack = std::chrono::seconds(4);
constexpr int kSanitizedTimes = 10;

base::BudgetLimits limits() {
  base::BudgetLimits small;
  small.steps_max = 200'000;
  small.output_bytes_max = size_t{1} << 20;
  small.memory_bytes_max = kMemoryMax;
  small.cpu_max = kCpuMax;
  return small;
}

ReleaseRecord& record() {
  static ReleaseRecord all;
  return all;
}

[[noreturn]] void breach(std::string_view stage, const std::string& law) {
  std::fprintf(stderr, "chart_release: %s: %s\n", std::string(stage).c_str(), law.c_str());
  std::abort();
}

void demand(bool holds, std::string_view stage, const char* law) {
  if (!holds) {
    breach(stage, law);
  }
}

/// Runs one stage; aborts if it exceeds the limits for memory or time.
template <typename Work>
auto bounded(std::string_view stage, Work work) {
  const base::SystemClock clock;
  const base::Duration began = clock.thread_cpu();
  const HeapPeak heap;
  auto made = work();
  const base::Duration cpu = clock.thread_cpu() - began;
  ReleaseRecord& all = record();
  all.heap_bytes = std::max(all.heap_bytes, heap.bytes());
  all.cpu = std::max(all.cpu, cpu);
  if (heap.bytes() > kMemoryMax + kMemorySlack) {
    breach(stage, std::to_string(heap.bytes()) + " bytes on the heap");
  }
  if (cpu > (kCpuMax + kCpuSlack) * (is_sanitized() ? kSanitizedTimes : 1)) {
    breach(stage, base::format_go_duration(cpu) + " of CPU time");
  }
  return made;
}

/// The inputs of the user and of the cluster, and the cluster itself.
struct World {
  model::MemoryServer api;
  kube::Call call;
  base::SystemClock clock;
  base::Logger log{{.level = base::LogLevel::kError}, clock, [](std::string_view /*line*/) {}};
  release::Owner owner{{"example.com", "v1", "Widget"}, "shop", "w", "uid-cr"};
  std::vector<release::ChildRule> rules;
  Value values;
};

/// Loads a chart from its archive, as the version of Helm that the input names does.
Result<std::shared_ptr<const helm::RenderableChart>> load(const std::vector<Section>& sections) {
  const std::string archive = pack_chart(sections);
  const std::string_view helm = section(sections, "helm");
  const helm::Profile* found = helm::find_profile(helm.substr(0, helm.find('\n')));
  const helm::Profile& profile = found == nullptr ? helm::default_profile() : *found;
  return bounded("load", [&] {
    return base::within_memory(
        kMemoryMax, [&]() -> Result<std::shared_ptr<const helm::RenderableChart>> {
          CW_TRY(auto files, helm::read_archive(archive, profile.file_size));
          return helm::RenderableChart::from_files(std::move(files), profile);
        });
  });
}

/// Creates the live objects that precede the release, without managedFields, which the server
/// writes.
base::Status populate(std::string_view documents, model::MemoryServer& api) {
  for (const std::string& text : helm::split_manifests(documents)) {
    CW_TRY(const Value object, yaml::parse_yaml(text, value::Numbers::kInt64));
    Value* metadata = object.is_dict() ? object.mutable_dict().find("metadata") : nullptr;
    if (metadata != nullptr && metadata->is_dict()) {
      metadata->mutable_dict().erase("managedFields");
      api.put(object);
    }
  }
  return {};
}

base::Status read_inputs(const std::vector<Section>& sections, const helm::RenderableChart& loaded,
                         World& world) {
  CW_TRY(world.values, yaml::parse_yaml(section(sections, "values"), value::Numbers::kInt64));
  if (!world.values.is_dict() && !world.values.is_nil()) {
    return base::Error(base::ErrorCode::kInvalidArgument, "values are a mapping");
  }
  CW_TRY_VOID(populate(section(sections, "cluster"), world.api));
  const auto file = loaded.operator_files().find("operator.yaml");
  if (file != loaded.operator_files().end()) {
    CW_TRY(bundle::OperatorRules read, bundle::parse_operator_rules(file->second, file->first));
    world.rules = std::move(read.children);
  }
  return {};
}

base::Status prepare(const std::vector<Section>& sections, const helm::RenderableChart& loaded,
                     World& world) {
  return bounded("inputs", [&] {
    return base::within_memory(kMemoryMax, [&] { return read_inputs(sections, loaded, world); });
  });
}

/// The result of one render, and whether it was refused memory.
struct Render {
  Result<helm::Rendered> result;
  bool refused = false;
};

Render render(const helm::RenderableChart& loaded, World& world) {
  helm::funcs::FixedHost host;
  host::ClusterLookup cluster(world.api, world.call);
  const helm::RenderInputs inputs{.values = world.values,
                                  .release = {world.owner.name, world.owner.ns}};
  const uint64_t refusals = base::MemoryLimit::refusals();
  Render made{bounded("render", [&] {
    return helm::render(loaded, inputs, {host, world.clock, &cluster, limits()});
  })};
  made.refused = base::MemoryLimit::refusals() != refusals;
  if (!made.result.ok()) {
    made.result = cluster.secrets().masked(made.result.error());
  }
  return made;
}

bool ended_by_budget(const Render& render) {
  return render.refused ||
         (!render.result.ok() && render.result.error().code() == base::ErrorCode::kBudget);
}

// Returns the manifest as Helm stores it.
std::string manifest_of(const helm::Rendered& rendered) {
  std::string text;
  for (const helm::Manifest& one : rendered.manifests) {
    text += helm::source_block(one.path, one.content);
  }
  return text;
}

std::string text_of(const Result<helm::Rendered>& result) {
  if (!result.ok()) {
    return result.error().to_string() + result.error().help();
  }
  std::string text = manifest_of(*result) + result->notes;
  for (const helm::Hook& hook : result->hooks) {
    text += helm::source_block(hook.path, hook.content);
  }
  for (const std::string& warning : result->warnings) {
    text += warning;
  }
  return text;
}

// Reports whether a template generates keys: OpenSSL does that with its own random numbers.
bool makes_keys(const std::vector<Section>& sections) {
  constexpr std::array<std::string_view, 4> kMakers = {"genPrivateKey", "genCA", "genSelfSigned",
                                                       "genSigned"};
  return std::any_of(sections.begin(), sections.end(), [&](const Section& one) {
    return std::any_of(kMakers.begin(), kMakers.end(), [&](std::string_view name) {
      return one.text.find(name) != std::string::npos;
    });
  });
}

// Renders again. Apart from parsed templates and schemas, no state of the first render may remain.
void check_repeats(const Render& first, const helm::RenderableChart& loaded, World& world) {
  const Render second = render(loaded, world);
  if (!ended_by_budget(first) && !ended_by_budget(second)) {
    demand(text_of(first.result) == text_of(second.result), "render", "a second one differs");
  }
}

/// Returns the objects to apply, with lists expanded. Error: kParse for a document that is not an
/// object.
Result<std::vector<Value>> objects_of(const helm::Rendered& rendered) {
  std::vector<Value> objects;
  for (const helm::Manifest& one : rendered.manifests) {
    CW_TRY_VOID(bundle::Renderer::check_recordable(one));
    if (one.document.is_nil()) {
      continue;
    }
    if (!one.document.is_dict()) {
      return base::Error(base::ErrorCode::kParse, "no object");
    }
    CW_TRY(std::vector<Value> listed, release::expand_lists(one.document));
    for (Value& object : listed) {
      objects.push_back(std::move(object));
    }
  }
  return objects;
}

// Repairs and rollbacks read the stored manifest, so it must describe the applied objects.
void check_stored_manifest(const helm::Rendered& rendered, const std::vector<Value>& objects) {
  // In JSON, as in the record: this replaces invalid UTF-8 in file names.
  const auto in_json = value::to_json(Value::string(manifest_of(rendered)));
  demand(in_json.ok(), "stored manifest", "it cannot be stored");
  const Value stored = CW_MUST(value::parse_json(*in_json, value::Numbers::kInt64));
  const std::string& text = stored.as_string();
  const auto read = bounded("stored manifest", [&] {
    return base::within_memory(kMemoryMax, [&] { return bundle::Renderer::parse_manifest(text); });
  });
  if (!read.ok() && read.error().code() == base::ErrorCode::kBudget) {
    return;
  }
  demand(read.ok() && read->size() == objects.size() &&
             std::equal(objects.begin(), objects.end(), read->begin(),
                        [](const Value& a, const Value& b) {
                          return fields::desired_digest(a) == fields::desired_digest(b);
                        }),
         "stored manifest", "it reads otherwise than it was rendered");
}

Result<std::vector<release::Desired>> desired_of(const std::vector<Value>& objects,
                                                 const kube::LabelValue& chart, World& world) {
  std::vector<release::Desired> desired;
  const release::DesiredContext context{world.owner, world.owner.ns, chart, world.rules};
  for (const Value& object : objects) {
    CW_TRY(const auto mapping, world.api.mapping_for(kube::gvk_of(object), world.call));
    CW_TRY(auto one, release::make_desired(object, release::Role::kChild, mapping.scope, context));
    desired.push_back(std::move(one));
  }
  return desired;
}

/// Returns the input of a plan, with up-to-date caches.
release::PlanInput input_of(const std::vector<release::Desired>& desired,
                            const release::Inventory& inventory, const World& world) {
  return {.desired = desired,
          .inventory = inventory,
          .owner = world.owner,
          .adoption = release::Adoption::kAdopt,
          .live = [&world](const kube::ObjectRef& ref) -> std::optional<release::Observed> {
            const auto live = world.api.find(ref);
            return live ? std::optional<release::Observed>(std::make_shared<const Value>(
                              release::condense(*live, release::KeepBody::kYes)))
                        : std::nullopt;
          },
          .seen_version = [](const kube::ObjectRef& /*ref*/) { return std::string(); }};
}

bool are_distinct(const std::vector<release::Desired>& desired) {
  std::set<kube::ObjectRef> refs;
  return std::all_of(desired.begin(), desired.end(),
                     [&refs](const release::Desired& one) { return refs.insert(one.ref).second; });
}

release::Plan plan(const release::PlanInput& input) {
  return bounded("plan", [&] { return release::make_plan(input); });
}

void check_in_sync(const std::vector<release::Desired>& desired,
                   const release::Inventory& inventory, const World& world) {
  const release::PlanInput input = input_of(desired, inventory, world);
  for (const release::Step& step : plan(input)) {
    demand(!step.acts(), "plan", "what was applied is to be written again");
  }
  for (const auto& [ref, entry] : inventory) {
    demand(release::in_sync(ref, entry, input), "plan", "what was applied is not in sync");
  }
}

// After a restart only the status is left; a child missing from it would never be pruned.
void check_restart(const release::Inventory& inventory) {
  std::vector<Value> items;
  for (const auto& [ref, entry] : inventory) {
    items.push_back(release::to_status(ref, entry));
  }
  const auto text = value::to_json(Value::list(std::move(items)));
  demand(text.ok(), "restart", "the status is no JSON");
  const auto read = value::parse_json(*text, value::Numbers::kInt64);
  demand(read.ok(), "restart", "the status cannot be read");
  const release::Inventory again = release::inventory_from_status(*read);
  demand(again.size() == inventory.size(), "restart", "children are forgotten");
  for (const auto& [ref, entry] : inventory) {
    const auto found = again.find(ref);
    demand(found != again.end(), "restart", "a child is taken for another");
    demand(kube::is_secret(ref.gvk) || found->second.desired == entry.desired, "restart",
           "it is not known what was applied");
  }
}

// Plans an empty release: each child must be pruned, or kept because it asks for that.
void check_uninstall(const release::Inventory& inventory, const World& world) {
  const std::vector<release::Desired> none;
  const release::Plan steps = plan(input_of(none, inventory, world));
  demand(steps.size() == inventory.size(), "uninstall", "not one step for each child");
  for (const release::Step& step : steps) {
    const bool kept = step.reason == release::Reason::kKept;
    demand(step.action == (kept ? release::Action::kForget : release::Action::kPrune), "uninstall",
           "a child stays behind");
  }
}

/// Applies the objects, then checks the plans that follow.
void check_release(const std::vector<release::Desired>& desired, World& world) {
  release::Inventory inventory;
  const release::Plan steps = plan(input_of(desired, inventory, world));
  demand(steps.size() == desired.size(), "plan", "not one step for each object");
  const bool free = std::all_of(steps.begin(), steps.end(), [](const release::Step& step) {
    return step.action == release::Action::kCreate || step.action == release::Action::kApply;
  });
  // If two documents describe the same object, the later one wins and no plan matches both.
  if (!free || !are_distinct(desired)) {
    return;
  }
  release::Executor executor(world.api, world.call, world.owner, {release::Adoption::kAdopt},
                             world.log);
  if (!executor.run(steps, inventory).ok()) {
    return;
  }
  record().applied += desired.empty() ? 0 : 1;
  check_in_sync(desired, inventory, world);
  check_restart(inventory);
  check_uninstall(inventory, world);
}

void check_rendered(const helm::Rendered& rendered, const kube::LabelValue& chart, World& world) {
  (void)bounded("crds", [&] { return op::read_definitions(rendered.crds); });
  const auto objects = objects_of(rendered);
  if (!objects.ok()) {
    return;
  }
  check_stored_manifest(rendered, *objects);
  const auto desired = bounded("desired", [&] { return desired_of(*objects, chart, world); });
  if (desired.ok()) {
    check_release(*desired, world);
  }
}

}  // namespace

const ReleaseRecord& release_record() { return record(); }

void chart_release(std::string_view text) {
  ++record().inputs;
  const std::vector<Section> sections = sections_of(text);
  const auto loaded = load(sections);
  World world;
  if (!loaded.ok() || !prepare(sections, **loaded, world).ok()) {
    return;
  }
  ++record().loaded;
  const Render first = render(**loaded, world);
  record().exhausted += ended_by_budget(first) ? 1 : 0;
  demand(!first.refused || !first.result.ok(), "render", "it goes on after it was refused memory");
  if (!makes_keys(sections)) {
    check_repeats(first, **loaded, world);
  }
  if (first.result.ok()) {
    ++record().rendered;
    // An operator refuses a chart of another name (bundle/chart_label.h).
    if (const auto label = kube::LabelValue::parse((*loaded)->chart().name()); label.ok()) {
      check_rendered(*first.result, *label, world);
    }
  }
}

}  // namespace chartwright::fuzz
