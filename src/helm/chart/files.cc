// SPDX-License-Identifier: Apache-2.0
#include "helm/chart/files.h"

#include <memory>

#include "base/digest.h"
#include "base/strings.h"
#include "go/path.h"
#include "helm/chart/glob.h"
#include "helm/funcs/caches.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

using value::Value;

constexpr value::GoType kFilesType{"engine.files", value::Element::kBytes, true};

class Files final : public value::Native {
 public:
  explicit Files(std::shared_ptr<value::Dict> files)
      : files_(Value::dict(std::move(files), value::DictType(kFilesType))) {}

  std::string_view go_type() const override { return kFilesType.name; }
  std::string_view go_kind() const override { return "map"; }
  bool truth() const override { return !files_.as_dict().empty(); }
  const Value* underlying() const override { return &files_; }

  /// A missing key of this map is a nil byte slice, which prints as [].
  std::optional<Value> field(std::string_view name) const override {
    const Value* found = files_.find(name);
    return found != nullptr ? *found : Value::nil_bytes();
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

  base::Result<Value> to_json_value() const override {
    Value encoded = Value::dict();
    for (const auto& [name, data] : files_.as_dict()) {
      encoded.mutable_dict().set(name, Value::string(base::base64_encode(data.as_string())));
    }
    return encoded;
  }

 private:
  Value files_;
};

const value::Dict& dict_of(const Value& files) { return files.as_native().underlying()->as_dict(); }

std::string_view contents(const Value& files, std::string_view path) {
  const Value* found = dict_of(files).find(path);
  return found != nullptr ? std::string_view(found->as_string()) : std::string_view();
}

enum class Encoding : uint8_t { kPlain, kBase64 };

/// Returns the files by base name, as the data of a ConfigMap or Secret.
base::Result<std::string> data_yaml(tmpl::CallContext& ctx, const Value& files, Encoding encoding) {
  std::vector<value::Dict::Entry> entries;
  for (const auto& [name, content] : dict_of(files)) {
    const std::string& text = content.as_string();
    CW_TRY_VOID(ctx.budget.charge_work(sizeof(value::Dict::Entry) + name.size() + text.size()));
    entries.emplace_back(
        go::base_name(name),
        Value::string(encoding == Encoding::kBase64 ? base::base64_encode(text) : text));
  }
  const Value data =
      Value::dict(std::make_shared<value::Dict>(std::move(entries)), value::kStringDict);
  // Like Helm's toYaml, this ignores errors inside a template.
  std::string text = yaml::to_yaml(data).value_or("");
  if (text.ends_with('\n')) {
    text.pop_back();
  }
  return text;
}

std::string get(const Value& files, std::string_view path) {
  return std::string(contents(files, path));
}

Value get_bytes(const Value& files, std::string_view path) {
  return Value::bytes(get(files, path));
}

base::Result<std::string> as_config(tmpl::CallContext& ctx, const Value& files) {
  return data_yaml(ctx, files, Encoding::kPlain);
}
base::Result<std::string> as_secrets(tmpl::CallContext& ctx, const Value& files) {
  return data_yaml(ctx, files, Encoding::kBase64);
}

template <EmptyLinesRule kRule>
base::Result<Value> lines(tmpl::CallContext& ctx, const Value& files, std::string_view path) {
  std::string_view text = contents(files, path);
  CW_TRY_VOID(ctx.budget.charge_work(text.size()));
  if (kRule == EmptyLinesRule::kPanic && text.empty() && dict_of(files).find(path) != nullptr) {
    return base::Error(base::ErrorCode::kTemplate, "runtime error: index out of range [-1]");
  }
  std::vector<Value> items;
  if (!text.empty()) {
    text.remove_suffix(text.back() == '\n' ? 1 : 0);
    for (std::string_view line : base::split(text, '\n')) {
      CW_TRY_VOID(ctx.budget.charge_step());
      items.push_back(Value::string(line));
    }
  }
  return Value::list(std::move(items), value::kStringList);
}

base::Result<Value> glob(tmpl::CallContext& ctx, const Value& files, std::string_view pattern) {
  CW_TRY_VOID(ctx.budget.charge_work(Glob::compile_work(pattern.size())));
  auto matched = std::make_shared<value::Dict>();
  // Helm treats a malformed pattern as "**".
  const auto compiled = Glob::compile(pattern, funcs::caches_of(ctx).regexps);
  for (const auto& [name, data] : dict_of(files)) {
    const size_t work = compiled.ok() ? compiled->match_work(name.size()) : 0;
    CW_TRY_VOID(ctx.budget.charge_work(work + sizeof(value::Dict::Entry)));
    if (!compiled.ok() || compiled->matches(name)) {
      matched->set(name, data);
    }
  }
  return Value::native(std::make_shared<const Files>(std::move(matched)));
}

}  // namespace

Value make_files_value(const std::vector<File>& files) {
  std::vector<value::Dict::Entry> by_name;
  by_name.reserve(files.size());
  for (const File& file : files) {
    by_name.emplace_back(file.name, Value::bytes(file.data));
  }
  return Value::native(
      std::make_shared<const Files>(std::make_shared<value::Dict>(std::move(by_name))));
}

void add_file_methods(tmpl::FunctionMap& functions, EmptyLinesRule empty_lines) {
  funcs::Table methods;
  methods.add("Get", get)
      .add("GetBytes", get_bytes)
      .add("Glob", glob)
      .add("AsConfig", as_config)
      .add("AsSecrets", as_secrets);
  if (empty_lines == EmptyLinesRule::kPanic) {
    methods.add("Lines", lines<EmptyLinesRule::kPanic>);
  } else {
    methods.add("Lines", lines<EmptyLinesRule::kNoLines>);
  }
  funcs::add_methods(functions, kFilesType.name, methods);
}

}  // namespace chartwright::helm
