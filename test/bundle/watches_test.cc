// SPDX-License-Identifier: Apache-2.0
#include "bundle/watches.h"

#include <catch2/catch.hpp>

#include "test/base/manual_clock.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

using base::ErrorCode;

std::optional<std::string> environment(const std::string& name) {
  if (name == "COLOR") {
    return "blue";
  }
  if (name == "EMPTY") {
    return "";
  }
  return std::nullopt;
}

const testing::Folder& chart() {
  static const testing::Folder folder(testing::widget_chart());
  return folder;
}

// Replaces CHART in the text with an existing chart folder.
std::string with_chart(std::string text) {
  for (size_t at = text.find("CHART"); at != std::string::npos; at = text.find("CHART")) {
    text.replace(at, 5, chart().path());
  }
  return text;
}

base::Result<std::vector<Watch>> watches_of(const std::string& text) {
  static const base::ManualClock clock;
  return parse_watches(with_chart(text), "watches.yaml", clock, environment);
}

Watch one(const std::string& text) {
  auto watches = watches_of(text);
  if (!watches.ok()) {
    FAIL(watches.error().to_string());
  }
  REQUIRE(watches->size() == 1);
  return watches->front();
}

// Returns "key=value;" for each override.
std::string overrides(const Watch& watch) {
  std::string text;
  for (const auto& [key, value] : watch.override_values) {
    text += key + "=" + value + ";";
  }
  return text;
}

TEST_CASE("Each kind chooses where schemas come from") {
  const auto chosen = [](const std::string& line) {
    return one("- version: v1\n  kind: Widget\n  chart: CHART\n" + line).remote_schemas;
  };
  CHECK(chosen("") == RemoteSchemas::kVendored);
  CHECK(chosen("  remoteSchemas: vendored\n") == RemoteSchemas::kVendored);
  CHECK(chosen("  remoteSchemas: network\n") == RemoteSchemas::kNetwork);
}

TEST_CASE("Each kind chooses whether hooks run, and for how long") {
  const auto watch = [](const std::string& line) {
    return one("- version: v1\n  kind: Widget\n  chart: CHART\n" + line);
  };
  CHECK(watch("").run_hooks);
  CHECK(watch("").hook_timeout == std::chrono::minutes(5));
  CHECK(watch("  disableHooks: false\n").run_hooks);
  CHECK_FALSE(watch("  disableHooks: true\n").run_hooks);
  CHECK(watch("").on_upgrade_failure == UpgradeFailure::kHold);
  CHECK(watch("  onUpgradeFailure: rollback\n").on_upgrade_failure == UpgradeFailure::kRollback);
  CHECK(watch("").on_install_failure == InstallFailure::kHold);
  CHECK(watch("  onInstallFailure: uninstall\n").on_install_failure == InstallFailure::kUninstall);
  CHECK(watch("  hookTimeout: 1m30s\n").hook_timeout == std::chrono::seconds(90));
}

TEST_CASE("Each kind chooses how crds/ is installed") {
  const auto policy = [](const std::string& line) {
    return one("- version: v1\n  kind: Widget\n  chart: CHART\n" + line).crds;
  };
  using release::DefinitionPolicy;
  CHECK(policy("") == DefinitionPolicy::kCreate);
  CHECK(policy("  crds: create\n") == DefinitionPolicy::kCreate);
  CHECK(policy("  crds: createOrUpdate\n") == DefinitionPolicy::kCreateOrUpdate);
  CHECK(policy("  crds: skip\n") == DefinitionPolicy::kSkip);
}

TEST_CASE("An entry needs a version, a kind and a chart; the rest has defaults") {
  const Watch watch = one("- version: v1\n  kind: Widget\n  chart: CHART\n");
  CHECK(watch.gvk == kube::Gvk{"", "v1", "Widget"});
  CHECK(watch.chart_path == chart().path());
  CHECK(watch.bundle.chart_name() == "widget");
  CHECK(watch.override_values.empty());
  CHECK(watch.label_selector.empty());
  CHECK_FALSE(watch.reconcile_period);
  CHECK_FALSE(watch.max_concurrent_reconciles);
  CHECK(watch.watch_dependents);
  CHECK(watch.dry_run == DryRunMode::kClient);
}

TEST_CASE("Every field of an entry is read") {
  const Watch watch = one(R"(
- group: example.com
  version: v1alpha1
  kind: Widget
  chart: CHART
  watchDependentResources: false
  overrideValues:
    color: $COLOR
    image.tag: '{{ "1.0" | quote }}'
  selector:
    matchLabels: {app: x}
    matchExpressions:
    - {key: tier, operator: In, values: [a, b]}
  reconcilePeriod: 1m30s
  dryRunOption: server
  maxConcurrentReconciles: 4
  renderMemory: 96Mi
)");
  CHECK(watch.gvk == kube::Gvk{"example.com", "v1alpha1", "Widget"});
  CHECK_FALSE(watch.watch_dependents);
  CHECK(overrides(watch) == "color=blue;image.tag=\"1.0\";");
  CHECK(watch.label_selector == "app=x,tier in (a,b)");
  CHECK(watch.reconcile_period == std::chrono::seconds(90));
  CHECK(watch.dry_run == DryRunMode::kServer);
  CHECK(watch.max_concurrent_reconciles == 4);
  CHECK(watch.render_memory == size_t{96} << 20);
}

TEST_CASE("Charts that need more memory than there is are an error that names the chart") {
  const testing::Folder small(testing::widget_chart());
  const testing::Folder large(
      testing::with(testing::widget_chart(), {{"files/large", std::string(size_t{3} << 20, 'x')}}));
  const base::ManualClock clock;
  const auto outcome = [&](size_t mib) {
    const auto watches = parse_watches(
        "- {version: v1, kind: Small, chart: " + small.path() + "}\n" +
            "- version: v1\n  kind: Large\n  chart: " + large.path() + "\n",
        "watches.yaml", clock, [](const std::string& /*name*/) { return std::nullopt; },
        {.memory_max = mib << 20, .network = nullptr});
    return watches.ok() ? "loaded" : watches.error().to_string();
  };
  CHECK(outcome(64) == "loaded");
  CHECK(outcome(2) == "watches.yaml:4:10: [1].chart: invalid chart directory " + large.path() +
                          ": all charts together may hold 2Mi of memory, three quarters of what "
                          "the operator may use (its container's limit, or the machine's "
                          "memory), and with this one they need more");
}

TEST_CASE("A chart is rendered as the version of Helm that its entry names") {
  const auto version = [](const std::string& line) {
    return one("- version: v1\n  kind: Widget\n  chart: CHART\n" + line)
        .bundle.chart->profile()
        .helm_version;
  };
  CHECK(version("") == "v3.22.0");
  CHECK(version("  helmVersion: \"3.18\"\n") == "v3.18.6");
  CHECK(version("  helmVersion: 3.22\n") == "v3.22.0");
  CHECK(version("  helmVersion: 4.3\n") == "v4.3.1");
}

TEST_CASE("Helm 3.18 is the one that helm-operator embeds") {
  const Watch watch =
      one("- version: v1\n  kind: Widget\n  chart: CHART\n  helmVersion: \"3.18\"\n");
  CHECK(watch.bundle.chart->profile().semver == helm::SemverRelease::k3_4);
}

TEST_CASE("Keys are matched in any case, as helm-operator's decoder does") {
  const Watch watch =
      one("- Version: v1\n  KIND: Widget\n  Chart: CHART\n  dryrunoption: server\n"
          "  reconcileperiod: 5s\n");
  CHECK(watch.gvk.kind == "Widget");
  CHECK(watch.dry_run == DryRunMode::kServer);
  CHECK(watch.reconcile_period == std::chrono::seconds(5));
}

TEST_CASE("A period of zero is as good as none") {
  const std::string head = "- version: v1\n  kind: Widget\n  chart: CHART\n  reconcilePeriod: ";
  CHECK_FALSE(one(head + "0s\n").reconcile_period);
  CHECK_FALSE(one(head + "\"0\"\n").reconcile_period);
  CHECK_FALSE(one(head + "\n").reconcile_period);
}

TEST_CASE("dryRunOption takes Helm's words for reading the cluster") {
  const auto mode = [](const std::string& option) {
    return one("- version: v1\n  kind: Widget\n  chart: CHART\n  dryRunOption: " + option + "\n")
        .dry_run;
  };
  CHECK(mode("server") == DryRunMode::kServer);
  CHECK(mode("none") == DryRunMode::kServer);
  CHECK(mode("\"false\"") == DryRunMode::kServer);
  CHECK(mode("client") == DryRunMode::kClient);
  CHECK(mode("\"\"") == DryRunMode::kClient);
}

TEST_CASE("Override values are any scalars, as text") {
  const Watch watch = one(R"(
- version: v1
  kind: Widget
  chart: CHART
  overrideValues: {a: 1, b: true, c: 1.50, d: "x y", e: $UNSET, f: "${COLOR}er"}
)");
  CHECK(overrides(watch) == "a=1;b=true;c=1.5;d=x y;e=;f=blueer;");
}

TEST_CASE("Override values may be missing or empty, and so may each value") {
  const std::string head = "- version: v1\n  kind: Widget\n  chart: CHART\n  overrideValues:";
  CHECK(overrides(one(head + "\n")).empty());
  CHECK(overrides(one(head + " {}\n")).empty());
  CHECK(overrides(one(head + " {a: \"\", b: 'x\\,y', c.d: \"{1,2}\"}\n")) ==
        "a=;b=x\\,y;c.d={1,2};");
}

TEST_CASE("Several kinds may share a chart") {
  const auto watches = CW_MUST(
      watches_of("- {version: v1, kind: A, chart: CHART}\n- {version: v1, kind: B, chart: CHART}\n"
                 "- {group: example.com, version: v2, kind: A, chart: CHART}\n"));
  CHECK(watches.size() == 3);
}

struct Wrong {
  std::string text;
  std::string error;
};

void check_watches_error(const Wrong& wrong) {
  INFO(wrong.text);
  const auto watches = watches_of(wrong.text);
  REQUIRE_FALSE(watches.ok());
  CHECK(watches.error().to_string() == wrong.error);
}

const std::string kEntry = "- version: v1\n  kind: Widget\n  chart: CHART\n";

TEST_CASE("An entry that is malformed, or does not say which kind, is reported with its position") {
  check_watches_error(GENERATE(values<Wrong>({
      {"", "watches.yaml: no watch: at least one entry with version, kind and chart is needed"},
      {"[]",
       "watches.yaml:1:1: no watch: at least one entry with version, kind and chart is "
       "needed"},
      {"a: 1", "watches.yaml:1:1: expected a list, got a map"},
      {"- just text", "watches.yaml:1:3: [0]: expected a map, got the string \"just text\""},
      {kEntry + "  chrt: x\n",
       "watches.yaml:4:3: [0]: unknown key \"chrt\", did you mean \"chart\"?"},
      {kEntry + "  zzz: x\n", "watches.yaml:4:3: [0]: unknown key \"zzz\""},
      {"- group: a.b\n  version: v1\n  knd: A\n  chart: c\n",
       "watches.yaml:3:3: [0]: unknown key \"knd\", did you mean \"kind\"?"},
      {kEntry + "  Kind: Other\n",
       "watches.yaml:4:3: [0]: duplicate key \"Kind\", the same as "
       "\"kind\" on line 2"},
      {kEntry + kEntry, "watches.yaml:4:3: [1]: duplicate GVK: /v1, Kind=Widget"},
      {kEntry + "- {version: v2, kind: Widget, chart: CHART, selector: {matchLabels: {a: b}}}\n",
       "watches.yaml:4:3: [1]: Widget has an entry for another version, v1, at watches.yaml:1:3: "
       "each of its custom resources would have two writers. Keep one entry: the API server "
       "converts between the versions"},
      {"- kind: Widget\n  chart: CHART\n",
       "watches.yaml:1:3: [0]: invalid GVK: /, Kind=Widget: version must not be empty"},
      {"- version: v1\n  chart: CHART\n",
       "watches.yaml:1:3: [0]: invalid GVK: /v1, Kind=: kind must not be empty"},
      {"- version: \"\"\n  kind: Widget\n  chart: CHART\n",
       "watches.yaml:1:3: [0]: invalid GVK: /, Kind=Widget: version must not be empty"},
      {"- version: [v1]\n  kind: Widget\n  chart: CHART\n",
       "watches.yaml:1:12: [0].version: expected a string, got a list"},
      {"- version: v1\n  kind: Widget\n", "watches.yaml:1:3: [0]: missing key \"chart\""},
      {"- group: example.com/v1\n  version: v1\n  kind: Widget\n  chart: CHART\n",
       "watches.yaml:1:10: [0].group: \"example.com/v1\" is not an API group, which is a DNS name "
       "such as \"example.com\""},
      {"- version: example.com/v1\n  kind: Widget\n  chart: CHART\n",
       "watches.yaml:1:12: [0].version: \"example.com/v1\" is not an API version such as "
       "\"v1alpha1\""},
      {"- version: 1.0\n  kind: Widget\n  chart: CHART\n",
       "watches.yaml:1:12: [0].version: \"1\" is not an API version such as \"v1alpha1\""},
      {"- version: v1\n  kind: Widget.example.com\n  chart: CHART\n",
       "watches.yaml:2:9: [0].kind: \"Widget.example.com\" is not a kind such as \"BookStore\""},
  })));
}

TEST_CASE("A setting that cannot be is reported with its position and what can be") {
  check_watches_error(GENERATE(values<Wrong>({
      {kEntry + "  reconcilePeriod: 5\n",
       "watches.yaml:4:20: [0].reconcilePeriod: time: missing unit in duration \"5\""},
      {kEntry + "  reconcilePeriod: soon\n",
       "watches.yaml:4:20: [0].reconcilePeriod: time: invalid duration \"soon\""},
      {kEntry + "  reconcilePeriod: -5s\n",
       "watches.yaml:4:20: [0].reconcilePeriod: \"-5s\" is negative: a period is a duration such "
       "as "
       "\"1m30s\""},
      {kEntry + "  hookTimeout: 0s\n",
       "watches.yaml:4:16: [0].hookTimeout: \"0s\" gives a hook no time: \"5m\" is the default"},
      {kEntry + "  hookTimeout: -5s\n",
       "watches.yaml:4:16: [0].hookTimeout: \"-5s\" is negative: a period is a duration such as "
       "\"1m30s\""},
      {kEntry + "  disableHooks: perhaps\n",
       "watches.yaml:4:17: [0].disableHooks: expected true or false, got the string \"perhaps\""},
      {kEntry + "  reconcilePeriod: {}\n",
       "watches.yaml:4:20: [0].reconcilePeriod: expected a string, got a map"},
      {kEntry + "  dryRunOption: maybe\n",
       "watches.yaml:4:17: [0].dryRunOption: \"maybe\" is neither \"client\" nor \"server\""},
      {kEntry + "  remoteSchemas: internet\n",
       "watches.yaml:4:18: [0].remoteSchemas: \"internet\" is not one of \"vendored\", "
       "\"network\""},
      {kEntry + "  onUpgradeFailure: uninstall\n",
       "watches.yaml:4:21: [0].onUpgradeFailure: \"uninstall\" is not one of \"hold\", "
       "\"rollback\""},
      {kEntry + "  onInstallFailure: rollback\n",
       "watches.yaml:4:21: [0].onInstallFailure: \"rollback\" is not one of \"hold\", "
       "\"uninstall\""},
      {kEntry + "  crds: update\n",
       "watches.yaml:4:9: [0].crds: \"update\" is not one of \"create\", \"createOrUpdate\", "
       "\"skip\""},
      {kEntry + "  crds: true\n",
       "watches.yaml:4:9: [0].crds: \"true\" is not one of \"create\", \"createOrUpdate\", "
       "\"skip\""},
      {"- version: v1\n  kind: W\n  chart: oci://r.example.com/charts/shop:1.2\n",
       "watches.yaml:3:10: [0].chart: charts are not fetched: run \"helm pull "
       "oci://r.example.com/charts/shop:1.2 --untar --untardir helm-charts\", and give the folder, "
       "helm-charts/shop"},
      {"- version: v1\n  kind: W\n  chart: https://example.com/my-shop-1.2.3.tgz\n",
       "watches.yaml:3:10: [0].chart: charts are not fetched: run \"helm pull "
       "https://example.com/my-shop-1.2.3.tgz --untar --untardir helm-charts\", and give the "
       "folder, helm-charts/my-shop"},
      {kEntry + "  helmVersion: 3.19\n",
       "watches.yaml:4:16: [0].helmVersion: \"3.19\" is not one of 3.18, 3.22, 4.3"},
      {kEntry + "  maxConcurrentReconciles: 0\n",
       "watches.yaml:4:28: [0].maxConcurrentReconciles: must be between 1 and 256"},
      {kEntry + "  maxConcurrentReconciles: 257\n",
       "watches.yaml:4:28: [0].maxConcurrentReconciles: must be between 1 and 256"},
      {kEntry + "  maxConcurrentReconciles: many\n",
       "watches.yaml:4:28: [0].maxConcurrentReconciles: expected a whole number, got the string "
       "\"many\""},
      {kEntry + "  renderMemory: 64MB\n",
       "watches.yaml:4:17: [0].renderMemory: \"64MB\" is not an amount of memory between 1Mi and "
       "64Gi, such as \"64Mi\""},
      {kEntry + "  watchDependentResources: perhaps\n",
       "watches.yaml:4:28: [0].watchDependentResources: expected true or false, got the string "
       "\"perhaps\""},
      {kEntry + "  selector: {matchExpressions: [{key: a, operator: Is}]}\n",
       "watches.yaml:4:52: [0].selector.matchExpressions[0].operator: \"Is\" is not a label "
       "selector operator: In, NotIn, Exists, DoesNotExist"},
  })));
}

TEST_CASE("An override value that cannot be set is reported with its position") {
  check_watches_error(GENERATE(values<Wrong>({
      {kEntry + "  overrideValues: [a]\n",
       "watches.yaml:4:19: [0].overrideValues: expected a map, got a list"},
      {kEntry + "  overrideValues: {a: {b: c}}\n",
       "watches.yaml:4:23: [0].overrideValues.a: expected a string, got a map"},
      {kEntry + "  overrideValues: {a: null}\n",
       "watches.yaml:4:20: [0].overrideValues: \"a\" is null: write \"\" for an empty value; a "
       "default of the chart cannot be removed here"},
      {kEntry + "  overrideValues:\n    a: x\n    b:\n",
       "watches.yaml:6:5: [0].overrideValues: \"b\" is null: write \"\" for an empty value; a "
       "default of the chart cannot be removed here"},
      {kEntry + "  overrideValues: {\"\": x}\n",
       "watches.yaml:4:20: [0].overrideValues: an override value needs a path, such as "
       "\"image.tag\""},
      {kEntry + "  overrideValues: {\"a[x]\": b}\n",
       "watches.yaml:4:20: [0].overrideValues: \"a[x]\" is not a path that can be set: error "
       "parsing "
       "index: strconv.Atoi: parsing \"x\": invalid syntax"},
      {kEntry + "  overrideValues: {noProxy: \"a,$COLOR\"}\n",
       "watches.yaml:4:29: [0].overrideValues.noProxy: cannot be set: as with --set-string, a "
       "comma "
       "begins another path=value; write \"\\,\" for a comma within the value"},
  })));
}

TEST_CASE("An override value that does not evaluate is reported with its position") {
  const std::string head = "- version: v1\n  kind: Widget\n  chart: CHART\n  overrideValues:\n";
  for (const std::string& value : {std::string("'{{ fail \"no\" }}'"), std::string("'{{ if }}'"),
                                   std::string("'{{ nosuch }}'")}) {
    INFO(value);
    const auto watches = watches_of(head + "    a: " + value + "\n");
    REQUIRE_FALSE(watches.ok());
    CHECK(watches.error().code() == ErrorCode::kInvalidArgument);
    CHECK_THAT(watches.error().to_string(),
               Catch::Matchers::StartsWith("watches.yaml:5:8: [0].overrideValues.a: failed to "
                                           "expand override values: "));
  }
}

TEST_CASE("A chart that cannot be loaded is named, with the reason") {
  const auto error = [](const std::string& path) {
    const auto watches = watches_of("- version: v1\n  kind: Widget\n  chart: " + path + "\n");
    REQUIRE_FALSE(watches.ok());
    CHECK(watches.error().code() == ErrorCode::kInvalidArgument);
    return watches.error().to_string();
  };
  CHECK(error("no/such/chart") ==
        "watches.yaml:3:10: [0].chart: invalid chart directory no/such/chart: stat no/such/chart: "
        "no such file or directory");
  const testing::Folder empty({});
  CHECK_THAT(error(empty.path()),
             Catch::Matchers::StartsWith("watches.yaml:3:10: [0].chart: invalid chart directory " +
                                         empty.path() + ": ") &&
                 Catch::Matchers::Contains("Chart.yaml file is missing"));
}

TEST_CASE("An error inside a bundle has the position in its own file") {
  const testing::Folder bad(
      testing::with(testing::widget_chart(), {{"operator/operator.yaml", "chidren: []\n"}}));
  const auto watches = watches_of("- version: v1\n  kind: Widget\n  chart: " + bad.path() + "\n");
  REQUIRE_FALSE(watches.ok());
  CHECK(watches.error().to_string() ==
        bad.path() +
            "/operator/operator.yaml:1:1: unknown key \"chidren\", did you mean "
            "\"children\"?");
}

TEST_CASE("A file is read from disk, or its absence is reported") {
  const testing::Folder folder({{"watches.yaml", with_chart("- {version: v1, kind: Widget, "
                                                            "chart: CHART}\n")}});
  const base::ManualClock clock;
  CHECK(CW_MUST(load_watches(folder.path() + "/watches.yaml", clock, environment)).size() == 1);
  const auto missing = load_watches(folder.path() + "/none.yaml", clock, environment);
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == ErrorCode::kNotFound);
  CHECK_THAT(missing.error().message(),
             Catch::Matchers::StartsWith("could not open watches file: "));
}

TEST_CASE("Unknown keys of entries can be reported one by one, and ignored") {
  std::vector<std::string> reported;
  const base::ManualClock clock;
  const WatchesOptions options{
      .on_unknown_key = [&](const base::Error& error) { reported.push_back(error.to_string()); }};
  const auto parse = [&](const std::string& text) {
    return parse_watches(with_chart(text), "watches.yaml", clock, environment, options);
  };
  const std::string head = "- version: v1\n  kind: Widget\n  chart: CHART\n";
  const auto watches = CW_MUST(
      parse(head +
            "  reconcilePeriods: 5s\n  zzz: {a: 1}\n- {version: v2, finalizer: x, kind: Gadget, "
            "chart: CHART}\n"));
  CHECK(watches.size() == 2);
  CHECK_FALSE(watches[0].reconcile_period);
  CHECK(reported == std::vector<std::string>{
                        "watches.yaml:4:3: [0]: unknown key \"reconcilePeriods\", did you mean "
                        "\"reconcilePeriod\"?",
                        "watches.yaml:5:3: [0]: unknown key \"zzz\"",
                        "watches.yaml:6:17: [1]: unknown key \"finalizer\""});
  // A selector without the unknown key would select more.
  const auto refused = parse(head + "  selector: {matchLabel: {app: x}}\n");
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.error().to_string() ==
        "watches.yaml:4:14: [0].selector: unknown key \"matchLabel\", did you mean "
        "\"matchLabels\"?");
}

}  // namespace
}  // namespace chartwright::bundle
