// SPDX-License-Identifier: Apache-2.0
#include "helm/render/chart_schemas.h"

#include <catch2/catch.hpp>
#include <set>

namespace chartwright::helm {
namespace {

class Elsewhere final : public SchemaSource {
 public:
  base::Result<std::string> load(const std::string& /*url*/) const override { return text_; }

 private:
  std::string text_ = "from elsewhere";
};

}  // namespace

TEST_CASE("A vendored schema's path can be read") {
  CHECK(vendored_path("https://json.example/a/b.json") == "schemas/https/json.example/a/b.json");
  CHECK(vendored_path("http://json.example/a") == "schemas/http/json.example/a%.json");
  CHECK(vendored_path("http://json.example") == "schemas/http/json.example/%.json");
  CHECK(vendored_path("http://json.example:80/a.json?v=1") ==
        "schemas/http/json.example%3A80/a.json%3Fv%3D1%.json");
}

TEST_CASE("No address leads out of the folder of schemas") {
  for (const std::string url :
       {"http://h/../../x.json", "http://../x.json", "http://h/%2e%2e/x.json", "http://h//x.json",
        "http://h/..", "http:///etc/x.json", "http://h/\\..\\x.json", "..", "",
        "http://h/.git/x"}) {
    const std::string path = vendored_path(url);
    INFO(url << " " << path);
    CHECK(path.starts_with("schemas/"));
    CHECK(path.ends_with(".json"));
    CHECK(path.find("/.") == std::string::npos);
    CHECK(path.find("//") == std::string::npos);
    CHECK(path.find('\\') == std::string::npos);
  }
}

TEST_CASE("Different addresses have different files, of which none is a folder") {
  const std::vector<std::string> urls = {
      "http://h/",         "http://h//",        "http://h/a",          "http://h/a/",
      "http://h/a.json",   "http://h/a.json/",  "http://h/a.json/b",   "http://h/a%.json",
      "http://h/a/b",      "http://h/a/b.json", "http://h/A",          "http://h/a?b",
      "http://h/a?b.json", "http://h/a%3Fb",    "https://h/a",         "http://h/%/a",
      "http://h/%",        "http://h/.json",    "http://h/a.jso%6E/b", "http://h.json/a",
      "http://h.json",     "http://h/%.json/a"};
  std::set<std::string> paths;
  for (const std::string& url : urls) {
    CHECK(paths.insert(vendored_path(url)).second);
  }
  for (const std::string& path : paths) {
    const auto inside = paths.lower_bound(path + "/");
    CHECK_FALSE((inside != paths.end() && inside->starts_with(path + "/")));
  }
}

TEST_CASE("Long addresses have short paths") {
  const std::string longest = "http://h/" + std::string(2000, 'a');
  CHECK(vendored_path(longest).size() < 128);
  CHECK(vendored_path(longest) != vendored_path(longest + "b"));
  std::string deep = "http://h";
  for (int i = 0; i < 500; ++i) {
    deep += "/a";
  }
  CHECK(vendored_path(deep).size() < 128);
}

TEST_CASE("Vendored schemas come before others, and may be ignored") {
  const std::string url = "https://h/a.json";
  const std::map<std::string, std::string> files = {{vendored_path(url), "vendored"}};
  const SchemaSources only_vendored;
  CHECK(CW_MUST(ChartSchemas(files, only_vendored).load(url)) == "vendored");
  const auto missing = ChartSchemas(files, only_vendored).load("https://h/b.json");
  REQUIRE_FALSE(missing.ok());
  CHECK(missing.error().code() == base::ErrorCode::kSchema);
  CHECK(missing.error().message().find("chartwright vendor-schemas CHART") != std::string::npos);

  const auto elsewhere = std::make_shared<Elsewhere>();
  const SchemaSources both{SchemaSources::Vendored::kUsed, elsewhere};
  CHECK(CW_MUST(ChartSchemas(files, both).load(url)) == "vendored");
  CHECK(CW_MUST(ChartSchemas(files, both).load("https://h/b.json")) == "from elsewhere");
  const SchemaSources as_helm{SchemaSources::Vendored::kIgnored, elsewhere};
  CHECK(CW_MUST(ChartSchemas(files, as_helm).load(url)) == "from elsewhere");
}

}  // namespace chartwright::helm
