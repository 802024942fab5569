// SPDX-License-Identifier: Apache-2.0
#include "kube/object_json.h"

#include <simdjson.h>

#include <utility>
#include <vector>

#include "base/ascii.h"

namespace chartwright::kube {
namespace {

namespace ondemand = simdjson::ondemand;

// Deeper documents are left to the other decoder, which does not recurse. Kubernetes objects stay
// below 30.
constexpr int kDepthMax = 200;
// Larger documents get their own buffers, which the thread does not keep.
constexpr size_t kPooledBytesMax = size_t{64} << 10;
// The members that lead from a document to the fields of managers. Users may have members of the
// same names elsewhere.
constexpr std::string_view kObjectKey = "object";
constexpr std::string_view kMetadataKey = "metadata";
constexpr std::string_view kManagersKey = "managedFields";
constexpr std::string_view kFieldsKey = "fieldsV1";
// Most maps of an object have no more members. Growing step by step costs an allocation each time.
constexpr size_t kMembersExpected = 8;

/// Where the walk is on the way to the fields of managers.
enum class Place : uint8_t { kEvent, kObject, kMetadata, kManagers, kManager, kElsewhere };

Place member_of(Place place, std::string_view key) {
  if (place == Place::kEvent && key == kObjectKey) {
    return Place::kObject;
  }
  if (place == Place::kObject && key == kMetadataKey) {
    return Place::kMetadata;
  }
  return place == Place::kMetadata && key == kManagersKey ? Place::kManagers : Place::kElsewhere;
}

/// Builds a Value from a document as the iterator walks it. Returns `false` for anything that it
/// rejects, including input that Go accepts and simdjson does not (half surrogates, whole numbers
/// that only fit a float). The caller then uses the slower decoder, which has Go's rules and
/// messages.
class Walker {
 public:
  bool walk(ondemand::value v, Place place, int depth, value::Value& out) {
    ondemand::json_type type{};
    if (depth > kDepthMax || v.type().get(type) != simdjson::SUCCESS) {
      return false;
    }
    switch (type) {
      case ondemand::json_type::object:
        return walk_object(v, place, depth, out);
      case ondemand::json_type::array:
        return walk_array(v, place, depth, out);
      case ondemand::json_type::string:
        return walk_string(v, out);
      case ondemand::json_type::number:
        return walk_number(v, out);
      case ondemand::json_type::boolean: {
        bool flag = false;
        const bool ok = v.get_bool().get(flag) == simdjson::SUCCESS;
        out = value::Value::boolean(flag);
        return ok;
      }
      case ondemand::json_type::null: {
        bool null = false;
        return v.is_null().get(null) == simdjson::SUCCESS && null;
      }
    }
    return false;
  }

  template <typename Source>  // A value, or a document.
  bool walk_object(Source& source, Place place, int depth, value::Value& out) {
    ondemand::object object;
    if (source.get_object().get(object) != simdjson::SUCCESS) {
      return false;
    }
    std::vector<value::Dict::Entry> entries;
    entries.reserve(kMembersExpected);
    for (auto member : object) {
      ondemand::field field;
      std::string_view key;
      if (std::move(member).get(field) != simdjson::SUCCESS ||
          field.unescaped_key().get(key) != simdjson::SUCCESS) {
        return false;
      }
      value::Dict::Entry& entry = entries.emplace_back(key, value::Value());
      const bool is_raw = place == Place::kManager && key == kFieldsKey;
      const Place inner = member_of(place, key);
      if (!(is_raw ? walk_raw(field.value(), entry.second)
                   : walk(field.value(), inner, depth + 1, entry.second))) {
        return false;
      }
    }
    out = value::Value::dict(std::make_shared<value::Dict>(std::move(entries)));
    return true;
  }

 private:
  bool walk_array(ondemand::value& v, Place place, int depth, value::Value& out) {
    ondemand::array array;
    if (v.get_array().get(array) != simdjson::SUCCESS) {
      return false;
    }
    const Place inner = place == Place::kManagers ? Place::kManager : Place::kElsewhere;
    std::vector<value::Value> items;
    for (auto element : array) {
      ondemand::value item;
      if (element.get(item) != simdjson::SUCCESS ||
          !walk(item, inner, depth + 1, items.emplace_back())) {
        return false;
      }
    }
    out = value::Value::list(std::move(items));
    return true;
  }

  static bool walk_string(ondemand::value& v, value::Value& out) {
    std::string_view text;
    if (v.get_string().get(text) != simdjson::SUCCESS) {
      return false;
    }
    out = value::Value::string(text);
    return true;
  }

  static bool walk_number(ondemand::value& v, value::Value& out) {
    ondemand::number number;
    if (v.get_number().get(number) != simdjson::SUCCESS) {
      return false;
    }
    if (number.is_int64()) {
      out = value::Value::integer(number.get_int64());
    } else {
      out = value::Value::number(number.is_uint64() ? static_cast<double>(number.get_uint64())
                                                    : number.get_double());
    }
    return true;
  }

  static bool walk_raw(ondemand::value v, value::Value& out) {
    ondemand::object object;
    std::string_view text;
    if (v.get_object().get(object) != simdjson::SUCCESS ||
        object.raw_json().get(text) != simdjson::SUCCESS) {
      return false;
    }
    out = value::Value::string(text);
    return true;
  }
};

// Reports whether only white space follows the document.
bool is_at_end(ondemand::document& document) {
  return document.current_location().error() == simdjson::OUT_OF_BOUNDS;
}

bool parse_with(ondemand::parser& parser, const simdjson::padded_string& text, Place root,
                value::Value& out) {
  ondemand::document document;
  return parser.iterate(text).get(document) == simdjson::SUCCESS &&
         Walker().walk_object(document, root, 0, out) && is_at_end(document);
}

bool parse_quickly(std::string_view text, Place root, value::Value& out) {
  const simdjson::padded_string padded(text);
  if (text.size() > kPooledBytesMax) {
    ondemand::parser parser;
    return parse_with(parser, padded, root, out);
  }
  thread_local ondemand::parser parser;
  return parse_with(parser, padded, root, out);
}

}  // namespace

base::Result<value::Value> parse_object_json(std::string_view text, ObjectDocument what) {
  const Place root = what == ObjectDocument::kEvent ? Place::kEvent : Place::kObject;
  // simdjson treats these two differently from Go.
  const bool plain =
      !text.starts_with(base::kByteOrderMark) && text.find('\0') == std::string_view::npos;
  value::Value object;
  if (plain && text.size() <= value::JsonLimits().max_bytes && parse_quickly(text, root, object)) {
    return object;
  }
  return value::parse_json(text, value::Numbers::kInt64);
}

value::Value decode_fields(const value::Value& fields) {
  return fields.is_string() ? parse_object_json(fields.as_string()).value_or(value::Value())
                            : fields;
}

}  // namespace chartwright::kube
