// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

#include "base/result.h"

namespace chartwright::external {

/// How a method takes its requests and gives its replies.
struct GrpcMethod {
  bool client_streams = false;
  bool server_streams = false;
};

/// The services of a FileDescriptorSet, with their methods, for checks without the gRPC library.
class DescriptorSet {
 public:
  using Methods = std::map<std::string, GrpcMethod, std::less<>>;

  /// Reads what protoc --include_imports --descriptor_set_out writes. Error: kParse for other
  /// bytes, and where an imported file is missing.
  static base::Result<DescriptorSet> parse(std::string_view bytes);

  /// Returns the method "petstore.PetStore/AddPets". Error: kNotFound, with the name that may be
  /// meant.
  base::Result<GrpcMethod> find(std::string_view method) const;

 private:
  std::map<std::string, Methods, std::less<>> services_;
};

}  // namespace chartwright::external
