// SPDX-License-Identifier: Apache-2.0
#include "external/external.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "external/settings.h"
#include "test/external/files.h"

namespace chartwright::external {
namespace {

using testing::file;
using testing::load;

// The error of a folder with one file.
std::string error_of(const std::string& text, const std::map<std::string, std::string>& more = {}) {
  std::map<std::string, std::string> files = more;
  files["a.yaml"] = text;
  const auto loaded = load(files);
  return loaded.ok() ? "none" : loaded.error().to_string();
}

std::string changed(std::string_view from, std::string_view to) {
  const std::string text = file("zone");
  REQUIRE(text.find(from) != std::string::npos);
  return base::replace_all(text, from, to);
}

TEST_CASE("A file without externals is not read") {
  CHECK(CW_MUST(load_externals(testing::chart(), {{"status.yaml", "x"}}, "")).empty());
}

TEST_CASE("A complete file is read, with defaults") {
  const auto all = CW_MUST(load({{"a.yaml", file("zone")}}));
  REQUIRE(all.size() == 1);
  const External& zone = all.front();
  CHECK(zone.name == "zone");
  CHECK(zone.resync.text == "60s");
  CHECK(zone.timeout.text == "1s");
  CHECK(zone.deletion_policy.text == "Delete");
  CHECK(zone.keeps_sent);
  CHECK(zone.id.text == "{{ .item.id }}");
  CHECK(zone.search.call.text == "GET /items");
  CHECK_FALSE(zone.observe.call.parsed);
  CHECK(zone.select->parsed);
}

TEST_CASE("Externals come after those that they use") {
  const auto all =
      CW_MUST(load({{"a.yaml", base::replace_all(file("record"), "/items/{{ .id }}",
                                                 "/zones/{{ .External.zone.id }}/{{ .id }}")},
                    {"b.yaml", file("zone")},
                    {"c.yaml", base::replace_all(file("alias"), "POST /items",
                                                 "POST /{{ (index .External \"record\").id }}")}}));
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "zone");
  CHECK(all[1].name == "record");
  CHECK(all[2].name == "alias");
  CHECK(all[1].uses == std::set<std::string>{"zone"});
  CHECK(all[2].uses == std::set<std::string>{"record", "zone"});
}

TEST_CASE("Faults are reported with their place and what would be right") {
  using Pair = std::pair<std::string, std::string>;
  for (const auto& [text, error] : std::vector<Pair>{
           {changed("timeout: 1s", "timeou: 1s"),
            "shop/operator/externals/a.yaml:11:1: unknown key \"timeou\", did you mean "
            "\"timeout\"?"},
           {changed("timeout: 1s", "timeout: soon"),
            "shop/operator/externals/a.yaml:11:10: timeout: \"soon\" is not a duration from 10ms "
            "to "
            "1m0s, such as \"30s\""},
           {changed("http:", "htp:"),
            "shop/operator/externals/a.yaml:2:10: driver: unknown key \"htp\", did you mean "
            "\"http\"?"},
           {changed("GET /items,", "FETCH /items,"),
            "shop/operator/externals/a.yaml:3:17: observe.call: \"FETCH /items\" is not a method "
            "(GET, POST, PUT, PATCH, DELETE) and a path, such as \"PUT /pets/{{ .id }}\""},
           {changed("capture: '{{ .response.id }}'", "capture: [id]"),
            "shop/operator/externals/a.yaml:7:12: create.capture: expected a text, which may be a "
            "template; write a document as a block of text, after \"|\""},
           {changed("  capture: '{{ .response.id }}'\n", ""),
            "shop/operator/externals/a.yaml:5:3: create: missing key \"capture\""},
           {changed("delete: {call: 'DELETE /items/{{ .id }}'}\n", ""),
            "shop/operator/externals/a.yaml:1:1: missing key \"delete\"; without it, say "
            "\"deletionPolicy: Orphan\": the object stays when the custom resource is deleted"},
           {changed("name: zone", "name: a.b"),
            "shop/operator/externals/a.yaml:1:7: name: \"a.b\" is not a name: a letter, then "
            "letters, digits, \"_\" and \"-\", at most 63 in all"},
           {changed("/items/{{ .id }}", "/items/{{ .External.zone.id }}"),
            "shop/operator/externals/a.yaml:9:16: update.call: the external reads its own capture; "
            "in its own templates that is .id"},
           {changed("/items/{{ .id }}", "/items/{{ .External.zones.id }}"),
            "shop/operator/externals/a.yaml:9:16: update.call: there is no external \"zones\", did "
            "you mean \"zone\"?"},
       }) {
    CHECK(error_of(text) == error);
  }
}

TEST_CASE("A template that does not parse is reported with its place") {
  const std::string error = error_of(changed("{{ .response.id }}", "{{ .response.id"));
  INFO(error);
  CHECK(error.starts_with("shop/operator/externals/a.yaml:7:12: create.capture: parse error"));
}

TEST_CASE("Names are taken once") {
  CHECK(error_of(file("zone"), {{"b.yaml", file("zone")}}) ==
        "shop/operator/externals/b.yaml:1:7: name: there is another external \"zone\" at "
        "shop/operator/externals/a.yaml:1:7; each needs a name of its own");
}

TEST_CASE("Circles are shown") {
  const auto uses = [](const std::string& name, const std::string& other) {
    return base::replace_all(file(name), "POST /items", "POST /{{ .External." + other + ".id }}");
  };
  const std::string error =
      error_of(uses("a", "b"), {{"b.yaml", uses("b", "c")}, {"c.yaml", uses("c", "a")}});
  CHECK(error ==
        "shop/operator/externals/c.yaml:5:9: create.call: the externals depend on each other in a "
        "circle: a -> b -> c -> a; one of them has to come first");
}

TEST_CASE("A descriptor set has to be there") {
  const std::string text = R"(name: pet
driver: {grpc: {address: 'localhost:1', plaintext: true, descriptors: petstor.binpb}}
observe: {call: p.S/List, select: '{{ eq .item.id .id }}'}
create: {call: p.S/Add, capture: '{{ .response.id }}'}
delete: {call: p.S/Delete}
)";
  CHECK(error_of(text) ==
        "shop/operator/externals/a.yaml:2:71: driver.grpc.descriptors: there is no file "
        "operator/externals/petstor.binpb; name a descriptor set there, or say \"reflection\"");
  CHECK(error_of(text, {{"petstore.binpb", "x"}}) ==
        "shop/operator/externals/a.yaml:2:71: driver.grpc.descriptors: there is no file "
        "operator/externals/petstor.binpb, did you mean \"petstore.binpb\"?");
  CHECK(error_of(base::replace_all(text, "petstor.binpb", "reflection")) == "none");
  CHECK(error_of(base::replace_all(base::replace_all(text, "petstor.binpb", "reflection"),
                                   "p.S/Add", "Add"))
            .find("is not a method") != std::string::npos);
}

TEST_CASE("gRPC takes one kind of credentials, and none without TLS") {
  const auto with = [](const std::string& members) {
    return "name: pet\ndriver:\n  grpc:\n    address: localhost:1\n    descriptors: reflection\n" +
           members + R"(observe: {call: p.S/List, select: '{{ eq .item.id .id }}'}
create: {call: p.S/Add, capture: '{{ .response.id }}'}
delete: {call: p.S/Delete}
)";
  };
  const std::string basic = "    basic: {secret: s}\n";
  const std::string bearer = "    bearer: {secret: s}\n";
  CHECK(error_of(with(basic)) == "none");
  CHECK(error_of(with(bearer)) == "none");
  CHECK(error_of(with(basic + bearer)).find("there is \"bearer\" too") != std::string::npos);
  for (const std::string& credentials : {basic, bearer}) {
    CHECK(error_of(with(credentials + "    plaintext: true\n"))
              .find("gRPC sends no credentials in the clear") != std::string::npos);
  }
}

TEST_CASE("A server that is written out is checked") {
  const auto fault = [](const std::string& driver) {
    const std::string text = changed("http: {baseURL: 'http://localhost'}", driver);
    const std::string error = error_of(text);
    CHECK(error.find("s3cret") == std::string::npos);
    return error;
  };
  const std::string place = "shop/operator/externals/a.yaml:2:26: driver.http.baseURL: ";
  const std::string scheme =
      "baseURL cannot be used: it must begin with \"https://\" or \"http://\"";
  CHECK(fault("http: {baseURL: 'ftp://x'}") == place + scheme);
  CHECK(fault("http: {baseURL: not a url}") == place + scheme);
  CHECK(fault("http: {baseURL: 'https://ann:s3cret@x'}") ==
        place +
            "baseURL cannot be used: credentials belong in a Secret that \"bearer\" or \"basic\" "
            "names");
  const std::string clear =
      "baseURL is http://, over which no credentials are sent: use https://, or set \"plaintext: "
      "true\" beside them";
  CHECK(fault("http: {baseURL: 'http://x', bearer: {secret: s}}") == place + clear);
  CHECK(fault("http: {baseURL: 'http://x', basic: {secret: s}}") == place + clear);
  for (const std::string right : {
           "http: {baseURL: 'http://x', bearer: {secret: s}, plaintext: true}",
           "http: {baseURL: 'http://x', bearer: {secret: '{{ .Values.secret }}'}}",
           "http: {baseURL: 'http://localhost:1', bearer: {secret: s}}",
           "http: {baseURL: 'https://x/api', bearer: {secret: s}}",
           "http: {baseURL: '{{ .Values.url }}', bearer: {secret: s}}",
       }) {
    CHECK(fault(right) == "none");
  }
}

TEST_CASE("The address of a gRPC server is a host and a port") {
  const auto is_right = [](std::string_view address) { return check_grpc_address(address).ok(); };
  for (const char* right : {"localhost:1", "store.example.com:443", "[::1]:50051", "10.0.0.1:80",
                            "dns:///store.example.com", "unix:/run/store.sock"}) {
    CHECK(is_right(right));
  }
  for (const char* wrong : {"", "localhost", "http://localhost:1", "https://x",
                            "localhost:", "localhost:x", "localhost:70000", ":1", "a b:1"}) {
    CHECK_FALSE(is_right(wrong));
  }
  CHECK(error_of("name: pet\ndriver: {grpc: {address: 'http://localhost:1', plaintext: true, "
                 "descriptors: reflection}}\n") ==
        "shop/operator/externals/a.yaml:2:26: driver.grpc.address: the address is not "
        "\"host:port\", such as \"store.example.com:443\": it has no scheme and no path; TLS is "
        "used unless there is \"plaintext: true\"");
}

}  // namespace
}  // namespace chartwright::external
