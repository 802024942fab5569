// SPDX-License-Identifier: Apache-2.0
#include "bundle/chart_label.h"

#include "bundle/bundle.h"
#include "test/bundle/chart_folder.h"

namespace chartwright::bundle {
namespace {

using testing::Folder;

/// The error of a chart with that Chart.yaml, from the folder on; "none" if it loads.
std::string refusal_of(const std::string& chart_yaml) {
  const Folder folder(testing::with(testing::widget_chart(), {{"Chart.yaml", chart_yaml}}));
  const auto bundle = load_bundle(folder.path());
  if (bundle.ok()) {
    return "none";
  }
  return bundle.error().to_string().substr(folder.path().size());
}

const std::string kOtherFields = "apiVersion: v2\nversion: 0.1.0\n";
const std::string kLabelRule =
    "a label has only the characters A-Z, a-z, 0-9, \"-\", \"_\" and \".\", and begins and ends "
    "with a letter or digit";

TEST_CASE("A chart's name that can be no label is refused at its place") {
  CHECK(refusal_of(kOtherFields + "name: widget\n") == "none");
  CHECK(refusal_of(kOtherFields + "name: Widget_1.x\n") == "none");
  const std::string place = "/Chart.yaml:3:7: the chart's name ";
  const std::string why = " can be no label, by which the operator finds the chart's objects: ";
  CHECK(refusal_of(kOtherFields + "name: My Chart\n") == place + "\"My Chart\"" + why + kLabelRule);
  CHECK(refusal_of(kOtherFields + "name: \"a),nosuch in (b\"\n") ==
        place + "\"a),nosuch in (b\"" + why + kLabelRule);
  for (const std::string name : {"-a", "foo_", "foo+bar", "gro\xc3\x9f"}) {
    CAPTURE(name);
    CHECK(refusal_of(kOtherFields + "name: " + name + "\n").ends_with(kLabelRule));
  }
  CHECK(refusal_of(kOtherFields + "name: " + std::string(64, 'c') + "\n")
            .ends_with("a label has no more than 63 characters, not 64"));
}

TEST_CASE("A chart's name is its label") {
  const Folder folder(testing::widget_chart());
  CHECK(CW_MUST(load_bundle(folder.path())).chart_label.text() == "widget");
  // The rest of the file need not be in order.
  const auto label = chart_label("a b", folder.path() + "/missing");
  REQUIRE_FALSE(label.ok());
  CHECK(label.error().pos()->to_string() == folder.path() + "/missing/Chart.yaml:1:1");
}

}  // namespace
}  // namespace chartwright::bundle
