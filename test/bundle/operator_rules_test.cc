// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>

#include "bundle/bundle.h"

namespace chartwright::bundle {
namespace {

base::Result<OperatorRules> parse(const std::string& text) {
  return parse_operator_rules(text, "operator.yaml");
}

TEST_CASE("An empty file has no rules") {
  for (const std::string text : {"", "# nothing\n", "{}"}) {
    INFO(text);
    const OperatorRules rules = CW_MUST(parse(text));
    CHECK(rules.related.empty());
    CHECK(rules.children.empty());
    CHECK_FALSE(rules.judge_children());
    CHECK_FALSE(rules.allow_empty);
  }
}

TEST_CASE("Every field of related objects is read") {
  const OperatorRules rules = CW_MUST(parse(R"(
allowEmpty: true
related:
  claims:
    apiVersion: v1
    kind: PersistentVolumeClaim
    selector:
      app: db
      instance: '{{ .CR.metadata.name }}'
  sets:
    apiVersion: apps/v1
    kind: StatefulSet
    selector: {}
  settings:
    apiVersion: v1
    kind: ConfigMap
    name: '{{ .CR.spec.settings }}'
    namespace: shared
  pods:
    apiVersion: v1
    kind: Pod
    selectedBy: {apiVersion: apps/v1, kind: Deployment, name: web}
)"));
  CHECK(rules.allow_empty);
  REQUIRE(rules.related.size() == 4);
  const RelatedConfig& claims = rules.related[0];
  CHECK(claims.name == "claims");
  CHECK(claims.gvk == kube::Gvk{"", "v1", "PersistentVolumeClaim"});
  const auto& labels = std::get<RelatedConfig::BySelector>(claims.choice).terms;
  REQUIRE(labels.size() == 2);
  CHECK(labels[0].key == "app");
  CHECK_FALSE(labels[0].has_templates());
  CHECK(labels[1].values.at(0).is_template());
  CHECK(labels[1].values.at(0).path == "related.claims.selector.instance");
  CHECK_FALSE(claims.ns);
  CHECK(rules.related[1].gvk == kube::Gvk{"apps", "v1", "StatefulSet"});
  CHECK(std::get<RelatedConfig::ByName>(rules.related[2].choice).name.is_template());
  CHECK(rules.related[2].ns->text == "shared");
  const auto& by_selector = std::get<RelatedConfig::BySelectorOf>(rules.related[3].choice);
  CHECK(by_selector.gvk == kube::Gvk{"apps", "v1", "Deployment"});
  CHECK(by_selector.name.text == "web");
  CHECK_FALSE(rules.related[3].has_templates());
}

TEST_CASE("Every field of child rules is read") {
  const OperatorRules rules = CW_MUST(parse(R"(
children:
- match: {apiVersion: v1, kind: PersistentVolumeClaim, name: "data-*", labels: {a: b}}
  freeze: [spec.storageClassName, 'metadata.annotations["example.com/x"]']
  growOnly: [spec.resources.requests.storage]
  ignore: [spec.replicas]
  update: recreateIfImmutable
  onDelete: keep
  present: '{{ true }}'
  pace: {max: 2, until: ready}
- match: {}
  pace: {max: 1}
  ready: |
    {{ eq .Object.status.phase "Running" }}
)"));
  REQUIRE(rules.children.size() == 2);
  const release::ChildRule& rule = rules.children[0];
  CHECK(rule.match.api_version == "v1");
  CHECK(rule.match.kind == "PersistentVolumeClaim");
  CHECK(rule.match.name == "data-*");
  CHECK(rule.match.labels == std::vector<std::pair<std::string, std::string>>{{"a", "b"}});
  CHECK(rule.update == release::Update::kRecreateIfImmutable);
  CHECK(rule.on_delete == release::OnDelete::kKeep);
  REQUIRE(rule.pace);
  CHECK(rule.pace->max == 2);
  CHECK(rule.pace->until == release::Until::kReady);
  CHECK(rules.children[1].pace->until == release::Until::kObserved);
  REQUIRE(rules.predicates.size() == 2);
  CHECK(rules.judge_children());
  CHECK(rules.predicates[0].present->text == "{{ true }}");
  CHECK(rules.predicates[0].present->pos.to_string() == "operator.yaml:9:12");
  CHECK(rules.predicates[0].present->path == "children[0].present");
  CHECK_FALSE(rules.predicates[0].ready);
  CHECK_FALSE(rules.predicates[1].present);
  CHECK(rules.predicates[1].ready->path == "children[1].ready");
  CHECK(rules.children[1].update == release::Update::kApply);
  CHECK(rules.children[1].on_delete == release::OnDelete::kCascade);
  REQUIRE(rule.freeze.size() == 2);
  CHECK(rule.freeze[1].steps().size() == 3);
  CHECK(rule.grow_only.at(0).to_string() == "spec.resources.requests.storage");
  CHECK(rule.ignore.at(0).to_string() == "spec.replicas");
  CHECK_FALSE(rules.children[1].needs_live());
}

/// A text of operator.yaml, and its error.
using WrongRules = std::pair<std::string, std::string>;

void check_rules_error(const WrongRules& wrong) {
  INFO(wrong.first);
  const auto rules = parse(wrong.first);
  REQUIRE_FALSE(rules.ok());
  CHECK(rules.error().to_string() == wrong.second);
}

TEST_CASE("An error of related objects names its position") {
  check_rules_error(GENERATE(values<WrongRules>({
      {"[]", "operator.yaml:1:1: expected a map, got a list"},
      {"relatd: {}", "operator.yaml:1:1: unknown key \"relatd\", did you mean \"related\"?"},
      {"allowEmpty: perhaps",
       "operator.yaml:1:13: allowEmpty: expected true or false, got the string \"perhaps\""},
      {"related: []", "operator.yaml:1:10: related: expected a map, got a list"},
      {"related: {r: {kind: A, selector: {}}}",
       "operator.yaml:1:14: related.r: missing key \"apiVersion\""},
      {"related: {r: {apiVersion: v1, selector: {}}}",
       "operator.yaml:1:14: related.r: missing key \"kind\""},
      {"related: {r: {apiVersion: v1, kind: A}}",
       "operator.yaml:1:14: related.r: one of \"selector\", \"name\" and \"selectedBy\" is "
       "missing"},
      {"related: {r: {apiVersion: v1, kind: A, selektor: {}}}",
       "operator.yaml:1:40: related.r: unknown key \"selektor\", did you mean \"selector\"?"},
      {"related: {r: {apiVersion: v1, kind: A, name: a, selector: {}}}",
       "operator.yaml:1:46: related.r.name: cannot stand beside \"selector\": one of the two is "
       "enough"},
      {"related: {r: {apiVersion: v1, kind: A, selectedBy: {kind: B, name: b}}}",
       "operator.yaml:1:52: related.r.selectedBy: missing key \"apiVersion\""},
      {"related: {r: {apiVersion: v1, kind: A, name: [a]}}",
       "operator.yaml:1:46: related.r.name: expected a string, got a list"},
      {"related: {r: {apiVersion: v1, kind: A, selector: x}}",
       "operator.yaml:1:50: related.r.selector: expected a map, got the string \"x\""},
      {"related: {r: {apiVersion: v1, kind: A, selector: {'a b': x}}}",
       "operator.yaml:1:51: related.r.selector: \"a b\" is not a label key such as \"app\" or "
       "\"example.com/app\""},
      {"related: {r: {apiVersion: v1, kind: A, selector: {a: 'b c'}}}",
       "operator.yaml:1:54: related.r.selector.a: \"b c\" is not a label value: at most 63 "
       "letters, "
       "digits, \"-\", \"_\" and \".\", with a letter or digit at both ends"},
      {"related: {r: {apiVersion: v1, kind: A, selector: {matchLabels: {}, app: x}}}",
       "operator.yaml:1:68: related.r.selector: unknown key \"app\""},
      {"related: {r: {apiVersion: v1, kind: A, selector: {matchExpressions: [{key: a, operator: "
       "in}]}}}",
       "operator.yaml:1:89: related.r.selector.matchExpressions[0].operator: \"in\" is not a label "
       "selector operator: In, NotIn, Exists, DoesNotExist"},
      {"related: {r: {apiVersion: v1, kind: A, selector: {}, label: x}}",
       "operator.yaml:1:54: related.r: unknown key \"label\""},
  })));
}

TEST_CASE("An error of child rules names its position") {
  check_rules_error(GENERATE(values<WrongRules>({
      {"children: {}", "operator.yaml:1:11: children: expected a list, got a map"},
      {"children: [{freeze: [a]}]", "operator.yaml:1:12: children[0]: missing key \"match\""},
      {"children: [{match: {knd: A}}]",
       "operator.yaml:1:21: children[0].match: unknown key \"knd\", did you mean \"kind\"?"},
      {"children: [{match: {kind: '*Binding'}}]",
       "operator.yaml:1:27: children[0].match.kind: \"*Binding\" would match nothing: only name "
       "may "
       "have * and ?"},
      {"children: [{match: {apiVersion: 'apps/v?'}}]",
       "operator.yaml:1:33: children[0].match.apiVersion: \"apps/v?\" would match nothing: only "
       "name may have * and ?"},
      {"children: [{match: {labels: [a]}}]",
       "operator.yaml:1:29: children[0].match.labels: expected a map, got a list"},
      {"children: [{match: {}, growonly: [a]}]",
       "operator.yaml:1:24: children[0]: unknown key \"growonly\", did you mean "
       "\"growOnly\"?"},
      {"children: [{match: {}, freeze: spec}]",
       "operator.yaml:1:32: children[0].freeze: expected a list, got the string \"spec\""},
      {"children: [{match: {}, update: replace}]",
       "operator.yaml:1:32: children[0].update: \"replace\" is not one of \"apply\", \"recreate\", "
       "\"recreateIfImmutable\", \"orphanRecreate\", \"onDelete\""},
      {"children: [{match: {}, present: true}]",
       "operator.yaml:1:33: children[0].present: \"true\" is not a template, such as "
       "'{{ eq .Object.status.phase \"Running\" }}'"},
      {"children: [{match: {}, pace: 1}]",
       "operator.yaml:1:30: children[0].pace: expected a map, got the number 1"},
      {"children: [{match: {}, pace: {}}]",
       "operator.yaml:1:30: children[0].pace: missing key \"max\""},
      {"children: [{match: {}, pace: {max: 0}}]",
       "operator.yaml:1:36: children[0].pace.max: 0 is not a number from 1 to 1000000"},
      {"children: [{match: {}, pace: {max: one}}]",
       "operator.yaml:1:36: children[0].pace.max: expected a whole number, got the string \"one\""},
      {"children: [{match: {}, pace: {max: 1, until: x}}]",
       "operator.yaml:1:46: children[0].pace.until: \"x\" is not one of \"observed\", \"ready\", "
       "\"gone\""},
      {"children: [{match: {}, pace: {max: 1, untl: ready}}]",
       "operator.yaml:1:39: children[0].pace: unknown key \"untl\", did you mean \"until\"?"},
      {"children: [{match: {}, pacee: {max: 1}}]",
       "operator.yaml:1:24: children[0]: unknown key \"pacee\", did you mean \"pace\"?"},
      {"children: [{match: {}, ready: [a]}]",
       "operator.yaml:1:31: children[0].ready: expected a string, got a list"},
      {"children: [{match: {}, presnt: '{{ true }}'}]",
       "operator.yaml:1:24: children[0]: unknown key \"presnt\", did you mean \"present\"?"},
      {"children: [{match: {}, onDelete: delete}]",
       "operator.yaml:1:34: children[0].onDelete: \"delete\" is not one of \"cascade\", "
       "\"orphan\", \"keep\""},
  })));
}

TEST_CASE("A path that does not parse is reported with its position") {
  const auto rules = parse("children:\n- match: {}\n  freeze: [\"spec..a\"]\n");
  REQUIRE_FALSE(rules.ok());
  CHECK(rules.error().code() == base::ErrorCode::kParse);
  CHECK_THAT(rules.error().to_string(),
             Catch::Matchers::StartsWith("operator.yaml:3:12: children[0].freeze[0]: "));
}

TEST_CASE("Rules without a meaning are refused") {
  const auto error = [](const std::string& rules) {
    const auto parsed = parse("children:\n" + rules);
    return parsed.ok() ? "none" : parsed.error().to_string();
  };
  CHECK(error("- match: {kind: Pod, labels: {a: b, c: d}}\n"
              "- match: {kind: Service}\n"
              "- match: {labels: {c: d, a: b}, kind: Pod}\n") ==
        "operator.yaml:4:10: children[2].match: this rule never applies: that at "
        "operator.yaml:2:10 has the same match and comes first; write one rule with the members of "
        "both");
  CHECK(error("- match: {kind: Pod}\n- match: {kind: Pod, name: a}\n- match: {}\n") == "none");
  CHECK(error("- match: {}\n  freeze: [spec.a, spec.b]\n  ignore: [spec.c, 'spec[\"b\"]']\n") ==
        "operator.yaml:4:20: children[0].ignore[1]: \"spec.b\" is in \"freeze\" too: freeze keeps "
        "the live value and reports a difference, ignore leaves the field to others; choose one");
  for (const std::string path : {"kind", "apiVersion", "metadata.name", "metadata.namespace"}) {
    for (const std::string key : {"freeze", "ignore", "growOnly"}) {
      CHECK(error("- match: {}\n  " + key + ": [" + path + "]\n") ==
            "operator.yaml:3:" + std::to_string(key.size() + 6) + ": children[0]." + key +
                "[0]: \"" + path +
                "\" tells which object it is, and never changes: name a field that does");
    }
  }
  CHECK(error("- match: {}\n  ignore: [metadata.labels, spec.kind]\n") == "none");
}

}  // namespace
}  // namespace chartwright::bundle
