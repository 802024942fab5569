// SPDX-License-Identifier: Apache-2.0
#include "fields/projection.h"

#include <algorithm>
#include <variant>

#include "base/digest.h"
#include "base/json_text.h"
#include "fields/manager.h"
#include "kube/object_json.h"
#include "kube/quantity.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::fields {
namespace {

using value::Value;

// The status has two digests per child: 128 bits suffice to detect a change, in half the bytes.
constexpr size_t kDigestChars = 32;
// The API server's limit on object depth is far lower; this only protects our own stack.
constexpr int kProjectionDepthMax = 256;

std::string digest_of(std::string_view text) {
  return base::sha256_hex(text).substr(0, kDigestChars);
}

void append_json(const Value& v, std::string& out) {
  if (v.is_string()) {  // Most leaves; saves them a temporary string.
    base::append_json_string(out, v.as_string(), value::JsonEscape::kNone);
    return;
  }
  auto text = value::to_json(v, value::JsonEscape::kNone);
  // Values decoded from JSON can always be encoded; anything else must still change the digest.
  out += text.ok() ? *text : "!" + text.error().message();
}

void project(const Value& fields, const Value* live, int depth, std::string& out);

// Reports whether an item of an associative list has these key fields.
bool has_keys(const Value& item, const Value& keys) {
  const auto has = [&item](const auto& key) {
    const Value* found = item.find(key.first);
    return found != nullptr && value::json_equal(*found, key.second);
  };
  return std::all_of(keys.as_dict().begin(), keys.as_dict().end(), has);
}

// `k:{"name":"a"}`: the items of an associative list whose key fields have these values. A live
// object may have duplicates; all of them count, in order.
void project_keyed_items(std::string_view key_json, const Value& fields, const Value* live,
                         int depth, std::string& out) {
  auto keys = value::parse_json(key_json, value::Numbers::kInt64);
  if (!keys.ok() || !keys->is_dict() || live == nullptr || !live->is_list()) {
    out += "absent;";
    return;
  }
  for (const Value& item : live->as_list().items) {
    if (has_keys(item, *keys)) {
      project(fields, &item, depth + 1, out);
    }
  }
}

// `v:"x"`: membership in a set of scalars.
void project_set_item(std::string_view item_json, const Value* live, std::string& out) {
  auto wanted = value::parse_json(item_json, value::Numbers::kInt64);
  bool present = false;
  if (wanted.ok() && live != nullptr && live->is_list()) {
    for (const Value& item : live->as_list().items) {
      present = present || value::json_equal(item, *wanted);
    }
  }
  out += present ? "in;" : "out;";
}

void project(const Value& fields, const Value* live, int depth, std::string& out) {
  if (!fields.is_dict() || fields.as_dict().empty() || depth > kProjectionDepthMax) {
    // A leaf of the set: a scalar, an atomic list or map, or an empty granular map. The grammar
    // does not distinguish them; the whole subtree is a safe over-approximation.
    if (live == nullptr) {
      out += "absent;";
    } else {
      append_json(*live, out);
      out += ';';
    }
    return;
  }
  for (const auto& [key, inner] : fields.as_dict()) {
    out += key;
    out += '=';
    if (key.starts_with("f:")) {
      const Value* member = live == nullptr ? nullptr : live->find(std::string_view(key).substr(2));
      project(inner, member, depth + 1, out);
    } else if (key.starts_with("k:")) {
      project_keyed_items(std::string_view(key).substr(2), inner, live, depth, out);
    } else if (key.starts_with("v:")) {
      project_set_item(std::string_view(key).substr(2), live, out);
    } else if (key == ".") {
      out += live == nullptr ? "absent;" : "here;";
    }
  }
}

bool is_applied(const Value& entry) {
  return entry.string_at({"operation"}) == "Apply" && entry.string_at({"subresource"}).empty();
}

const Value* own_entry(const Value& object, std::string_view manager) {
  for (const Value& entry : object.items_at({"metadata", "managedFields"})) {
    if (entry.string_at({"manager"}) == manager && is_applied(entry)) {
      return &entry;
    }
  }
  return nullptr;
}

// Returns nullopt where the fields are those of another version of the kind.
std::optional<std::string> digest_of_entry(const Value& object, const Value& entry,
                                           const Value& fields) {
  if (fields.is_nil() || entry.string_at({"apiVersion"}) != object.string_at({"apiVersion"})) {
    return std::nullopt;
  }
  std::string text;
  project(fields, &object, 0, text);
  return digest_of(text);
}

// Nil if there are none.
Value fields_of_entry(const Value& entry) {
  const Value* fields = entry.find("fieldsV1");
  return fields == nullptr ? Value() : kube::decode_fields(*fields);
}

// Returns the fields of a list's item among those of the list, or nullptr.
const Value* fields_of_item(const Value& fields, const Value& item) {
  for (const auto& [key, inner] : fields.as_dict()) {
    const bool keyed = key.starts_with("k:");
    if (!keyed && !key.starts_with("v:")) {
      continue;
    }
    const auto wanted = value::parse_json(std::string_view(key).substr(2), value::Numbers::kInt64);
    if (!wanted.ok()) {
      continue;
    }
    if (keyed ? wanted->is_dict() && has_keys(item, *wanted) : value::json_equal(item, *wanted)) {
      return &inner;
    }
  }
  return nullptr;
}

// Reports whether a set of fields of `object` contains that at `path`, or one that contains it
// whole.
bool contains_field(const Value& all, const Value& object, const value::Path& path) {
  const Value* fields = &all;
  const Value* live = &object;
  for (const value::Path::Step& step : path.steps()) {
    if (!fields->is_dict() || fields->as_dict().empty()) {
      return fields != &all;  // The whole of it.
    }
    live = value::Path({step}).get(*live);
    if (live == nullptr) {
      return false;
    }
    const auto* name = std::get_if<std::string>(&step);
    fields = name != nullptr ? fields->find("f:" + *name) : fields_of_item(*fields, *live);
    if (fields == nullptr) {
      return false;
    }
  }
  return true;
}

bool same_scalar(const Value& a, const Value& b) {
  if (value::json_equal(a, b)) {
    return true;
  }
  // The API server may rewrite quantities: "2Gi" and "2048Mi" are equal, and so are 1 and "1".
  auto qa = kube::Quantity::from_value(a);
  auto qb = kube::Quantity::from_value(b);
  return qa.ok() && qb.ok() && *qa == *qb;
}

}  // namespace

std::optional<std::string> projection_digest(const Value& object, std::string_view manager) {
  const Value* entry = own_entry(object, manager);
  return entry == nullptr ? std::nullopt : digest_of_entry(object, *entry, fields_of_entry(*entry));
}

OurFields our_fields(const Value& object, const std::optional<value::Path>& mark) {
  OurFields found;
  for (const Value& entry : object.items_at({"metadata", "managedFields"})) {
    const std::string_view manager = entry.string_at({"manager"});
    if (!is_our_manager(manager)) {
      continue;
    }
    const Value fields = fields_of_entry(entry);
    if (is_applied(entry)) {
      found.parts.push_back(
          {std::string(manager), digest_of_entry(object, entry, fields).value_or("")});
    }
    found.has_mark = found.has_mark || (mark && contains_field(fields, object, *mark));
  }
  std::ranges::sort(found.parts, {}, &AppliedPart::manager);
  return found;
}

bool owns_field(const Value& object, std::string_view manager, const value::Path& path) {
  const Value* entry = own_entry(object, manager);
  const Value* fields = entry == nullptr ? nullptr : entry->find("fieldsV1");
  return fields != nullptr && contains_field(kube::decode_fields(*fields), object, path);
}

const Value* find_item(const Value& list, std::string_view key) {
  const bool keyed = key.starts_with("k:");
  if (!list.is_list() || (!keyed && !key.starts_with("v:"))) {
    return nullptr;
  }
  const auto wanted = value::parse_json(key.substr(2), value::Numbers::kInt64);
  if (!wanted.ok() || (keyed && !wanted->is_dict())) {
    return nullptr;
  }
  const auto found = std::ranges::find_if(list.as_list().items, [&](const Value& item) {
    return keyed ? has_keys(item, *wanted) : value::json_equal(item, *wanted);
  });
  return found == list.as_list().items.end() ? nullptr : &*found;
}

FieldManagers::FieldManagers(const Value& object) : object_(object) {
  const Value* entries = object.find_path({"metadata", "managedFields"});
  if (entries == nullptr || !entries->is_list()) {
    return;
  }
  for (const Value& entry : entries->as_list().items) {
    if (const Value* fields = entry.find("fieldsV1")) {
      entries_.push_back({&entry, kube::decode_fields(*fields)});
    }
  }
}

std::vector<const Value*> FieldManagers::entries_of(const value::Path& path) const {
  std::vector<const Value*> found;
  for (const Entry& each : entries_) {
    if (contains_field(each.fields, object_, path)) {
      found.push_back(each.entry);
    }
  }
  return found;
}

std::vector<std::string> FieldManagers::of(const value::Path& path) const {
  std::vector<std::string> managers;
  for (const Value* entry : entries_of(path)) {
    const std::string manager(entry->string_at({"manager"}));
    if (std::ranges::find(managers, manager) == managers.end()) {
      managers.push_back(manager);
    }
  }
  return managers;
}

std::string desired_digest(const Value& object) {
  std::string text;
  append_json(object, text);
  return digest_of(text);
}

bool already_holds(const Value& live, const Value& partial) {
  if (!partial.is_dict()) {
    return same_scalar(live, partial);
  }
  for (const auto& [key, wanted] : partial.as_dict()) {
    const Value* found = live.find(key);
    if (found == nullptr || !already_holds(*found, wanted)) {
      return false;
    }
  }
  return true;
}

}  // namespace chartwright::fields
