// SPDX-License-Identifier: Apache-2.0
#include "report/redaction.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "base/strings.h"
#include "defaults/credential.h"
#include "resource/annotations.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using defaults::Secrecy;
using value::Value;

constexpr std::string_view kMasked = "***";
/// No API server takes much deeper objects, but an annotation may quote one.
constexpr int kDepthMax = 100;
/// The members with the content of a Secret or a ConfigMap.
constexpr std::array<std::string_view, 3> kContents = {"data", "stringData", "binaryData"};

enum class Coding : uint8_t { kPlain, kBase64 };

Value masked_size(const Value& value, Coding coding) {
  if (!value.is_string()) {
    return Value::string(kMasked);
  }
  size_t size = value.as_string().size();
  if (coding == Coding::kBase64) {
    const auto decoded = base::base64_decode(value.as_string());
    size = decoded.ok() ? decoded->size() : size;
  }
  return Value::string(std::string(kMasked) + " (" + std::to_string(size) + " bytes)");
}

Value masked_scalar(const Value& value, Secrecy secrecy) {
  const bool is_text = value.is_string() && !value.as_string().empty();
  const bool is_secret =
      (is_text && (secrecy != Secrecy::kNone || defaults::is_credential(value.as_string()))) ||
      (value.is_number() && secrecy == Secrecy::kAll);
  return is_secret ? Value::string(kMasked) : value;
}

enum class Names : uint8_t { kCount, kIgnored };

Value masked(const Value& value, Secrecy secrecy, Names names, int depth);

/// Returns the members of a table. One with a name and a value is a variable of a container.
Value masked_table(const Value& table, Secrecy secrecy, Names names, int depth) {
  const bool is_variable = names == Names::kCount && !table.string_at({"name"}).empty();
  Value out = Value::dict();
  for (const auto& [key, member] : table.as_dict()) {
    Secrecy own = Secrecy::kNone;
    if (names == Names::kCount) {
      const bool is_value = is_variable && key == "value";
      own = is_value ? defaults::secrecy_of(table.string_at({"name"}), secrecy)
                     : defaults::secrecy_of(key, secrecy);
    }
    out.mutable_dict().set(key, masked(member, own, names, depth + 1));
  }
  return out;
}

Value masked(const Value& value, Secrecy secrecy, Names names, int depth) {
  if (depth > kDepthMax) {
    return Value::string(kMasked);
  }
  if (value.is_dict()) {
    return masked_table(value, secrecy, names, depth);
  }
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.as_list().items) {
      items.push_back(masked(item, secrecy, names, depth + 1));
    }
    return Value::list(std::move(items));
  }
  return masked_scalar(value, secrecy);
}

/// Returns the sizes of the values in the member `key` of a Secret or ConfigMap.
Value sizes_of(const Value& contents, std::string_view key, bool is_config) {
  if (!contents.is_dict()) {
    return Value::string(kMasked);
  }
  const bool is_plain = key == "stringData" || (is_config && key == "data");
  Value out = Value::dict();
  for (const auto& [name, one] : contents.as_dict()) {
    out.mutable_dict().set(name, masked_size(one, is_plain ? Coding::kPlain : Coding::kBase64));
  }
  return out;
}

/// Returns the object that an annotation quotes, without its secrets.
std::string redacted_quote(std::string_view text) {
  const auto object = value::parse_json(text, value::Numbers::kInt64);
  if (object.ok() && object->is_dict()) {
    if (auto json = value::to_json(redacted(*object), value::JsonEscape::kNone); json.ok()) {
      return *std::move(json);
    }
  }
  return std::string(kMasked);
}

Value redacted_metadata(const Value& metadata) {
  Value out = masked(metadata, Secrecy::kNone, Names::kIgnored, 0);
  const Value* annotations = metadata.find("annotations");
  const Value* quoted = annotations == nullptr ? nullptr : annotations->find(op::kLastApplied);
  if (quoted != nullptr) {
    const std::string text = quoted->is_string() ? quoted->as_string() : "";
    out.find("annotations")
        ->mutable_dict()
        .set(op::kLastApplied, Value::string(redacted_quote(text)));
  }
  return out;
}

/// Masks the manifest that helm-operator leaves in a status: it has the Secrets of the chart.
Value redacted_status(const Value& status) {
  Value out = masked(status, Secrecy::kNone, Names::kCount, 0);
  if (const Value* manifest = out.find_path({"deployedRelease", "manifest"}); manifest != nullptr) {
    const Value size = masked_size(*manifest, Coding::kPlain);
    out.find("deployedRelease")->mutable_dict().set("manifest", size);
  }
  return out;
}

bool is_contents(std::string_view key) {
  return std::ranges::find(kContents, key) != kContents.end();
}

}  // namespace

Value redacted(const Value& object) {
  if (!object.is_dict()) {
    return masked(object, Secrecy::kNone, Names::kCount, 0);
  }
  const kube::Gvk gvk = kube::gvk_of(object);
  const bool is_config = gvk.group_kind() == kube::GroupKind{"", "ConfigMap"};
  const bool has_contents = is_config || gvk.group_kind() == kube::GroupKind{"", "Secret"};
  const Names names = gvk.kind == "CustomResourceDefinition" ? Names::kIgnored : Names::kCount;
  Value out = Value::dict();
  for (const auto& [key, member] : object.as_dict()) {
    if (key == "metadata" && member.is_dict()) {
      out.mutable_dict().set(key, redacted_metadata(member));
    } else if (has_contents && is_contents(key)) {
      out.mutable_dict().set(key, sizes_of(member, key, is_config));
    } else if (key == "status" && names == Names::kCount) {
      out.mutable_dict().set(key, redacted_status(member));
    } else {
      out.mutable_dict().set(key, masked(member, Secrecy::kNone, names, 0));
    }
  }
  return out;
}

Value masked_texts(const Value& value, const host::SecretMask& mask) {
  if (value.is_dict()) {
    Value out = Value::dict();
    for (const auto& [key, member] : value.as_dict()) {
      out.mutable_dict().set(mask.masked(key), masked_texts(member, mask));
    }
    return out;
  }
  if (value.is_list()) {
    std::vector<Value> items;
    for (const Value& item : value.as_list().items) {
      items.push_back(masked_texts(item, mask));
    }
    return Value::list(std::move(items));
  }
  if (value.is_string()) {
    return Value::string(mask.masked(value.as_string()));
  }
  if (value.is_number()) {
    const std::string text = value::to_json(value).value_or("");
    return mask.masked(text) == text ? value : Value::string(kMasked);
  }
  return value;
}

void SeenSecrets::learn(const Value& secret) {
  for (const std::string_view member : {"data", "stringData"}) {
    const Value* contents = secret.find(member);
    if (contents == nullptr || !contents->is_dict()) {
      continue;
    }
    for (const auto& [key, one] : contents->as_dict()) {
      if (!one.is_string()) {
        continue;
      }
      const auto decoded = base::base64_decode(one.as_string());
      secrets_.insert(member == "data" && decoded.ok() ? *decoded : one.as_string());
    }
  }
}

void SeenSecrets::show_names(const kube::ObjectRef& ref) {
  for (const std::string& word : {ref.ns, ref.name, ref.gvk.kind, ref.gvk.group}) {
    shown_.insert(word);
  }
}

host::SecretMask SeenSecrets::mask() const {
  host::SecretMask mask;
  for (const std::string& secret : secrets_) {
    if (shown_.contains(secret)) {
      continue;
    }
    mask.add_text(base::base64_encode(secret));
    for (const std::string_view part : base::split(secret, '\n')) {
      const std::string_view line = base::trim(part);
      // A file in a Secret has lines that say nothing, such as "metadata:".
      if (!shown_.contains(line) && !line.ends_with(':')) {
        mask.add_text(line);
      }
    }
  }
  return mask;
}

}  // namespace chartwright::cmd
