// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <functional>

#include "base/strings.h"
#include "helm/schema/documents.h"
#include "helm/schema/reference.h"
#include "helm/schema/schema.h"
#include "helm/schema/schema_source.h"

namespace chartwright::helm {
namespace {

using base::ErrorCode;

/// Answers from a function, and counts.
class FakeSource final : public SchemaSource {
 public:
  using Answer = std::function<base::Result<std::string>(const std::string& url)>;
  explicit FakeSource(Answer answer) : answer_(std::move(answer)) {}
  base::Result<std::string> load(const std::string& url) const override {
    ++loads;
    return answer_(url);
  }
  mutable size_t loads = 0;

 private:
  Answer answer_;
};

base::Result<Schema> compile(const std::string& json, const SchemaSource* source) {
  return Schema::compile(json, {}, source);
}

/// The number after the last '/' of a URL.
int64_t number_of(const std::string& url) {
  return base::parse_int(url.substr(url.rfind('/') + 1)).value();
}

constexpr const char* kFirst = R"({"$ref":"http://a.example/0"})";

}  // namespace

TEST_CASE("A reference is resolved as Go resolves it", "[schema]") {
  const std::string base = "http://a/b/c/d?q";
  // RFC 3986, 5.4, as far as schemas have such references.
  CHECK(join_url(base, "g") == "http://a/b/c/g");
  CHECK(join_url(base, "./g/") == "http://a/b/c/g/");
  CHECK(join_url(base, "/g") == "http://a/g");
  CHECK(join_url(base, "//g") == "http://g");
  CHECK(join_url(base, "?y") == "http://a/b/c/d?y");
  CHECK(join_url(base, "") == base);
  CHECK(join_url(base, ".") == "http://a/b/c/");
  CHECK(join_url(base, "../..") == "http://a/");
  CHECK(join_url(base, "../../../g") == "http://a/g");
  CHECK(join_url(base, "g?y/../x") == "http://a/b/c/g?y/../x");
  CHECK(join_url("http://a", "g") == "http://a/g");
  CHECK(join_url("http://a?q", "g") == "http://a/g");
  CHECK(join_url(base, "urn:x:y") == "urn:x:y");
  CHECK(join_url("file:///values.schema.json", "g.json") == "file:///g.json");
}

TEST_CASE("A document is loaded once for a compilation", "[schema]") {
  const FakeSource source([](const std::string& url) {
    CHECK(url == "http://a.example/x.json");
    return std::string(R"({"$defs":{"i":{"type":"integer"}}})");
  });
  const auto schema = compile(R"({"properties":{"a":{"$ref":"http://a.example/x.json#/$defs/i"},)"
                              R"("b":{"$ref":"http://a.example/x.json"}}})",
                              &source);
  REQUIRE(schema.ok());
  CHECK(source.loads == 1);
}

TEST_CASE("Without a source a reference to elsewhere is an error", "[schema]") {
  const auto schema = compile(kFirst, nullptr);
  REQUIRE_FALSE(schema.ok());
  CHECK(schema.error().code() == ErrorCode::kSchema);
  CHECK(schema.error().message() ==
        "failing loading \"http://a.example/0\": schemas are not loaded from elsewhere");
}

TEST_CASE("A failure that may pass keeps its code", "[schema]") {
  for (const ErrorCode code : {ErrorCode::kUnavailable, ErrorCode::kTimeout}) {
    const FakeSource source([&](const std::string&) { return base::Error(code, "down"); });
    const auto schema = compile(kFirst, &source);
    REQUIRE_FALSE(schema.ok());
    CHECK(schema.error().code() == code);
    CHECK(schema.error().message() == "failing loading \"http://a.example/0\": down");
  }
}

TEST_CASE("Documents without end are cut off", "[schema]") {
  const FakeSource source([](const std::string& url) {
    return R"({"$ref":")" + std::to_string(number_of(url) + 1) + R"("})";
  });
  const auto schema = compile(kFirst, &source);
  REQUIRE_FALSE(schema.ok());
  CHECK(schema.error().code() == ErrorCode::kBudget);
  CHECK(source.loads == SchemaDocuments::kLoadedMax);
}

TEST_CASE("The documents of one schema have a size together", "[schema]") {
  const std::string padding(size_t{4} << 20, ' ');
  const FakeSource source([&](const std::string& url) {
    return R"({"$ref":")" + std::to_string(number_of(url) + 1) + R"("})" + padding;
  });
  const auto schema = compile(kFirst, &source);
  REQUIRE_FALSE(schema.ok());
  CHECK(schema.error().code() == ErrorCode::kBudget);
  CHECK(source.loads == 4);
}

TEST_CASE("An address has a length", "[schema]") {
  const FakeSource source([](const std::string&) { return std::string("{}"); });
  const std::string url = "http://a.example/" + std::string(SchemaDocuments::kUrlBytesMax, 'a');
  const auto schema = compile(R"({"$ref":")" + url + R"("})", &source);
  REQUIRE_FALSE(schema.ok());
  CHECK(schema.error().code() == ErrorCode::kBudget);
  CHECK(source.loads == 0);
}

TEST_CASE("Only http and https are asked of a source", "[schema]") {
  const FakeSource source([](const std::string&) { return std::string("{}"); });
  for (const std::string url :
       {"file:///etc/passwd", "ftp://a.example/x", "data:,{}", "x.json", "HTTPS:a"}) {
    CHECK_FALSE(compile(R"({"$ref":")" + url + R"("})", &source).ok());
  }
  CHECK(compile(R"({"$ref":"HTTPS://a.example/x"})", &source).ok());
  CHECK(source.loads == 1);
}

}  // namespace chartwright::helm
