// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <sstream>
#include <string>
#include <utility>

#include "base/result.h"
#include "diagnosis/diagnosis.h"
#include "test/cases/case_file.h"
#include "test/cases/case_tests.h"
#include "test/diagnosis/lists.h"
#include "value/json.h"
#include "yaml/yaml.h"

// Runs the case files of test/cases/diagnosis. A case has an object in the section `child`, and the
// lists of a cluster in others, as YAML: `pods`, `events`, `claims`, `nodes`, `replicasets`. The
// section `forbidden` has the kinds that may not be listed. With `thorough`, more is asked, and the
// whole chain is printed.
namespace chartwright::diagnosis {
namespace {

value::Value yaml_of(const std::string& text) {
  return CW_MUST(yaml::parse_yaml(text, value::Numbers::kInt64));
}

Lists lists_of(const cases::Case& one) {
  Lists lists;
  for (const auto& [section, kind] :
       {std::pair("pods", "Pod"), std::pair("events", "Event"),
        std::pair("claims", "PersistentVolumeClaim"), std::pair("nodes", "Node"),
        std::pair("replicasets", "ReplicaSet")}) {
    if (const std::string* text = one.find(section)) {
      lists.objects[kind] = yaml_of(*text).as_list().items;
    }
  }
  if (const std::string* text = one.find("forbidden")) {
    std::istringstream kinds(*text);
    for (std::string kind; kinds >> kind;) {
      lists.forbidden.insert(kind);
    }
  }
  return lists;
}

void print_chain(std::string& out, const Cause& cause) {
  for (const Link& link : cause.chain) {
    out += "- " + link.object.to_string() + (link.says.empty() ? "" : ": " + link.says) + "\n";
    for (const std::string& warning : link.warnings) {
      out += "  " + warning + "\n";
    }
  }
}

void check_case(const cases::CaseFile&, const cases::Case& one) {
  const std::string* child = one.find("child");
  REQUIRE(child != nullptr);
  const bool thorough = one.find("thorough") != nullptr;
  const Run run = diagnosis::run(yaml_of(*child), lists_of(one),
                                 thorough ? kThoroughQuestions : kOperatorQuestions);
  std::string out = "asked:";
  for (const Question& question : run.asked) {
    out += " " + question.gvk.kind;
  }
  out += "\n";
  for (const Cause& cause : run.finding.causes) {
    out += "code: " + std::string(to_string(cause.code)) + "\n";
    out += "object: " + cause.object.to_string() + "\n";
    out += "summary: " + cause.summary + "\n";
    out += "details: " + cause.details + "\n";
    if (thorough) {
      print_chain(out, cause);
    }
  }
  for (const std::string& gap : run.finding.gaps) {
    out += "gap: " + gap + "\n";
  }
  const std::string* want = one.find("want");
  CHECK(out == (want == nullptr ? "" : *want));
}

const bool kRegistered = cases::register_case_files("diagnosis", &check_case);

}  // namespace
}  // namespace chartwright::diagnosis
