// SPDX-License-Identifier: Apache-2.0
#include "record/packed_chart.h"

#include <catch2/catch.hpp>

#include "base/digest.h"
#include "record/gzip.h"
#include "test/value/json_text.h"
#include "value/compare.h"

namespace chartwright::record {
namespace {

using value::Value;
using value::testing::json;

constexpr std::string_view kBegin = R"({"version":1,"chart":{"metadata":{},"values":{},)";

// The chart of a record that ends with each choice.
std::vector<Value> charts_of(const PackedChart& packed) {
  std::vector<Value> charts;
  for (const std::string& end : packed.choices) {
    const std::string record = CW_MUST(record::gzip(kBegin)) + end;
    charts.push_back(*json(CW_MUST(record::gunzip(record, 1 << 20))).find("chart"));
  }
  return charts;
}

ChartFiles sample_chart() {
  return {.lock = Value::dict({{"digest", Value::string("d")}}),
          .schema = R"({"type":"object"})",
          .templates = {{"templates/a.yaml", "a: \"{{ .Values.a }}\""}},
          .files = {{"crds/b.yaml", "kind: B"}, {"README.md", std::string_view("\xff\x00<", 3)}}};
}

}  // namespace

TEST_CASE("A chart is packed with all its files, then with fewer") {
  const auto packed = CW_MUST(pack_chart(sample_chart()));
  const std::vector<Value> charts = charts_of(*packed);
  REQUIRE(charts.size() == 2);
  const std::string templates = R"("templates":[{"data":"YTogInt7IC5WYWx1ZXMuYSB9fSI=",)"
                                R"("name":"templates/a.yaml"}])";
  const std::string all = R"({"metadata":{},"values":{},"lock":{"digest":"d"},)"
                          R"("schema":"eyJ0eXBlIjoib2JqZWN0In0=",)" +
                          templates +
                          R"(,"files":[{"name":"crds/b.yaml","data":"a2luZDogQg=="},)"
                          R"({"name":"README.md","data":"/wA8"}]})";
  CHECK(value::json_equal(charts[0], json(all)));
  CHECK(charts[1].find("files")->as_list().items.empty());
  CHECK(value::json_equal(*charts[1].find("templates"), *charts[0].find("templates")));
}

TEST_CASE("A chart without other files has one choice") {
  ChartFiles chart = sample_chart();
  chart.files.clear();
  CHECK(CW_MUST(pack_chart(chart))->choices.size() == 1);
}

TEST_CASE("A chart that cannot fit into a Secret is not compressed") {
  const std::string large(size_t{9} << 20, 'x');
  ChartFiles chart = sample_chart();
  SECTION("for its files") {
    chart.files.push_back({"large", large});
    CHECK(CW_MUST(pack_chart(chart))->choices.size() == 1);
  }
  SECTION("for its templates") {
    chart.templates.push_back({"templates/large", large});
    CHECK(CW_MUST(pack_chart(chart))->choices.empty());
  }
}

TEST_CASE("The chart of a record keeps all that it has") {
  const Value chart = json(R"({"metadata":{"name":"x"},"values":{"a":1},"lock":{"digest":"d"},)"
                           R"("templates":[{"name":"t","data":"YQ=="}],"files":null,"later":[2]})");
  const auto packed = CW_MUST(pack_chart(chart));
  REQUIRE(packed != nullptr);
  const Value again = charts_of(*packed).at(0);
  for (const std::string_view key : {"lock", "templates", "files", "later"}) {
    CHECK(value::json_equal(*again.find(key), *chart.find(key)));
  }
}

TEST_CASE("The chart of a record may have no files") {
  for (const std::string text :
       {R"({"metadata":{"name":"x"},"values":{},"lock":null,"templates":[],"files":null})", "{}",
        "null", "[]", "5"}) {
    INFO(text);
    CHECK(CW_MUST(pack_chart(json(text))) == nullptr);
  }
  CHECK(value::json_equal(json(std::string(kBegin) + std::string(end_without_files())),
                          json(R"({"version":1,"chart":{"metadata":{},"values":{},"lock":null,)"
                               R"("schema":null,"templates":[],"files":[]}})")));
}

TEST_CASE("A packed chart gives back its files") {
  const auto packed = CW_MUST(pack_chart(sample_chart()));
  const UnpackedChart chart = CW_MUST(unpack_chart(*packed));
  REQUIRE(chart.templates.size() == 1);
  CHECK(chart.templates.front().name == "templates/a.yaml");
  CHECK(chart.templates.front().data == "a: \"{{ .Values.a }}\"");
  REQUIRE(chart.files.size() == 2);
  CHECK(chart.files.back().data == std::string_view("\xff\x00<", 3));
  CHECK(CW_MUST(unpack_chart({})).templates.empty());
}

TEST_CASE("Another text than a packed chart is refused") {
  const auto refusal = [](const std::string& text) {
    return unpack_chart({{CW_MUST(gzip(text))}}).error().code();
  };
  CHECK(refusal("") == base::ErrorCode::kParse);
  CHECK(refusal("[]") == base::ErrorCode::kParse);
  CHECK(refusal("\"templates\":[{\"name\":\"a\",\"data\":\"no base64!\"}]}}") ==
        base::ErrorCode::kParse);
  CHECK(unpack_chart({{"no gzip"}}).error().code() == base::ErrorCode::kParse);
}

}  // namespace chartwright::record
