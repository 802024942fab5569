// SPDX-License-Identifier: Apache-2.0
#include "views/source_check.h"

#include <catch2/catch.hpp>

#include "test/views/discovered_kinds.h"
#include "views/view_file.h"

namespace chartwright::views {
namespace {

View view_of(const std::string& api_version, const std::string& kind,
             const std::string& resource = "") {
  return CW_MUST(
      parse_view("group: cards.example.com\nversion: v1\n"
                 "resource: {kind: Card, plural: cards" +
                     resource + "}\nsource: {apiVersion: " + api_version + ", kind: " + kind +
                     "}\nproject: 'metadata: {name: a}'\n",
                 "cards.yaml"));
}

}  // namespace

TEST_CASE("A source that is not there is told with what was meant") {
  base::ManualClock clock;
  DiscoveredKinds cluster(clock);
  cluster.add({"", "v1", "Namespace"}, "Cluster");
  cluster.add({"", "v1", "Pod"});
  cluster.add({"apps", "v1", "Deployment"});
  cluster.add({"cfg.things.example.org", "v1beta1", "Setting"});
  cluster.add({"things.example.org", "v1", "Gadget"});
  cluster.add({"things.example.org", "v2", "Tool"});
  struct Case {
    const char* api_version;
    const char* kind;
    const char* hint;
  };
  for (const Case& one : {
           Case{"v1", "Pods", ", did you mean v1, kind Pod?"},
           Case{"v1", "Deployment", ", did you mean apps/v1, kind Deployment?"},
           Case{"app/v1", "Deployment", ", did you mean apps/v1, kind Deployment?"},
           Case{"things.example.org/v1", "Tool",
                ", did you mean things.example.org/v2, kind Tool?"},
           Case{"things.example.org/v1", "Gaget",
                ", did you mean things.example.org/v1, kind Gadget?"},
           // A CRD that is missing resembles nothing.
           Case{"things.example.org/v1", "Sprocket", ""},
           Case{"other.example.org/v1", "Sprocket", ""},
           Case{"cfg.things.example.org/v1", "Sprocket", ""},
       }) {
    CAPTURE(one.api_version, one.kind);
    const base::Status checked =
        check_source(view_of(one.api_version, one.kind), cluster.mapper, {});
    REQUIRE_FALSE(checked.ok());
    CHECK(checked.error().code() == base::ErrorCode::kNotFound);
    CHECK(checked.error().to_string() ==
          "cards.yaml:4:" +
              std::to_string(std::string("source: {apiVersion: , kind: ").size() +
                             std::string(one.api_version).size() + 1) +
              ": source.kind: the API server does not serve " + one.api_version + ", kind " +
              one.kind + one.hint);
  }
}

TEST_CASE("A view with namespaces is not for a source without") {
  base::ManualClock clock;
  DiscoveredKinds cluster(clock);
  cluster.add({"", "v1", "Namespace"}, "Cluster");
  const View wrong = view_of("v1", "Namespace");
  CHECK(check_source(wrong, cluster.mapper, {}).error().code() ==
        base::ErrorCode::kInvalidArgument);
  CHECK(check_source(view_of("v1", "Namespace", ", namespaced: false"), cluster.mapper, {}).ok());
}

}  // namespace chartwright::views
