// SPDX-License-Identifier: Apache-2.0
#include "external/descriptor_set.h"

#include <cstdint>
#include <optional>
#include <set>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "go/quote.h"

namespace chartwright::external {
namespace {

using base::Error;
using base::ErrorCode;

/// A field of a message in the wire format. Source: protobuf.dev/programming-guides/encoding.
struct WireField {
  uint64_t number = 0;
  uint64_t varint = 0;     ///< For the wire type 0.
  std::string_view bytes;  ///< For the wire type 2.
};

/// Numbers of the fields that are read. Source: google/protobuf/descriptor.proto.
constexpr uint64_t kFileOfSet = 1;
constexpr uint64_t kName = 1;  // Of files, services and methods.
constexpr uint64_t kPackage = 2;
constexpr uint64_t kDependency = 3;
constexpr uint64_t kService = 6;
constexpr uint64_t kMethodOfService = 2;
constexpr uint64_t kClientStreaming = 5;
constexpr uint64_t kServerStreaming = 6;

/// Reads the fields of one message.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }

  /// Returns the next field; nullopt if the bytes are no message.
  std::optional<WireField> next() {
    const auto tag = varint();
    if (!tag || *tag >> 3 == 0) {
      return std::nullopt;
    }
    WireField field;
    field.number = *tag >> 3;
    switch (*tag & 7) {
      case 0:
        if (const auto number = varint()) {
          field.varint = *number;
          return field;
        }
        return std::nullopt;
      case 1:
        return skip(8) ? std::optional(field) : std::nullopt;
      case 2:
        return delimited(field);
      case 5:
        return skip(4) ? std::optional(field) : std::nullopt;
      default:
        return std::nullopt;  // Groups, which descriptors do not have.
    }
  }

 private:
  std::optional<uint64_t> varint() {
    uint64_t number = 0;
    for (unsigned shift = 0; shift < 64 && !rest_.empty(); shift += 7) {
      const auto byte = static_cast<uint8_t>(rest_.front());
      rest_.remove_prefix(1);
      number |= uint64_t{byte & 0x7fU} << shift;
      if (byte < 0x80) {
        return number;
      }
    }
    return std::nullopt;
  }

  bool skip(size_t count) {
    if (count > rest_.size()) {
      return false;
    }
    rest_.remove_prefix(count);
    return true;
  }

  std::optional<WireField> delimited(WireField field) {
    const auto length = varint();
    if (!length || *length > rest_.size()) {
      return std::nullopt;
    }
    field.bytes = rest_.substr(0, static_cast<size_t>(*length));
    rest_.remove_prefix(static_cast<size_t>(*length));
    return field;
  }

  std::string_view rest_;
};

/// Returns the fields of a message; nullopt if the bytes are none.
std::optional<std::vector<WireField>> fields_of(std::string_view bytes) {
  std::vector<WireField> fields;
  for (WireReader reader(bytes); !reader.at_end();) {
    auto field = reader.next();
    if (!field) {
      return std::nullopt;
    }
    fields.push_back(*field);
  }
  return fields;
}

Error no_set() { return {ErrorCode::kParse, "is no descriptor set"}; }

base::Result<std::pair<std::string, GrpcMethod>> read_method(std::string_view bytes) {
  const auto fields = fields_of(bytes);
  if (!fields) {
    return no_set();
  }
  std::pair<std::string, GrpcMethod> method;
  for (const WireField& field : *fields) {
    if (field.number == kName) {
      method.first = field.bytes;
    } else if (field.number == kClientStreaming) {
      method.second.client_streams = field.varint != 0;
    } else if (field.number == kServerStreaming) {
      method.second.server_streams = field.varint != 0;
    }
  }
  return method;
}

base::Result<std::pair<std::string, DescriptorSet::Methods>> read_service(std::string_view bytes) {
  const auto fields = fields_of(bytes);
  if (!fields) {
    return no_set();
  }
  std::pair<std::string, DescriptorSet::Methods> service;
  for (const WireField& field : *fields) {
    if (field.number == kName) {
      service.first = field.bytes;
    } else if (field.number == kMethodOfService) {
      CW_TRY(auto method, read_method(field.bytes));
      service.second.insert(std::move(method));
    }
  }
  return service;
}

/// The parts of one .proto file that are read.
struct ProtoFile {
  std::string_view name;
  std::string_view package;
  std::vector<std::string_view> imports;
  std::map<std::string, DescriptorSet::Methods, std::less<>>
      services;  ///< Services by their short names.
};

base::Result<ProtoFile> read_file(std::string_view bytes) {
  const auto fields = fields_of(bytes);
  if (!fields) {
    return no_set();
  }
  ProtoFile file;
  for (const WireField& field : *fields) {
    if (field.number == kName) {
      file.name = field.bytes;
    } else if (field.number == kPackage) {
      file.package = field.bytes;
    } else if (field.number == kDependency) {
      file.imports.push_back(field.bytes);
    } else if (field.number == kService) {
      CW_TRY(auto service, read_service(field.bytes));
      file.services.insert(std::move(service));
    }
  }
  return file;
}

/// Returns the error for a name that is not among those of `known`.
template <typename Map>
Error unknown(const std::string& problem, std::string_view name, const Map& known) {
  std::vector<std::string_view> names;
  names.reserve(known.size());
  for (const auto& [each, inner] : known) {
    names.push_back(each);
  }
  const std::string_view near = base::nearest(name, names);
  const std::string only =
      names.empty() ? "" : ", only " + base::join({names.begin(), names.end()}, ", ");
  return {ErrorCode::kNotFound,
          problem + " " + go::quote(name) +
              (near.empty() ? only : ", did you mean " + go::quote(near) + "?")};
}

}  // namespace

base::Result<DescriptorSet> DescriptorSet::parse(std::string_view bytes) {
  const auto fields = fields_of(bytes);
  if (!fields) {
    return no_set();
  }
  DescriptorSet set;
  std::set<std::string_view> names;
  std::vector<std::string_view> imports;
  for (const WireField& field : *fields) {
    if (field.number != kFileOfSet) {
      return no_set();
    }
    CW_TRY(ProtoFile file, read_file(field.bytes));
    names.insert(file.name);
    imports.insert(imports.end(), file.imports.begin(), file.imports.end());
    const std::string prefix = file.package.empty() ? "" : std::string(file.package) + ".";
    for (auto& [name, methods] : file.services) {
      set.services_.insert_or_assign(prefix + name, std::move(methods));
    }
  }
  for (std::string_view import : imports) {
    if (!names.contains(import)) {
      return Error(ErrorCode::kParse,
                   "lacks the file " + std::string(import) + ", which another one imports");
    }
  }
  return set;
}

base::Result<GrpcMethod> DescriptorSet::find(std::string_view method) const {
  const size_t slash = method.find('/');
  const std::string_view service = method.substr(0, slash);
  const auto methods = services_.find(service);
  if (methods == services_.end()) {
    return unknown("the descriptors have no service", service, services_);
  }
  const std::string_view name =
      slash == std::string_view::npos ? std::string_view() : method.substr(slash + 1);
  const auto found = methods->second.find(name);
  if (found == methods->second.end()) {
    return unknown("service " + std::string(service) + " has no method", name, methods->second);
  }
  return found->second;
}

}  // namespace chartwright::external
