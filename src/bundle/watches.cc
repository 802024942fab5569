// SPDX-License-Identifier: Apache-2.0
#include "bundle/watches.h"

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/faults.h"
#include "base/file.h"
#include "base/machine_memory.h"
#include "base/memory_limit.h"
#include "base/strings.h"
#include "bundle/choice.h"
#include "bundle/selector_config.h"
#include "helm/chart/archive.h"
#include "helm/values/strvals.h"
#include "host/render_memory.h"
#include "kube/names.h"
#include "yaml/document.h"

namespace chartwright::bundle {
namespace {

using base::Error;
using base::ErrorCode;
using yaml::DocumentNode;
using yaml::MapReader;

constexpr size_t kFileBytesMax = size_t{1} << 20;

constexpr std::array<std::string_view, 20> kKeys = {"group",
                                                    "version",
                                                    "kind",
                                                    "chart",
                                                    "watchDependentResources",
                                                    "overrideValues",
                                                    "selector",
                                                    "reconcilePeriod",
                                                    "dryRunOption",
                                                    "helmVersion",
                                                    "crds",
                                                    "remoteSchemas",
                                                    "disableHooks",
                                                    "hookTimeout",
                                                    "onInstallFailure",
                                                    "onUpgradeFailure",
                                                    "maxConcurrentReconciles",
                                                    "renderMemory",
                                                    "adoption",
                                                    "strictFields"};

/// The context for decoding an entry.
struct Loader {
  const base::Clock& clock;
  const Environment& environment;
  const WatchesOptions& options;
  const base::MemoryLimit& loaded;  ///< Counts what the charts hold so far.
};

// helm-operator's decoder matches keys in any case; files that rely on it keep working. Error:
// kInvalidArgument if two keys differ only in case.
base::Result<DocumentNode> with_canonical_keys(DocumentNode node) {
  std::map<std::string_view, std::pair<std::string, int>> seen;  // As written, and its line.
  for (yaml::DocumentEntry& entry : node.entries) {
    for (std::string_view key : kKeys) {
      if (base::to_lower_ascii(entry.key.text) != base::to_lower_ascii(key)) {
        continue;
      }
      auto [first, fresh] = seen.try_emplace(key, entry.key.text, entry.key.pos.line);
      if (!fresh) {
        return yaml::invalid_node(entry.key, "duplicate key \"" + entry.key.text +
                                                 "\", the same as \"" + first->second.first +
                                                 "\" on line " +
                                                 std::to_string(first->second.second));
      }
      entry.key.text = key;
    }
  }
  return node;
}

// Removes the keys that no field has, and reports them. Without a report, the first one is the
// error: it says more than that the key that it should be is missing.
base::Status drop_unknown_keys(DocumentNode& node,
                               const std::function<void(const Error&)>& report) {
  const auto is_known = [](const yaml::DocumentEntry& entry) {
    return std::find(kKeys.begin(), kKeys.end(), entry.key.text) != kKeys.end();
  };
  const auto rest = std::stable_partition(node.entries.begin(), node.entries.end(), is_known);
  for (auto entry = rest; entry != node.entries.end(); ++entry) {
    DocumentNode alone = node;
    alone.entries = {*entry};
    auto reader = MapReader::open(alone);
    for (std::string_view key : kKeys) {
      reader->ignore(key);
    }
    base::Status unknown = reader->finish();
    if (!report) {
      return unknown;
    }
    report(unknown.error());
  }
  node.entries.erase(rest, node.entries.end());
  return {};
}

Error malformed(const DocumentNode& node, const std::string& text, std::string_view wanted) {
  return yaml::invalid_node(node, "\"" + text + "\" is not " + std::string(wanted));
}

// Rejects here, where the position is known, a kind that no API server can serve. The members are
// checked in the order in which they are usually written.
base::Status check_gvk(MapReader& map, const kube::Gvk& gvk) {
  if (!gvk.group.empty() && !kube::is_dns_subdomain(gvk.group)) {
    return malformed(*map.find("group"), gvk.group,
                     "an API group, which is a DNS name such as \"example.com\"");
  }
  if (!kube::is_dns_label(gvk.version)) {
    return malformed(*map.find("version"), gvk.version, "an API version such as \"v1alpha1\"");
  }
  if (!kube::is_dns_label(base::to_lower_ascii(gvk.kind))) {
    return malformed(*map.find("kind"), gvk.kind, "a kind such as \"BookStore\"");
  }
  return {};
}

base::Status read_gvk(MapReader& map, const DocumentNode& entry, Watch& watch) {
  CW_TRY(watch.gvk.group, map.text("group"));
  CW_TRY(watch.gvk.version, map.text("version"));
  CW_TRY(watch.gvk.kind, map.text("kind"));
  if (watch.gvk.version.empty()) {
    return yaml::invalid_node(
        entry, "invalid GVK: " + watch.gvk.to_string() + ": version must not be empty");
  }
  if (watch.gvk.kind.empty()) {
    return yaml::invalid_node(entry,
                              "invalid GVK: " + watch.gvk.to_string() + ": kind must not be empty");
  }
  return check_gvk(map, watch.gvk);
}

/// Returns the version of Helm that the chart is rendered as, in the form that helm-operator has.
base::Result<const helm::Profile*> helm_version(MapReader& map) {
  const DocumentNode* node = map.find("helmVersion");
  if (node == nullptr) {
    return &helm::default_profile();
  }
  CW_TRY(const std::string name, yaml::document_text(*node));
  if (const helm::Profile* profile = helm::find_profile(name)) {
    return &helm::embedded_profile(*profile);
  }
  return yaml::invalid_node(*node, "\"" + name + "\" is not one of " + helm::profile_names());
}

// Loads a bundle. Error: kBudget if it exceeds the memory left for charts.
base::Result<Bundle> load_within(const Watch& watch, const helm::Profile& helm,
                                 const Loader& loader) {
  helm::SchemaSources schemas;
  if (watch.remote_schemas == RemoteSchemas::kNetwork) {
    schemas.elsewhere = loader.options.network;
  }
  const size_t memory_max = loader.options.memory_max;
  const size_t held = loader.loaded.held();
  const size_t left = memory_max > held ? memory_max - held : 0;
  const uint64_t refusals = base::MemoryLimit::refusals();
  auto bundle =
      base::within_memory(left, [&] { return load_bundle(watch.chart_path, helm, schemas); });
  if (!bundle.ok() && base::MemoryLimit::refusals() != refusals) {
    return Error(ErrorCode::kBudget,
                 "all charts together may hold " + host::memory_text(memory_max) +
                     " of memory, three quarters of what the operator may use (its container's "
                     "limit, or the machine's memory), and with this one they need more");
  }
  return bundle;
}

/// Returns the error for a chart that would have to be fetched, with the command that does.
Error unfetched_chart(const DocumentNode& node, const std::string& chart) {
  return yaml::invalid_node(node, "charts are not fetched: run \"helm pull " + chart +
                                      " --untar --untardir helm-charts\", and give the folder, "
                                      "helm-charts/" +
                                      helm::chart_name_of(chart));
}

base::Status read_chart(MapReader& map, const helm::Profile& helm, const Loader& loader,
                        Watch& watch) {
  CW_TRY(const DocumentNode* node, map.require("chart"));
  CW_TRY(watch.chart_path, yaml::document_text(*node));
  if (watch.chart_path.find("://") != std::string::npos) {
    return unfetched_chart(*node, watch.chart_path);
  }
  auto bundle = load_within(watch, helm, loader);
  if (!bundle.ok()) {
    // If an error in the bundle has its own position, that is more precise than the watch's.
    return bundle.error().pos()
               ? bundle.error()
               : yaml::invalid_node(*node, "invalid chart directory " + watch.chart_path + ": " +
                                               bundle.error().message());
  }
  watch.bundle = *std::move(bundle);
  return {};
}

// Rejects a path or value that Helm cannot set, because every reconcile of every custom resource
// would fail. The expanded value is not quoted: it may be a secret from the environment.
base::Status check_override(const yaml::DocumentEntry& entry, const std::string& text) {
  const std::string& path = entry.key.text;
  value::Value scratch = value::Value::dict();
  if (path.empty()) {
    return yaml::invalid_node(entry.key, "an override value needs a path, such as \"image.tag\"");
  }
  auto settable = helm::parse_set(path + "=", helm::SetMode::kString, scratch);
  if (!settable.ok()) {
    return yaml::invalid_node(
        entry.key, "\"" + path + "\" is not a path that can be set: " + settable.error().message());
  }
  scratch = value::Value::dict();
  if (!helm::parse_set(path + "=" + text, helm::SetMode::kString, scratch).ok()) {
    return yaml::invalid_node(
        entry.value,
        "cannot be set: as with --set-string, a comma begins another path=value; "
        "write \"\\,\" for a comma within the value");
  }
  return {};
}

base::Result<std::string> read_override(const yaml::DocumentEntry& entry, const Loader& loader) {
  if (entry.value.kind == DocumentNode::Kind::kNull) {
    // Reported at the key, because a value that is not written has no position.
    return yaml::invalid_node(entry.key,
                              "\"" + entry.key.text +
                                  "\" is null: write \"\" for an empty value; a default of the "
                                  "chart cannot be removed here");
  }
  CW_TRY(std::string text, yaml::document_text(entry.value));
  auto expanded = expand_override({entry.key.text, text}, {loader.environment, loader.clock});
  if (!expanded.ok()) {
    return yaml::invalid_node(entry.value,
                              "failed to expand override values: " + expanded.error().message());
  }
  CW_TRY_VOID(check_override(entry, *expanded));
  return expanded;
}

base::Status read_overrides(MapReader& map, const Loader& loader, Watch& watch) {
  const DocumentNode* node = map.find("overrideValues");
  if (node == nullptr) {
    return {};
  }
  CW_TRY_DISCARD(MapReader::open(*node));
  for (const yaml::DocumentEntry& entry : node->entries) {
    CW_TRY(std::string text, read_override(entry, loader));
    watch.override_values.emplace_back(entry.key.text, std::move(text));
  }
  return {};
}

/// Returns the duration at `key`; nullopt where there is none. Error: kInvalidArgument, with the
/// place, also for a negative one.
base::Result<std::optional<base::Duration>> read_duration(MapReader& map, std::string_view key) {
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return std::optional<base::Duration>();
  }
  CW_TRY(std::string text, yaml::document_text(*node));
  auto duration = base::parse_go_duration(text);
  if (!duration.ok()) {
    return yaml::invalid_node(*node, duration.error().message());
  }
  if (*duration < base::Duration::zero()) {
    return yaml::invalid_node(
        *node, "\"" + text + "\" is negative: a period is a duration such as \"1m30s\"");
  }
  return std::optional(*duration);
}

base::Status read_period(MapReader& map, Watch& watch) {
  CW_TRY(watch.reconcile_period, read_duration(map, "reconcilePeriod"));
  // As in helm-operator, zero is the same as not set.
  if (watch.reconcile_period == base::Duration::zero()) {
    watch.reconcile_period.reset();
  }
  return {};
}

base::Status read_hooks(MapReader& map, Watch& watch) {
  if (const DocumentNode* node = map.find("disableHooks")) {
    CW_TRY(const bool disable, yaml::document_bool(*node));
    watch.run_hooks = !disable;
  }
  CW_TRY(const std::optional<base::Duration> timeout, read_duration(map, "hookTimeout"));
  if (timeout == base::Duration::zero()) {
    return yaml::invalid_node(*map.find("hookTimeout"),
                              "\"0s\" gives a hook no time: \"5m\" is the default");
  }
  watch.hook_timeout = timeout.value_or(watch.hook_timeout);
  return {};
}

base::Status read_crds(MapReader& map, Watch& watch) {
  using release::DefinitionPolicy;
  const DocumentNode* node = map.find("crds");
  if (node == nullptr) {
    return {};
  }
  constexpr std::array<std::pair<std::string_view, DefinitionPolicy>, 3> kPolicies = {{
      {"create", DefinitionPolicy::kCreate},
      {"createOrUpdate", DefinitionPolicy::kCreateOrUpdate},
      {"skip", DefinitionPolicy::kSkip},
  }};
  CW_TRY(watch.crds, read_choice(*node, kPolicies));
  return {};
}

base::Status read_adoption(MapReader& map, Watch& watch) {
  if (const DocumentNode* node = map.find("adoption")) {
    CW_TRY(watch.adoption, read_choice(*node, kAdoptionPolicies));
  }
  return {};
}

// Helm 4 applies by server-side apply as well, which is strict.
base::Status read_strict_fields(MapReader& map, const helm::Profile& helm, Watch& watch) {
  watch.strict_fields = helm.functions == helm::FunctionRule::kHelm4;
  if (const DocumentNode* node = map.find("strictFields")) {
    CW_TRY(watch.strict_fields, yaml::document_bool(*node));
  }
  return {};
}

// A failed install has no earlier revision, a failed upgrade must not lose the objects.
base::Status read_failure_policies(MapReader& map, Watch& watch) {
  if (const DocumentNode* node = map.find("onInstallFailure")) {
    CW_TRY(watch.on_install_failure, read_choice(*node, kInstallFailures));
  }
  if (const DocumentNode* node = map.find("onUpgradeFailure")) {
    CW_TRY(watch.on_upgrade_failure, read_choice(*node, kUpgradeFailures));
  }
  return {};
}

base::Status read_remote_schemas(MapReader& map, Watch& watch) {
  const DocumentNode* node = map.find("remoteSchemas");
  if (node == nullptr) {
    return {};
  }
  constexpr std::array<std::pair<std::string_view, RemoteSchemas>, 2> kSources = {{
      {"vendored", RemoteSchemas::kVendored},
      {"network", RemoteSchemas::kNetwork},
  }};
  CW_TRY(watch.remote_schemas, read_choice(*node, kSources));
  return {};
}

base::Status read_options(MapReader& map, Watch& watch) {
  if (const DocumentNode* node = map.find("watchDependentResources")) {
    CW_TRY(watch.watch_dependents, yaml::document_bool(*node));
  }
  if (const DocumentNode* node = map.find("dryRunOption")) {
    CW_TRY(std::string text, yaml::document_text(*node));
    const bool reads_cluster = text == "server" || text == "none" || text == "false";
    if (!reads_cluster && !text.empty() && text != "client") {
      return yaml::invalid_node(*node, "\"" + text + "\" is neither \"client\" nor \"server\"");
    }
    watch.dry_run = reads_cluster ? DryRunMode::kServer : DryRunMode::kClient;
  }
  if (const DocumentNode* node = map.find("maxConcurrentReconciles")) {
    CW_TRY(const int64_t workers, yaml::document_int(*node));
    if (workers < 1 || workers > kWorkersMax) {
      return yaml::invalid_node(*node, "must be between 1 and " + std::to_string(kWorkersMax));
    }
    watch.max_concurrent_reconciles = static_cast<int>(workers);
  }
  if (const DocumentNode* node = map.find("renderMemory")) {
    CW_TRY(const std::string text, yaml::document_text(*node));
    const auto bytes = host::parse_render_memory(text);
    if (!bytes.ok()) {
      return yaml::invalid_node(*node, bytes.error().message());
    }
    watch.render_memory = *bytes;
  }
  if (const DocumentNode* node = map.find("selector")) {
    CW_TRY(watch.label_selector, read_label_selector(*node));
  }
  return {};
}

base::Result<Watch> read_watch(const DocumentNode& raw, const Loader& loader) {
  CW_TRY(DocumentNode entry, with_canonical_keys(raw));
  CW_TRY_VOID(drop_unknown_keys(entry, loader.options.on_unknown_key));
  Watch watch;
  CW_TRY(MapReader map, MapReader::open(entry));
  CW_TRY_VOID(read_gvk(map, entry, watch));
  CW_TRY_VOID(read_overrides(map, loader, watch));
  CW_TRY_VOID(read_period(map, watch));
  CW_TRY_VOID(read_options(map, watch));
  CW_TRY_VOID(read_failure_policies(map, watch));
  CW_TRY_VOID(read_crds(map, watch));
  CW_TRY_VOID(read_adoption(map, watch));
  CW_TRY_VOID(read_remote_schemas(map, watch));
  CW_TRY_VOID(read_hooks(map, watch));
  CW_TRY(const helm::Profile* const helm, helm_version(map));
  CW_TRY_VOID(read_strict_fields(map, *helm, watch));
  CW_TRY_VOID(read_chart(map, *helm, loader, watch));
  return watch;
}

/// Where each kind has its entry.
class Seen {
 public:
  // The API server shows each custom resource in every version of its kind, so that a kind with two
  // entries has two writers.
  base::Status add(const kube::Gvk& gvk, const DocumentNode& entry) {
    const auto [first, is_new] = first_.try_emplace(gvk.group_kind(), gvk.version, entry.pos);
    if (is_new) {
      return {};
    }
    const auto& [version, pos] = first->second;
    if (version == gvk.version) {
      return yaml::invalid_node(entry, "duplicate GVK: " + gvk.to_string());
    }
    return yaml::invalid_node(
        entry, gvk.group_kind().to_string() + " has an entry for another version, " + version +
                   ", at " + pos.to_string() +
                   ": each of its custom resources would have two writers. Keep one "
                   "entry: the API server converts between the versions");
  }

 private:
  std::map<kube::GroupKind, std::pair<std::string, base::SourcePos>> first_;
};

}  // namespace

std::span<const std::string_view> watch_keys() { return kKeys; }

base::Result<std::vector<Watch>> parse_watches(const std::string& text, const std::string& file,
                                               const base::Clock& clock,
                                               const Environment& environment,
                                               const WatchesOptions& options) {
  CW_TRY(DocumentNode root, yaml::parse_document(text, file));
  CW_TRY(const std::vector<DocumentNode>* entries, yaml::document_list(root));
  const base::MemoryLimit loaded(SIZE_MAX);
  const Loader loader{clock, environment, options, loaded};
  std::vector<Watch> watches;
  Seen seen;
  base::Faults faults;
  for (const DocumentNode& entry : *entries) {
    auto watch = read_watch(entry, loader);
    if (!watch.ok()) {
      faults.add(std::move(watch).error());
      continue;
    }
    faults.add(seen.add(watch->gvk, entry));
    watches.push_back(*std::move(watch));
  }
  CW_TRY_VOID(faults.status());
  if (watches.empty()) {
    return yaml::invalid_node(
        root, "no watch: at least one entry with version, kind and chart is needed");
  }
  return watches;
}

base::Result<std::vector<NamedChart>> charts_of_watches(const std::string& file) {
  auto text = base::read_file(file, kFileBytesMax);
  if (!text.ok()) {
    return std::move(text).error().wrap("could not open watches file");
  }
  CW_TRY(DocumentNode root, yaml::parse_document(*text, file));
  CW_TRY(const std::vector<DocumentNode>* entries, yaml::document_list(root));
  std::vector<NamedChart> charts;
  for (const DocumentNode& raw : *entries) {
    CW_TRY(DocumentNode entry, with_canonical_keys(raw));
    CW_TRY(MapReader map, MapReader::open(entry));
    CW_TRY(const DocumentNode* node, map.require("chart"));
    NamedChart chart;
    CW_TRY(chart.path, yaml::document_text(*node));
    if (chart.path.find("://") != std::string::npos) {
      return unfetched_chart(*node, chart.path);
    }
    CW_TRY(chart.helm, helm_version(map));
    if (std::ranges::find(charts, chart) == charts.end()) {
      charts.push_back(std::move(chart));
    }
  }
  return charts;
}

base::Result<std::vector<Watch>> load_watches(const std::string& file, const base::Clock& clock,
                                              const Environment& environment,
                                              WatchesOptions options) {
  auto text = base::read_file(file, kFileBytesMax);
  if (!text.ok()) {
    return std::move(text).error().wrap("could not open watches file");
  }
  options.memory_max = std::min(options.memory_max, base::usable_memory() / 4 * 3);
  return parse_watches(*text, file, clock, environment, options);
}

}  // namespace chartwright::bundle
