// SPDX-License-Identifier: Apache-2.0
#include "resource/status_size.h"

#include <string>
#include <utility>
#include <vector>

#include "value/json.h"

namespace chartwright::op {
namespace {

using value::Value;

// A status with fewer resources is small whatever they say, and is not measured.
constexpr size_t kManyResources = 500;
// For the history, conditions and fields of the author.
constexpr size_t kRoomForRest = size_t{128} << 10;

Value names_of(const Value& item) {
  Value names = Value::dict();
  for (std::string_view key : {"group", "version", "kind", "namespace", "name", "partial", "slot",
                               "serial", "unverified"}) {
    if (const Value* member = item.find(key)) {
      names.mutable_dict().set(key, *member);
    }
  }
  return names;
}

}  // namespace

base::Result<Value> fitted_status(const Value& status) {
  const Value* resources = status.find("resources");
  if (resources == nullptr || !resources->is_list() ||
      resources->as_list().items.size() < kManyResources) {
    return status;
  }
  CW_TRY(const std::string json, value::to_json(status, value::JsonEscape::kNone));
  if (json.size() <= kStatusBytesMax) {
    return status;
  }
  std::vector<Value> items;
  for (const Value& item : resources->as_list().items) {
    items.push_back(names_of(item));
  }
  Value fitted = Value::dict();
  for (const auto& [key, member] : status.as_dict()) {
    fitted.mutable_dict().set(key, member);
  }
  fitted.mutable_dict().set("resources", Value::list(std::move(items)));
  return fitted;
}

base::Status check_room(size_t children, size_t bytes) {
  if (bytes + kRoomForRest <= kStatusBytesMax) {
    return {};
  }
  return base::Error(base::ErrorCode::kInvalidArgument,
                     "the release has " + std::to_string(children) + " objects, whose names take " +
                         std::to_string(bytes) + " bytes of the status; at most " +
                         std::to_string(kStatusBytesMax - kRoomForRest) +
                         " fit into the storage of the API server")
      .with_help("Split the release into several custom resources.");
}

}  // namespace chartwright::op
