// SPDX-License-Identifier: Apache-2.0
// Calls to a service whose server is a function.
#include "grpc/service.h"

#include <google/protobuf/descriptor.pb.h>

#include <catch2/catch.hpp>
#include <vector>

namespace chartwright::rpc {
namespace {

using google::protobuf::FieldDescriptorProto;

constexpr size_t kMessages = 10'000;

// Source: grpc/grpc-proto grpc/reflection/v1/reflection.proto.
constexpr char kReflection[] = "/grpc.reflection.v1.ServerReflection/ServerReflectionInfo";

// The file of a service with `message Item {string name = 1;}`, `rpc List(Item) returns (stream
// Item)` and `rpc Add(Item) returns (Item)`.
std::string shelf_file() {
  google::protobuf::FileDescriptorProto file;
  file.set_name("shelf.proto");
  file.set_package("shelf");
  file.set_syntax("proto3");
  auto* item = file.add_message_type();
  item->set_name("Item");
  auto* name = item->add_field();
  name->set_name("name");
  name->set_number(1);
  name->set_label(FieldDescriptorProto::LABEL_OPTIONAL);
  name->set_type(FieldDescriptorProto::TYPE_STRING);
  auto* service = file.add_service();
  service->set_name("Shelf");
  for (const std::string method : {"List", "Add"}) {
    auto* added = service->add_method();
    added->set_name(method);
    added->set_input_type(".shelf.Item");
    added->set_output_type(".shelf.Item");
    added->set_server_streaming(method == "List");
  }
  return file.SerializeAsString();
}

// A member of a message: its field, and up to 127 or 16383 bytes.
std::string member(int field, const std::string& bytes) {
  std::string text(1, static_cast<char>(field << 3 | 2));
  if (bytes.size() > 127) {
    text += static_cast<char>((bytes.size() & 127) | 128);
    text += static_cast<char>(bytes.size() >> 7);
  } else {
    text += static_cast<char>(bytes.size());
  }
  return text + bytes;
}

std::string item(const std::string& name) { return member(1, name); }

/// A server that answers with `items`, and notes what it gets.
struct Server {
  std::vector<std::string> items;
  std::vector<Outgoing> seen;
  bool stopped = false;  ///< From its first answer on.
  bool stops = false;

  Send send() {
    return [this](const Outgoing& outgoing) {
      seen.push_back(outgoing);
      Incoming incoming;
      if (outgoing.path == kReflection) {
        incoming.messages = {member(4, member(1, shelf_file()))};
      } else {
        stopped = stops;
        incoming.messages = items;
      }
      return incoming;
    };
  }
};

ChartwrightGrpcCall call_of(const char* method, int64_t timeout_ms = 5000) {
  return {method, R"({"name":"a"})", "Bearer x", "\"k\"", timeout_ms, nullptr, nullptr};
}

TEST_CASE("A reply may have the most messages there are, and as many bytes") {
  Server server;
  server.items = std::vector<std::string>(kMessages, item("thor"));
  Service service(server.send(), "", {size_t{4} << 20, kMessages});
  const Incoming reply = service.call(call_of("shelf.Shelf/List"));
  REQUIRE(reply.code == 0);
  CHECK(reply.message.size() == 1 + kMessages * sizeof(R"({"name":"thor"})"));
  CHECK(reply.message.starts_with(R"([{"name":"thor"},{"name":"thor"},)"));
}

TEST_CASE("A reply whose JSON is too large is refused, and one that just fits is not") {
  Server server;
  server.items = {item("thor"), item("loki")};
  const std::string json = R"([{"name":"thor"},{"name":"loki"})";
  for (const size_t more : {size_t{0}, size_t{1}}) {
    INFO(more << " bytes more");
    Service service(server.send(), "", {json.size() - 1 + more, kMessages});
    const Incoming reply = service.call(call_of("shelf.Shelf/List"));
    CHECK(reply.code == (more == 0 ? kGrpcTooLarge : 0));
  }
}

TEST_CASE("A stop ends the conversion of a reply") {
  Server server;
  server.stops = true;
  server.items = std::vector<std::string>(kMessages, item("thor"));
  Service service(server.send(), "", {size_t{4} << 20, kMessages});
  ChartwrightGrpcCall call = call_of("shelf.Shelf/List");
  call.context = &server;
  call.stopped = [](void* context) { return static_cast<Server*>(context)->stopped ? 1 : 0; };
  const Incoming reply = service.call(call);
  CHECK(reply.code == kGrpcStopped);
  CHECK_FALSE(reply.unsent);
}

TEST_CASE("The end of the timeout ends the conversion of a reply") {
  Server server;
  server.items = {item("thor")};
  Service service(server.send(), "", {size_t{4} << 20, kMessages});
  const Incoming reply = service.call(call_of("shelf.Shelf/List", -1));
  CHECK(reply.code == 4);
  CHECK_FALSE(reply.unsent);
}

TEST_CASE("Reflection and the call share one deadline") {
  Server server;
  server.items = {item("thor")};
  Service service(server.send(), "", {size_t{4} << 20, kMessages});
  const int64_t before = now_ms();
  REQUIRE(service.call(call_of("shelf.Shelf/Add")).code == 0);
  REQUIRE(server.seen.size() == 2);
  CHECK(server.seen[0].path == kReflection);
  CHECK(server.seen[0].deadline_ms == server.seen[1].deadline_ms);
  CHECK(server.seen[1].deadline_ms >= before + 5000);
  CHECK(server.seen[1].deadline_ms <= now_ms() + 5000);
}

TEST_CASE("Credentials go to the server's reflection, and the key of a create does not") {
  Server server;
  server.items = {item("thor")};
  Service service(server.send(), "", {size_t{4} << 20, kMessages});
  REQUIRE(service.call(call_of("shelf.Shelf/Add")).code == 0);
  REQUIRE(server.seen.size() == 2);
  for (const Outgoing& outgoing : server.seen) {
    CHECK(outgoing.authorization == "Bearer x");
  }
  CHECK(server.seen[0].idempotency_key.empty());
  CHECK(server.seen[1].idempotency_key == "\"k\"");
}

TEST_CASE("A call that cannot be sent is refused before it is made") {
  Server server;
  Service service(server.send(), "", {size_t{4} << 20, kMessages});
  ChartwrightGrpcCall wrong = call_of("shelf.Shelf/Add");
  wrong.body = R"({"title":"a"})";
  for (const ChartwrightGrpcCall& call : {call_of("shelf.Shelf/Remove"), wrong}) {
    const Incoming reply = service.call(call);
    CHECK(reply.code == kGrpcBadCall);
    CHECK(reply.unsent);
  }
  for (const Outgoing& outgoing : server.seen) {
    CHECK(outgoing.path == kReflection);
  }
}

}  // namespace
}  // namespace chartwright::rpc
