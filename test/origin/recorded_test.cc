// SPDX-License-Identifier: Apache-2.0
#include "origin/recorded.h"

#include <catch2/catch.hpp>

#include "test/origin/recorded_chart_files.h"
#include "value/json.h"

namespace chartwright::origin {
namespace {

using testing::manifest_of;
using testing::revision_of;
using value::testing::json;

release::DocumentSearch web_search() {
  return {{{"apps", "v1", "Deployment"}, "team", "one-web"}, "team"};
}

op::FieldPath path_of(std::string_view text) { return CW_MUST(op::FieldPath::parse(text)); }

}  // namespace

TEST_CASE("An object of a manifest is found, with the template that wrote it") {
  const auto found = recorded_object(manifest_of(2, "1"), web_search());
  REQUIRE(found);
  CHECK(found->source == "shop/templates/web.yaml");
  CHECK(found->body.find_path({"spec", "replicas"})->as_int() == 2);
  CHECK_FALSE(recorded_object("---\na: [\n---\nb: 1\n", web_search()));
  CHECK_FALSE(recorded_object("", web_search()));
}

TEST_CASE("The contents of the Secrets of a manifest are masked") {
  CHECK(secrets_in(manifest_of(2, "1")).masked("a planted-token") == "a ***");
}

TEST_CASE("A record gives back the chart, without what only its folder has") {
  const auto chart = CW_MUST(recorded_chart(revision_of(1, "{}", manifest_of(1, "1"))));
  CHECK(chart->chart().name() == "shop");
  CHECK(chart->chart().content->templates.size() == 3);
  CHECK(chart->chart().values.find("replicas") != nullptr);
}

TEST_CASE("A record without templates, or with damaged ones, says so") {
  release::Revision bare = revision_of(4, "{}", "");
  bare.chart_files = nullptr;
  CHECK(recorded_chart(bare).error().message() ==
        "the record of revision 4 does not have the templates of the chart");
  auto damaged = std::make_shared<record::PackedChart>();
  damaged->choices.emplace_back("no gzip");
  bare.chart_files = damaged;
  CHECK(recorded_chart(bare).error().code() == base::ErrorCode::kParse);
}

TEST_CASE("Whole numbers of a record are integers") {
  const auto decoded = CW_MUST(value::parse_json(R"({"a":2,"b":[0.5]})", value::Numbers::kFloat64));
  const auto read = with_integers(decoded);
  CHECK(read.find("a")->is_int());
  CHECK(read.find("b")->as_list().items.front().is_float());
}

TEST_CASE("A value is followed back to the revision that brought it") {
  SinceSearch search(web_search(), path_of("spec.replicas"));
  CHECK(search.add(revision_of(4, "{}", manifest_of(3, "2"))));
  CHECK(search.add(revision_of(3, "{}", manifest_of(3, "1"))));
  CHECK_FALSE(search.add(revision_of(2, "{}", manifest_of(2, "1"))));
  REQUIRE(search.since());
  CHECK(search.since()->revision == 3);
  CHECK(search.since()->is_certain);
}

TEST_CASE("Without an older record it is not certain which revision brought a value") {
  SinceSearch search(web_search(), path_of("spec.replicas"));
  CHECK(search.add(revision_of(4, "{}", manifest_of(3, "2"))));
  CHECK(search.since()->revision == 4);
  CHECK_FALSE(search.since()->is_certain);
  SinceSearch first(web_search(), path_of("spec.replicas"));
  CHECK_FALSE(first.add(revision_of(1, "{}", manifest_of(3, "2"))));
  CHECK(first.since()->is_certain);
}

TEST_CASE("A value of the spec is followed through the values of the records") {
  SinceSearch search(path_of("spec.image.tag"));
  CHECK(search.add(revision_of(3, R"({"image":{"tag":"2"}})", "")));
  CHECK_FALSE(search.add(revision_of(2, "{}", "")));
  CHECK(search.since()->revision == 3);
  SinceSearch none(path_of("spec.other"));
  CHECK_FALSE(none.add(revision_of(3, "{}", "")));
  CHECK_FALSE(none.since());
}

}  // namespace chartwright::origin
