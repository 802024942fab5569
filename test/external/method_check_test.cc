// SPDX-License-Identifier: Apache-2.0
#include "external/method_check.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/external/files.h"

namespace chartwright::external {
namespace {

using testing::load;

// The error of a folder with one file.
std::string refusal_of(const std::string& text,
                       const std::map<std::string, std::string>& more = {}) {
  std::map<std::string, std::string> files = more;
  files["a.yaml"] = text;
  const auto loaded = load(files);
  return loaded.ok() ? "none" : loaded.error().to_string();
}

/// A field of a message in protobuf's wire format, with a length below 128.
std::string field(int number, const std::string& bytes) {
  return std::string(1, static_cast<char>(number << 3 | 2)) +
         std::string(1, static_cast<char>(bytes.size())) + bytes;
}

/// A method of p.S: `more` has its streams.
std::string method(const std::string& name, const std::string& more = "") {
  return field(2, field(1, name) + more);
}

std::string descriptors(const std::string& import = "") {
  const std::string service = field(1, "S") + method("List", "\x30\x01") + method("Page") +
                              method("Add") + method("Upload", "\x28\x01") + method("Delete");
  const std::string file = field(1, "p.proto") + field(2, "p") +
                           (import.empty() ? "" : field(3, import)) + field(6, service);
  return field(1, file);
}

// The error of a file whose descriptors are `set`, after a replacement.
std::string method_error(std::string_view from, std::string_view to,
                         const std::string& set = descriptors()) {
  const std::string text = R"(name: pet
driver: {grpc: {address: 'localhost:1', plaintext: true, descriptors: p.binpb}}
observe: {call: p.S/List, select: '{{ eq .item.id .id }}'}
create: {call: p.S/Add, capture: '{{ .response.id }}'}
delete: {call: p.S/Delete}
)";
  REQUIRE((from.empty() || text.find(from) != std::string::npos));
  const std::string error =
      refusal_of(from.empty() ? text : base::replace_all(text, from, to), {{"p.binpb", set}});
  return error == "none" ? error : error.substr(std::string("shop/operator/externals/").size());
}

TEST_CASE("A descriptor set that cannot be read is refused where it is named") {
  const std::string place = "a.yaml:2:71: driver.grpc.descriptors: operator/externals/p.binpb ";
  const std::string advice = "; write it with protoc --include_imports --descriptor_set_out";
  CHECK(method_error("", "") == "none");
  for (const std::string& bytes :
       {std::string("x"), descriptors().substr(0, 40), descriptors() + "\x0a\x05", field(2, "a"),
        field(1, field(6, "\x0b")), std::string("\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\xff")}) {
    CHECK(method_error("", "", bytes) == place + "is no descriptor set" + advice);
  }
  CHECK(method_error("", "", descriptors("q.proto")) ==
        place + "lacks the file q.proto, which another one imports" + advice);
}

TEST_CASE("A method that the descriptors do not have is refused where it is called") {
  CHECK(
      method_error("p.S/Delete", "p.S/Deletes") ==
      "a.yaml:5:16: delete.call: service p.S has no method \"Deletes\", did you mean \"Delete\"?");
  CHECK(method_error("p.S/Add", "p.S/Create") ==
        "a.yaml:4:16: create.call: service p.S has no method \"Create\", only Add, Delete, List, "
        "Page, Upload");
  CHECK(method_error("p.S/List", "pet.Store/List") ==
        "a.yaml:3:17: observe.call: the descriptors have no service \"pet.Store\", only p.S");
  CHECK(method_error("p.S/Delete", "'p.S/{{ .Values.method }}'") == "none");
}

TEST_CASE("A method whose stream does not fit its call is refused where it is called") {
  CHECK(method_error("p.S/Add", "p.S/Upload") ==
        "a.yaml:4:16: create.call: the method is sent a stream; one that is sent one message is "
        "needed");
  CHECK(method_error(", select: '{{ eq .item.id .id }}'", "") ==
        "a.yaml:3:17: observe.call: the method replies with a stream, which is a list; \"select\" "
        "has to tell which one it is");
  CHECK(method_error("p.S/List,", "p.S/List, items: pets,") ==
        "a.yaml:3:34: observe.items: the method replies with a stream, which is the list itself");
  CHECK(method_error("p.S/List", "p.S/Page") ==
        "a.yaml:3:17: observe.call: the method replies with one message; \"items\" has to say "
        "where its list is");
  CHECK(method_error("p.S/List,", "p.S/Page, items: pets,") == "none");
}

}  // namespace
}  // namespace chartwright::external
