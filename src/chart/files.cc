// SPDX-License-Identifier: Apache-2.0
#include "chart/files.h"

#include <memory>

#include "base/digest.h"
#include "base/strings.h"
#include "chart/glob.h"
#include "chart/go_path.h"
#include "value/json.h"
#include "value/yaml.h"

namespace chartwright::chart {
namespace {

using value::Value;

class Files final : public value::Native {
 public:
  explicit Files(std::shared_ptr<value::Dict> files) : files_(Value::dict(std::move(files))) {}

  std::string_view go_type() const override { return "engine.files"; }
  std::string_view go_kind() const override { return "map"; }
  bool truth() const override { return !files_.as_dict().empty(); }
  const Value* underlying() const override { return &files_; }

  /// A missing key of this map is a nil byte slice, which prints as [].
  std::optional<Value> field(std::string_view name) const override {
    const Value* found = files_.find(name);
    return found != nullptr ? *found : Value::bytes("");
  }

  int method_arity(std::string_view name) const override {
    if (name == "Get" || name == "GetBytes" || name == "Glob" || name == "Lines") {
      return 1;
    }
    return name == "AsConfig" || name == "AsSecrets" ? 0 : -1;
  }

  base::Result<Value> call(std::string_view name, std::span<const Value> args) const override {
    if (name == "AsConfig") {
      return as_yaml(Encoding::kPlain);
    }
    if (name == "AsSecrets") {
      return as_yaml(Encoding::kBase64);
    }
    if (args.empty() || !args[0].is_string()) {
      return base::Error(base::ErrorCode::kTemplate, "wrong type for value; expected string");
    }
    const std::string& path = args[0].as_string();
    if (name == "Get") {
      return Value::string(contents(path));
    }
    if (name == "GetBytes") {
      return Value::bytes(std::string(contents(path)));
    }
    return name == "Lines" ? lines(path) : glob(path);
  }

  std::string to_string() const override {
    std::string out = "map[";
    for (const auto& [name, data] : files_.as_dict()) {
      out += (out.size() > 4 ? " " : "") + name + ":[";
      bool first = true;
      for (const char byte : data.as_string()) {
        out += (first ? "" : " ") + std::to_string(static_cast<unsigned char>(byte));
        first = false;
      }
      out += ']';
    }
    return out + "]";
  }

  Value to_json_value() const override {
    Value encoded = Value::dict();
    for (const auto& [name, data] : files_.as_dict()) {
      encoded.mutable_dict().set(name, Value::string(base::base64_encode(data.as_string())));
    }
    return encoded;
  }

 private:
  enum class Encoding { kPlain, kBase64 };

  std::string_view contents(std::string_view path) const {
    const Value* found = files_.find(path);
    return found != nullptr ? std::string_view(found->as_string()) : std::string_view();
  }

  /// The files by base name, as the data of a ConfigMap or Secret.
  Value as_yaml(Encoding encoding) const {
    Value data = Value::dict(value::DictType::kString);
    for (const auto& [name, content] : files_.as_dict()) {
      const std::string& text = content.as_string();
      data.mutable_dict().set(
          base_name(name),
          Value::string(encoding == Encoding::kBase64 ? base::base64_encode(text) : text));
    }
    auto yaml = value::to_yaml(data);
    if (!yaml.ok()) {
      return Value::string("");  // as Helm's toYaml: errors are swallowed inside a template
    }
    std::string text = std::move(yaml).value();
    if (!text.empty() && text.back() == '\n') {
      text.pop_back();
    }
    return Value::string(std::move(text));
  }

  Value lines(std::string_view path) const {
    std::string_view text = contents(path);
    std::vector<Value> items;
    if (!text.empty()) {
      if (text.back() == '\n') {
        text.remove_suffix(1);
      }
      for (std::string_view line : base::split(text, '\n')) {
        items.push_back(Value::string(line));
      }
    }
    return Value::list(std::move(items), value::ListType::kString);
  }

  Value glob(std::string_view pattern) const {
    auto matched = std::make_shared<value::Dict>(value::DictType::kFiles);
    // Helm takes a malformed pattern for "**".
    const auto compiled = Glob::compile(pattern);
    for (const auto& [name, data] : files_.as_dict()) {
      if (!compiled.ok() || compiled->matches(name)) {
        matched->set(name, data);
      }
    }
    return Value::native(std::make_shared<const Files>(std::move(matched)));
  }

  Value files_;
};

}  // namespace

Value make_files_value(const std::vector<File>& files) {
  auto by_name = std::make_shared<value::Dict>(value::DictType::kFiles);
  for (const File& file : files) {
    by_name->set(file.name, Value::bytes(file.data));
  }
  return Value::native(std::make_shared<const Files>(std::move(by_name)));
}

}  // namespace chartwright::chart
