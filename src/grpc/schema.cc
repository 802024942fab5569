// SPDX-License-Identifier: Apache-2.0
#include "grpc/schema.h"

#include <google/protobuf/descriptor.h>
#include <google/protobuf/descriptor.pb.h>
#include <google/protobuf/descriptor_database.h>
#include <google/protobuf/io/zero_copy_stream_impl_lite.h>
#include <google/protobuf/util/json_util.h>
#include <google/protobuf/util/type_resolver.h>
#include <google/protobuf/util/type_resolver_util.h>

#include <algorithm>
#include <utility>
#include <vector>

namespace chartwright::rpc {
namespace {

namespace pb = google::protobuf;

constexpr char kPrefix[] = "type.googleapis.com";
constexpr size_t kFilesMax = 500;

constexpr size_t kFirstBytes = 256;

std::string url_of(const std::string& type) { return std::string(kPrefix) + "/" + type; }

/// Collects a text that grows as it is written, up to a limit.
class BoundedOutput final : public pb::io::ZeroCopyOutputStream {
 public:
  explicit BoundedOutput(size_t bytes_max) : bytes_max_(bytes_max) {}
  bool Next(void** data, int* size) override {
    const size_t before = text_.size();
    if (before >= bytes_max_) {
      is_full_ = true;
      return false;
    }
    text_.resize(std::min(bytes_max_, std::max(2 * before, kFirstBytes)));
    *data = text_.data() + before;
    *size = static_cast<int>(text_.size() - before);
    return true;
  }
  void BackUp(int count) override { text_.resize(text_.size() - static_cast<size_t>(count)); }
  int64_t ByteCount() const override { return static_cast<int64_t>(text_.size()); }
  bool is_full() const { return is_full_; }
  std::string text() && { return std::move(text_); }

 private:
  const size_t bytes_max_;
  std::string text_;
  bool is_full_ = false;
};

}  // namespace

Schema::Schema()
    : files_(std::make_unique<pb::SimpleDescriptorDatabase>()),
      pool_(std::make_unique<pb::DescriptorPool>(files_.get())),
      types_(pb::util::NewTypeResolverForDescriptorPool(kPrefix, pool_.get())) {}

Schema::~Schema() = default;

std::string Schema::add_set(const std::string& bytes) {
  pb::FileDescriptorSet set;
  if (!set.ParseFromString(bytes)) {
    return "they are no FileDescriptorSet";
  }
  for (const pb::FileDescriptorProto& file : set.file()) {
    if (!files_->Add(file)) {
      return "file " + file.name() + " is there twice, or defines what another one does";
    }
  }
  const std::string missing = missing_file();
  return missing.empty() ? "" : "file " + missing + " is missing; use protoc --include_imports";
}

std::string Schema::add_file(const std::string& bytes) {
  pb::FileDescriptorProto file;
  if (!file.ParseFromString(bytes)) {
    return "a file is not a FileDescriptorProto";
  }
  pb::FileDescriptorProto known;
  if (files_->FindFileByName(file.name(), &known)) {
    return "";
  }
  std::vector<std::string> names;
  files_->FindAllFileNames(&names);
  if (names.size() >= kFilesMax) {
    return "there are more than 500 files";
  }
  return files_->Add(file) ? "" : "file " + file.name() + " defines what another one does";
}

std::string Schema::missing_file() const {
  std::vector<std::string> names;
  files_->FindAllFileNames(&names);
  for (const std::string& name : names) {
    pb::FileDescriptorProto file;
    files_->FindFileByName(name, &file);
    for (const std::string& import : file.dependency()) {
      pb::FileDescriptorProto found;
      if (!files_->FindFileByName(import, &found)) {
        return import;
      }
    }
  }
  return "";
}

const pb::MethodDescriptor* Schema::find(const std::string& method) const {
  std::string name = method;
  const size_t slash = name.find('/');
  if (slash == std::string::npos) {
    return nullptr;
  }
  name[slash] = '.';
  return pool_->FindMethodByName(name);
}

std::string Schema::to_bytes(const std::string& type, const std::string& json,
                             std::string& bytes) const {
  const auto status =
      pb::util::JsonToBinaryString(types_.get(), url_of(type), json.empty() ? "{}" : json, &bytes);
  return status.ok() ? "" : status.ToString();
}

std::string Schema::to_json(const std::string& type, const std::string& bytes, size_t bytes_max,
                            std::string& json) const {
  pb::util::JsonPrintOptions options;
  options.always_print_primitive_fields = true;
  options.preserve_proto_field_names = true;
  pb::io::ArrayInputStream in(bytes.data(), static_cast<int>(bytes.size()));
  BoundedOutput out(bytes_max);
  const auto status = pb::util::BinaryToJsonStream(types_.get(), url_of(type), &in, &out, options);
  if (out.is_full()) {
    return kTooLarge;
  }
  json = std::move(out).text();
  return status.ok() ? "" : status.ToString();
}

}  // namespace chartwright::rpc
