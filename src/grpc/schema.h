// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>

namespace google::protobuf {
class DescriptorPool;
class MethodDescriptor;
class SimpleDescriptorDatabase;
namespace util {
class TypeResolver;
}
}  // namespace google::protobuf

namespace chartwright::rpc {

/// Describes the services of one server, and converts messages. Thread-safe once filled.
class Schema {
 public:
  static constexpr char kTooLarge[] = "the reply is too large";

  Schema();
  ~Schema();
  Schema(const Schema&) = delete;
  Schema& operator=(const Schema&) = delete;

  /// Adds a FileDescriptorSet, or a single file. Returns what is wrong; "" if nothing is.
  std::string add_set(const std::string& bytes);
  std::string add_file(const std::string& bytes);
  /// Returns the name of a file that others import and that is not there; "" if there is none.
  std::string missing_file() const;

  /// Returns a method "package.Service/Method"; nullptr if there is none.
  const google::protobuf::MethodDescriptor* find(const std::string& method) const;
  /// Converts a message of that type. Returns what is wrong; "" if nothing is.
  std::string to_bytes(const std::string& type, const std::string& json, std::string& bytes) const;
  /// The JSON has every field, under its name in the descriptor. Returns kTooLarge if it has more
  /// than `bytes_max` bytes.
  std::string to_json(const std::string& type, const std::string& bytes, size_t bytes_max,
                      std::string& json) const;

 private:
  std::unique_ptr<google::protobuf::SimpleDescriptorDatabase> files_;
  std::unique_ptr<google::protobuf::DescriptorPool> pool_;
  std::unique_ptr<google::protobuf::util::TypeResolver> types_;
};

}  // namespace chartwright::rpc
