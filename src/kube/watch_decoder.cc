// SPDX-License-Identifier: Apache-2.0
#include "kube/watch_decoder.h"

#include <array>
#include <optional>
#include <utility>

#include "base/strings.h"
#include "kube/object_json.h"

namespace chartwright::kube {
namespace {

using base::Error;
using base::ErrorCode;

std::optional<WatchFrame::Type> frame_type(std::string_view name) {
  using Type = WatchFrame::Type;
  constexpr std::array<std::pair<std::string_view, Type>, 4> kTypes = {{
      {"ADDED", Type::kAdded},
      {"MODIFIED", Type::kModified},
      {"DELETED", Type::kDeleted},
      {"BOOKMARK", Type::kBookmark},
  }};
  for (const auto& [text, type] : kTypes) {
    if (text == name) {
      return type;
    }
  }
  return std::nullopt;
}

Error broken(const Asked& asked, std::string_view what) {
  return Error(ErrorCode::kUnavailable,
               std::string(asked.verb) + " " + asked.ref.to_string() + ": " + std::string(what));
}

}  // namespace

WatchDecoder::WatchDecoder(Asked asked, const WatchSink& sink)
    : asked_(std::move(asked)), sink_(sink) {}

base::Status WatchDecoder::feed(std::string_view chunk) {
  while (true) {
    const size_t end = chunk.find('\n');
    if (end == std::string_view::npos) {
      if (partial_.size() + chunk.size() > kMaxFrameBytes) {
        return Error(ErrorCode::kBudget,
                     "a watch event is larger than " + std::to_string(kMaxFrameBytes) + " bytes");
      }
      partial_ += chunk;
      return {};
    }
    if (partial_.empty()) {
      CW_TRY_VOID(decode(chunk.substr(0, end)));
    } else {
      partial_ += chunk.substr(0, end);
      CW_TRY_VOID(decode(partial_));
      partial_ = std::string();  // The memory of one large frame must not be held for hours.
    }
    chunk.remove_prefix(end + 1);
  }
}

base::Status WatchDecoder::finish() {
  if (base::trim(partial_).empty()) {
    return {};
  }
  // The last frame need not end with a line break if it is complete.
  const std::string last = std::exchange(partial_, std::string());
  return decode(last);
}

base::Status WatchDecoder::decode(std::string_view line) {
  if (base::trim(line).empty()) {
    return {};
  }
  auto event = kube::parse_object_json(line, ObjectDocument::kEvent);
  if (!event.ok() && event.error().code() == ErrorCode::kBudget) {
    return error_from_decoding(asked_, event.error());
  }
  if (!event.ok()) {
    return broken(asked_, "the stream broke off inside an event");
  }
  const value::Value* object = event->find("object");
  const std::string_view type = event->string_at({"type"});
  if (object == nullptr || !object->is_dict()) {
    return broken(asked_, "an event carries no object");
  }
  if (type == "ERROR") {
    return error_from_status(asked_, *object);
  }
  const auto known = frame_type(type);
  if (!known) {
    return broken(asked_, "an event is of an unknown type");
  }
  return sink_(WatchFrame{*known, *object});
}

}  // namespace chartwright::kube
