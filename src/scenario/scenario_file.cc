// SPDX-License-Identifier: Apache-2.0
#include "scenario/scenario_file.h"

#include <algorithm>
#include <array>
#include <functional>
#include <map>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "bundle/watches.h"
#include "go/path.h"
#include "resource/annotations.h"
#include "scenario/expectation_file.h"
#include "suite/paths/set_path.h"
#include "value/json.h"

namespace chartwright::scenario {

using base::Result;
using base::Status;
using suite::SuiteMap;
using value::Value;

namespace {

constexpr size_t kScenariosMax = 1000;
constexpr size_t kStepsMax = 1000;
constexpr size_t kStepTextMax = 100;
constexpr int64_t kTimesMax = 1000;
constexpr base::Duration kWaitMax = std::chrono::hours(24);

/// The keys of an entry of watches.yaml that a scenario says otherwise.
constexpr std::array<std::string_view, 4> kKnownOtherwise = {"group", "version", "kind", "chart"};

/// Returns the start of a text, without a piece of a character at its end.
std::string shortened(const std::string& text) {
  size_t end = std::min(text.size(), kStepTextMax);
  while (end > 0 && end < text.size() && (static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) {
    --end;
  }
  return text.substr(0, end) + (end < text.size() ? "..." : "");
}

class ScenarioReader {
 public:
  ScenarioReader(const suite::SuiteText& text, const ChartPlace& chart)
      : text_(text), chart_(chart) {}

  Result<Scenario> read(const Value& v, SuiteMap::Steps steps) {
    CW_TRY(SuiteMap map, SuiteMap::open(text_, v, std::move(steps)));
    into_ = {};
    into_.pos = map.pos();
    CW_TRY_VOID(map.text("it", into_.name));
    if (into_.name.empty()) {
      return map.error({}, "a scenario needs a name: `it: SENTENCE`");
    }
    CW_TRY(SuiteMap skip, map.map("skip"));
    CW_TRY_VOID(skip.text("reason", into_.skip_reason));
    CW_TRY_VOID(skip.finish_strictly());
    CW_TRY_VOID(read_given(map));
    CW_TRY(const std::vector<Value> steps_of, map.list("when"));
    if (steps_of.empty() || steps_of.size() > kStepsMax) {
      return map.error("when", "expected a list of 1 to 1000 steps, as in `- install:`");
    }
    for (size_t i = 0; i < steps_of.size(); ++i) {
      SuiteMap::Steps place = map.steps_to("when");
      place.emplace_back(i);
      CW_TRY(Step step, read_step(steps_of[i], std::move(place)));
      into_.steps.push_back(std::move(step));
    }
    if (!std::ranges::any_of(into_.steps, [](const Step& step) { return !step.then.empty(); })) {
      return map.error("when", "no step has a `then`: nothing is expected");
    }
    CW_TRY_VOID(map.finish_strictly());
    return std::move(into_);
  }

 private:
  Status read_given(SuiteMap& map) {
    CW_TRY(SuiteMap given, map.map("given"));
    CW_TRY(SuiteMap resource, given.map("resource"));
    into_.resource = value::deep_copy(resource.value());
    const kube::Gvk gvk = kube::gvk_of(into_.resource);
    if (gvk.group.empty() || gvk.version.empty() || gvk.kind.empty() ||
        !kube::is_path_segment(kube::name_of(into_.resource))) {
      return given.error("resource",
                         "expected a custom resource: {apiVersion: GROUP/VERSION, kind: "
                         "KIND, metadata: {name: NAME}, spec: ...}");
    }
    if (!resource.get("status").is_nil()) {
      return resource.error("status", "the operator writes the status");
    }
    CW_TRY(SuiteMap watch, given.map("watch"));
    options_.emplace(std::move(watch));
    CW_TRY(into_.watch, watch_of(*options_, chart_.folder));
    into_.kinds.add(*into_.watch);
    CW_TRY_VOID(read_objects(given));
    if (const auto kind = into_.kinds.find(gvk.group_kind().to_string());
        kind.ok() && kind->scope == kube::Scope::kNamespaced) {
      give_namespace(into_.resource);
    }
    return given.finish_strictly();
  }

  static void give_namespace(Value& object) {
    if (kube::namespace_of(object).empty()) {
      object.find("metadata")->mutable_dict().set("namespace", Value::string("default"));
    }
  }

  Status read_objects(SuiteMap& given) {
    CW_TRY(const std::vector<Value> objects, given.list("objects"));
    for (size_t i = 0; i < objects.size(); ++i) {
      SuiteMap::Steps place = given.steps_to("objects");
      place.emplace_back(i);
      CW_TRY(const SuiteMap map, SuiteMap::open(text_, objects[i], std::move(place)));
      Value object = value::deep_copy(map.value());
      const kube::Gvk gvk = kube::gvk_of(object);
      if (gvk.version.empty() || gvk.kind.empty() ||
          !kube::is_path_segment(kube::name_of(object))) {
        return map.error({},
                         "expected an object: {apiVersion: VERSION, kind: KIND, metadata: {name: "
                         "NAME}, ...}");
      }
      if (auto added = into_.kinds.add(object); !added.ok()) {
        return map.error({}, added.error().message());
      }
      CW_TRY(const kube::ResourceMapping kind, into_.kinds.find(gvk.group_kind().to_string()));
      if (kind.scope == kube::Scope::kNamespaced) {
        give_namespace(object);
      }
      into_.objects.push_back(std::move(object));
    }
    return {};
  }

  /// Loads a chart with the options of an entry of watches.yaml.
  Result<std::shared_ptr<const bundle::Watch>> watch_of(SuiteMap& options,
                                                        const std::string& folder) {
    const kube::Gvk gvk = kube::gvk_of(into_.resource);
    Value entry = Value::dict({{"group", Value::string(gvk.group)},
                               {"version", Value::string(gvk.version)},
                               {"kind", Value::string(gvk.kind)},
                               {"chart", Value::string(folder)}});
    for (const auto& [key, member] : options.value().as_dict()) {
      CW_TRY_VOID(check_option(options, key));
      entry.mutable_dict().set(key, member);
    }
    CW_TRY(const std::string text, value::to_json(Value::list({entry})));
    if (const auto found = watches_.find(text); found != watches_.end()) {
      return found->second;
    }
    auto watches = bundle::parse_watches(text, "watch", chart_.clock,
                                         [](const std::string&) { return std::nullopt; });
    if (!watches.ok()) {
      return options.error({}, watches.error().message());
    }
    const bundle::Bundle& bundle = watches->front().bundle;
    if (!bundle.externals.empty() || bundle.has_crds) {
      return options.error(
          {},
          std::string("scenarios cannot run this chart: ") +
              (bundle.has_crds ? "it has crds/, and the server in memory establishes no definitions"
                               : "it has operator/externals, whose servers are not simulated"));
    }
    auto watch = std::make_shared<const bundle::Watch>(std::move(watches->front()));
    watches_.emplace(text, watch);
    return watch;
  }

  static Status check_option(const SuiteMap& options, const std::string& key) {
    if (std::ranges::find(kKnownOtherwise, key) != kKnownOtherwise.end()) {
      return options.error(key, "is known from the resource and the chart of the suite");
    }
    const auto known = bundle::watch_keys();
    if (std::ranges::find(known, key) == known.end()) {
      const std::string_view near =
          base::nearest(key, std::vector<std::string_view>(known.begin(), known.end()));
      return options.error(
          key, "unknown option of watches.yaml" +
                   (near.empty() ? "" : ", did you mean \"" + std::string(near) + "\"?"));
    }
    return {};
  }

  using ReadAction = Status (ScenarioReader::*)(SuiteMap& map, const std::string& key, Action&);
  struct ActionType {
    std::string_view name;
    Action::Kind kind;
    ReadAction read;
  };
  static constexpr size_t kActions = 14;
  static const std::array<ActionType, kActions>& action_types();

  Result<Step> read_step(const Value& v, SuiteMap::Steps steps) {
    CW_TRY(SuiteMap map, SuiteMap::open(text_, v, std::move(steps)));
    Step step;
    step.pos = map.pos();
    const ActionType* type = nullptr;
    for (const auto& [key, member] : map.value().as_dict()) {
      if (key == "then") {
        continue;
      }
      const auto& types = action_types();
      const auto found = std::ranges::find(types, key, &ActionType::name);
      if (found == types.end()) {
        return unknown_step(map, key);
      }
      if (type != nullptr) {
        return map.error(key, "`" + std::string(type->name) + "` and `" + key +
                                  "` are two steps: write two elements");
      }
      type = &*found;
    }
    if (type == nullptr) {
      return map.error({}, "a step needs something that happens, as in `install:` or `wait: 1m`");
    }
    step.action.kind = type->kind;
    const std::string key(type->name);
    CW_TRY_VOID((this->*type->read)(map, key, step.action));
    step.text = key;
    if (const Value written = map.get(key); !written.is_nil()) {
      CW_TRY(const std::string json, value::to_json(written, value::JsonEscape::kNone));
      step.text += " " + shortened(json);
    }
    CW_TRY(const std::vector<Value> then, map.list("then"));
    for (size_t i = 0; i < then.size(); ++i) {
      SuiteMap::Steps place = map.steps_to("then");
      place.emplace_back(i);
      CW_TRY(Expectation one, read_expectation(text_, then[i], std::move(place), into_));
      step.then.push_back(std::move(one));
    }
    return step;
  }

  static base::Error unknown_step(const SuiteMap& map, const std::string& key) {
    std::vector<std::string_view> known = {"then"};
    for (const ActionType& type : action_types()) {
      known.push_back(type.name);
    }
    const std::string_view near = base::nearest(key, known);
    return map.error(
        key, "unknown step" + (near.empty() ? ": expected one of " +
                                                  base::join({known.begin() + 1, known.end()}, ", ")
                                            : ", did you mean `" + std::string(near) + "`?"));
  }

  Status read_nothing(SuiteMap& map, const std::string& key, Action& action) {
    action.object = into_.ref();
    const Value given = map.get(key);
    const bool is_empty = given.is_nil() || (given.is_dict() && given.as_dict().empty());
    if (!is_empty) {
      return map.error(key, "takes no value");
    }
    return {};
  }

  /// Reads values by their paths, as `set` of a test, into a merge patch.
  Status read_paths(SuiteMap& map, std::string_view key, Value& patch) {
    Value paths = Value::dict();
    CW_TRY_VOID(map.dict(key, paths));
    if (paths.as_dict().empty()) {
      return map.error(key, "expected values by their paths, as in {replicas: 2}");
    }
    patch = Value::dict();
    for (const auto& [path, v] : paths.as_dict()) {
      auto one = suite::value_at_set_path(path, v);
      if (!one.ok()) {
        return map.error(key, path + ": " + one.error().message());
      }
      merge_into(*one, patch);
    }
    return {};
  }

  /// Lays a patch over another one: unlike a merge patch, it keeps the nils of both.
  static void merge_into(const Value& more, Value& patch) {
    for (const auto& [key, member] : more.as_dict()) {
      Value& place = patch.mutable_dict().at_or_insert(key);
      if (member.is_dict() && place.is_dict()) {
        merge_into(member, place);
      } else {
        place = value::deep_copy(member);
      }
    }
  }

  Status read_set(SuiteMap& map, const std::string& key, Action& action) {
    action.object = into_.ref();
    Value spec;
    CW_TRY_VOID(read_paths(map, key, spec));
    action.patch = Value::dict({{"spec", std::move(spec)}});
    return {};
  }

  Status read_annotate(SuiteMap& map, const std::string& key, Action& action) {
    action.object = into_.ref();
    Value annotations = Value::dict();
    CW_TRY_VOID(map.dict(key, annotations));
    for (const auto& [name, v] : annotations.as_dict()) {
      if (!v.is_string() && !v.is_nil()) {
        return map.error(key,
                         name + ": expected a string, as in \"true\", or null, which removes it");
      }
    }
    action.patch =
        Value::dict({{"metadata", Value::dict({{"annotations", std::move(annotations)}})}});
    return {};
  }

  Status read_rollback(SuiteMap& map, const std::string& key, Action& action) {
    action.object = into_.ref();
    CW_TRY_VOID(map.text(key, action.revision));
    if (action.revision != "previous" && base::parse_int(action.revision).value_or(0) <= 0) {
      return map.error(key, "expected the number of a revision, or `previous`");
    }
    action.patch = Value::dict(
        {{"metadata",
          Value::dict({{"annotations", Value::dict({{std::string(op::kRollbackTo),
                                                     Value::string(action.revision)}})}})}});
    return {};
  }

  Status read_chart(SuiteMap& map, const std::string& key, Action& action) {
    std::string folder;
    CW_TRY_VOID(map.text(key, folder));
    if (folder.empty()) {
      return map.error(key, "expected the folder of a chart, relative to the suite file");
    }
    const std::string path =
        folder.starts_with('/') ? folder : go::join_path(text_.file, "../" + folder);
    auto watch = watch_of(*options_, path);
    if (!watch.ok()) {
      return map.error(key, watch.error().message());
    }
    action.watch = *std::move(watch);
    return {};
  }

  Status read_edit(SuiteMap& map, const std::string& key, Action& action) {
    CW_TRY(SuiteMap members, map.map(key));
    CW_TRY(action.object, read_ref(members, "object", into_));
    CW_TRY_VOID(read_paths(members, "set", action.patch));
    action.manager = "kubectl-edit";
    CW_TRY_VOID(members.text("manager", action.manager));
    return members.finish_strictly();
  }

  Status read_delete(SuiteMap& map, const std::string& key, Action& action) {
    CW_TRY(action.object, read_ref(map, key, into_));
    return {};
  }

  Status read_status(SuiteMap& map, const std::string& key, Action& action) {
    CW_TRY(SuiteMap members, map.map(key));
    CW_TRY(action.object, read_ref(members, "object", into_));
    Value status;
    CW_TRY_VOID(read_paths(members, "set", status));
    action.patch = Value::dict({{"status", std::move(status)}});
    return members.finish_strictly();
  }

  Status read_refuse(SuiteMap& map, const std::string& key, Action& action) {
    CW_TRY(SuiteMap members, map.map(key));
    std::string request;
    CW_TRY_VOID(members.text("request", request));
    std::string_view rest = request;
    auto verb = take_verb(rest);
    if (!verb.ok()) {
      return members.error("request", verb.error().message() +
                                          "; expected VERB KIND/NAME, as in apply Deployment/shop");
    }
    action.verb = *std::move(verb);
    auto ref = into_.kinds.ref(rest, into_.ref().ns);
    if (!ref.ok()) {
      return members.error("request", ref.error().message());
    }
    if (ref->name.ends_with('*')) {
      return members.error("request", "the name must be whole: it is known before the request");
    }
    action.object = *std::move(ref);
    int64_t code = 500;
    action.count = 1;
    CW_TRY_VOID(members.integer("code", code));
    CW_TRY_VOID(members.integer("times", action.count));
    CW_TRY_VOID(members.text("message", action.message));
    if (code < 400 || code > 599) {
      return members.error("code", "expected a status of HTTP that refuses, 400 to 599");
    }
    action.code = static_cast<int>(code);
    CW_TRY_VOID(check_count(members, "times", action.count));
    return members.finish_strictly();
  }

  static Status check_count(const SuiteMap& map, std::string_view key, int64_t count) {
    if (count < 1 || count > kTimesMax) {
      return map.error(key, "expected a number from 1 to 1000");
    }
    return {};
  }

  Status read_crash(SuiteMap& map, const std::string& key, Action& action) {
    CW_TRY(SuiteMap members, map.map(key));
    CW_TRY_VOID(members.integer("afterWrites", action.count));
    CW_TRY_VOID(check_count(members, "afterWrites", action.count));
    return members.finish_strictly();
  }

  Status read_wait(SuiteMap& map, const std::string& key, Action& action) {
    std::string text;
    CW_TRY_VOID(map.text(key, text));
    const auto duration = base::parse_go_duration(text);
    if (!duration.ok() || *duration <= base::Duration() || *duration > kWaitMax) {
      return map.error(key, "expected a duration up to 24h, as in 30s or 5m");
    }
    action.duration = *duration;
    return {};
  }

  const suite::SuiteText& text_;
  const ChartPlace& chart_;
  /// Loaded charts, by the entry of watches.yaml that they are.
  std::map<std::string, std::shared_ptr<const bundle::Watch>> watches_;
  Scenario into_;
  std::optional<SuiteMap> options_;  ///< Those of `watch`.
};

const std::array<ScenarioReader::ActionType, ScenarioReader::kActions>&
ScenarioReader::action_types() {
  using Kind = Action::Kind;
  static constexpr std::array<ActionType, kActions> kTypes = {{
      {"install", Kind::kInstall, &ScenarioReader::read_nothing},
      {"uninstall", Kind::kUninstall, &ScenarioReader::read_nothing},
      {"set", Kind::kSet, &ScenarioReader::read_set},
      {"annotate", Kind::kAnnotate, &ScenarioReader::read_annotate},
      {"rollback", Kind::kRollback, &ScenarioReader::read_rollback},
      {"chart", Kind::kChart, &ScenarioReader::read_chart},
      {"edit", Kind::kEdit, &ScenarioReader::read_edit},
      {"delete", Kind::kDelete, &ScenarioReader::read_delete},
      {"status", Kind::kStatus, &ScenarioReader::read_status},
      {"ready", Kind::kReady, &ScenarioReader::read_delete},
      {"refuse", Kind::kRefuse, &ScenarioReader::read_refuse},
      {"crash", Kind::kCrash, &ScenarioReader::read_crash},
      {"restart", Kind::kRestart, &ScenarioReader::read_nothing},
      {"wait", Kind::kWait, &ScenarioReader::read_wait},
  }};
  return kTypes;
}

}  // namespace

Result<std::vector<Scenario>> read_scenarios(SuiteMap& suite, const ChartPlace& chart) {
  CW_TRY(const std::vector<Value> items, suite.list("scenarios"));
  if (items.size() > kScenariosMax) {
    return suite.error("scenarios", "more than 1000 scenarios");
  }
  std::vector<Scenario> scenarios;
  ScenarioReader reader(suite.source(), chart);
  for (size_t i = 0; i < items.size(); ++i) {
    SuiteMap::Steps place = suite.steps_to("scenarios");
    place.emplace_back(i);
    CW_TRY(Scenario one, reader.read(items[i], std::move(place)));
    scenarios.push_back(std::move(one));
  }
  return scenarios;
}

}  // namespace chartwright::scenario
