// SPDX-License-Identifier: Apache-2.0
#include "external/method_check.h"

#include <string_view>

#include "external/descriptor_set.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;
using yaml::DocumentNode;

/// A call of the file, and whether its reply is the list in which `select` or `adopt` choose.
struct CallKey {
  std::string_view key;
  bool lists;
};

Error misfit(const DocumentNode& node, std::string_view problem) {
  const Error located = yaml::document_error(node, problem);
  return Error(ErrorCode::kInvalidArgument, located.message()).at(node.pos);
}

/// Checks that the reply is a list where one is needed, and only there.
base::Status check_reply(const DocumentNode& call, bool lists, const GrpcMethod& method) {
  const DocumentNode& name = *call.find("call");
  const DocumentNode* items = call.find("items");
  if (method.client_streams) {
    return misfit(name, "the method is sent a stream; one that is sent one message is needed");
  }
  if (method.server_streams && lists && items != nullptr) {
    return misfit(*items, "the method replies with a stream, which is the list itself");
  }
  if (!method.server_streams && lists && items == nullptr) {
    return misfit(name,
                  "the method replies with one message; \"items\" has to say where its list is");
  }
  return {};
}

base::Status check_method(const DocumentNode& root, const CallKey& key, const DescriptorSet& set) {
  const DocumentNode* call = root.find(key.key);
  const DocumentNode* name = call != nullptr ? call->find("call") : nullptr;
  if (name == nullptr || name->text.find("{{") != std::string::npos) {
    return {};
  }
  const auto method = set.find(name->text);
  if (!method.ok()) {
    return misfit(*name, method.error().message());
  }
  CW_TRY_VOID(check_reply(*call, key.lists, *method));
  if (key.key == "observe" && !key.lists && method->server_streams) {
    return misfit(*name,
                  "the method replies with a stream, which is a list; \"select\" has to tell "
                  "which one it is");
  }
  return {};
}

}  // namespace

base::Status check_methods(const DocumentNode& root, const std::string& bytes) {
  const DocumentNode& named = *root.find("driver")->find("grpc")->find("descriptors");
  const auto set = DescriptorSet::parse(bytes);
  if (!set.ok()) {
    return misfit(named, "operator/externals/" + named.text + " " + set.error().message() +
                             "; write it with protoc --include_imports --descriptor_set_out");
  }
  const bool selects = root.find("observe")->find("select") != nullptr;
  for (const CallKey& key :
       {CallKey{"observe", selects}, CallKey{"search", true}, CallKey{"create", false},
        CallKey{"update", false}, CallKey{"delete", false}}) {
    CW_TRY_VOID(check_method(root, key, *set));
  }
  return {};
}

}  // namespace chartwright::external
