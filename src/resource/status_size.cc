// SPDX-License-Identifier: Apache-2.0
#include "resource/status_size.h"

#include <cstdint>
#include <string>
#include <string_view>
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

// The part of an item that stays beside its name.
enum class Kept : uint8_t {
  kEnding,  ///< The end, and the digests with which it counts: what has ended stays so.
  kNothing,
};

Value names_of(const Value& item, Kept kept) {
  std::vector<std::string_view> keys = {"group",   "version", "kind",   "namespace", "name",
                                        "partial", "slot",    "serial", "unverified"};
  if (kept == Kept::kEnding && item.find("ended") != nullptr) {
    keys.insert(keys.end(), {"ended", "desired", "observed"});
  }
  Value names = Value::dict();
  for (std::string_view key : keys) {
    if (const Value* member = item.find(key)) {
      names.mutable_dict().set(key, *member);
    }
  }
  return names;
}

Value with_names(const Value& status, Kept kept) {
  std::vector<Value> items;
  for (const Value& item : status.items_at({"resources"})) {
    items.push_back(names_of(item, kept));
  }
  Value fitted = Value::dict();
  for (const auto& [key, member] : status.as_dict()) {
    fitted.mutable_dict().set(key, member);
  }
  fitted.mutable_dict().set("resources", Value::list(std::move(items)));
  return fitted;
}

base::Result<bool> fits(const Value& status) {
  CW_TRY(const std::string json, value::to_json(status, value::JsonEscape::kNone));
  return json.size() <= kStatusBytesMax;
}

}  // namespace

base::Result<Value> fitted_status(const Value& status) {
  if (status.items_at({"resources"}).size() < kManyResources) {
    return status;
  }
  CW_TRY(const bool fits_whole, fits(status));
  if (fits_whole) {
    return status;
  }
  Value fitted = with_names(status, Kept::kEnding);
  CW_TRY(const bool fits_with_endings, fits(fitted));
  return fits_with_endings ? std::move(fitted) : with_names(status, Kept::kNothing);
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
