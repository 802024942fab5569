// SPDX-License-Identifier: Apache-2.0
#include "record/record_outcome.h"

#include <utility>

#include "record/gzip.h"
#include "value/json.h"

namespace chartwright::record {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr std::string_view kGzipMagic = "\x1f\x8b";

Error no_record() { return Error(ErrorCode::kParse, "not a Helm release record"); }

constexpr size_t base64_size(size_t bytes) { return (bytes + 2) / 3 * 4; }

/// Passes on the text of a record: of the first member if it is compressed. Returns the size of
/// what it has read.
base::Result<size_t> read(std::string_view packed, size_t text_max, const TextSink& sink) {
  if (packed.starts_with(kGzipMagic)) {
    return gunzip_pieces(packed, text_max, sink);
  }
  CW_TRY_VOID(sink(packed));  // As Helm wrote them once.
  return packed.size();
}

/// Finds the member "info" of a JSON object whose text arrives in pieces. Its end may be missing,
/// as it is in the first member of a record that has several.
class InfoFinder {
 public:
  void take(std::string_view text) {
    for (const char c : text) {
      take(c);
      ++position_;
    }
  }

  /// Where the value begins, and its text; empty if there is none, or several.
  size_t begin() const { return begin_; }
  const std::string& text() const { return text_; }
  size_t size() const { return position_; }
  /// Reports whether the text was that of an object with one "info" and a manifest.
  bool is_record() const { return count_ == 1 && has_manifest_; }

 private:
  void take(char c) {
    if (in_info_ && !ends_value(c)) {
      keep(c);
    }
    if (in_string_) {
      take_in_string(c);
    } else {
      take_outside(c);
    }
  }

  // Whether the character ends a value of the outermost object.
  bool ends_value(char c) const { return !in_string_ && depth_ == 1 && (c == ',' || c == '}'); }

  void keep(char c) {
    if (text_.size() <= kInfoBytesMax) {
      text_ += c;
    }
  }

  void take_in_string(char c) {
    if (escaped_) {
      escaped_ = false;
    } else if (c == '\\') {
      escaped_ = true;
    } else if (c == '"') {
      in_string_ = false;
      return;
    }
    if (in_key_) {
      key_ += key_.size() < kKeyMax ? std::string_view(&c, 1) : std::string_view();
    }
  }

  void take_outside(char c) {
    switch (c) {
      case '"':
        begin_string();
        break;
      case '{':
      case '[':
        ++depth_;
        break;
      case '}':
      case ']':
        in_info_ = in_info_ && depth_ != 1;
        --depth_;
        break;
      case ':':
        begin_value();
        break;
      case ',':
        end_value();
        break;
      default:
        break;
    }
  }

  void begin_string() {
    in_string_ = true;
    in_key_ = depth_ == 1 && !in_value_;
    has_manifest_ = has_manifest_ || (depth_ == 1 && in_value_ && key_ == "manifest");
    if (in_key_) {
      key_.clear();
    }
  }

  void begin_value() {
    if (depth_ != 1 || in_value_) {
      return;
    }
    in_value_ = true;
    in_key_ = false;
    if (key_ == "info") {
      in_info_ = true;
      begin_ = position_ + 1;
      ++count_;
    }
  }

  void end_value() {
    if (depth_ == 1) {
      in_value_ = false;
      in_info_ = false;
    }
  }

  static constexpr size_t kKeyMax = 16;  // Longer than those that are looked for.

  size_t position_ = 0;
  int64_t depth_ = 0;
  bool in_string_ = false;
  bool escaped_ = false;
  bool in_key_ = false;
  bool in_value_ = false;  ///< The text is that of a member of the outermost object.
  bool in_info_ = false;
  bool has_manifest_ = false;
  int count_ = 0;
  size_t begin_ = 0;
  std::string key_;
  std::string text_;
};

/// The place of the outcome in a record.
struct Place {
  size_t begin = 0;      ///< In the text.
  size_t size = 0;       ///< The bytes of the old info.
  size_t text_size = 0;  ///< The bytes of the member.
  size_t read = 0;       ///< Bytes of the record that the member has.
  std::string info;
};

base::Result<Place> find_info(std::string_view packed, size_t text_max) {
  InfoFinder finder;
  const auto size = read(packed, text_max, [&finder](std::string_view text) {
    finder.take(text);
    return base::Status();
  });
  // Nor is one that is larger than any that is written.
  const bool is_none = size.ok() ? !finder.is_record() : size.error().code() == ErrorCode::kBudget;
  if (is_none) {
    return no_record();
  }
  if (!size.ok()) {
    return size.error();
  }
  if (finder.text().size() > kInfoBytesMax) {
    return Error(ErrorCode::kBudget, "the outcome and the notes of the record have more than " +
                                         std::to_string(kInfoBytesMax) + " bytes");
  }
  return Place{finder.begin(), finder.text().size(), finder.size(), *size, finder.text()};
}

base::Result<std::optional<std::string>> edited_info(
    const std::string& text, const std::function<base::Result<bool>(RecordedOutcome&)>& edit) {
  auto info = value::parse_json(text, value::Numbers::kFloat64);
  if (!info.ok() || !info->is_dict()) {
    return no_record();
  }
  RecordedOutcome outcome{std::string(info->string_at({"status"})),
                          std::string(info->string_at({"description"}))};
  CW_TRY(const bool changes, edit(outcome));
  if (!changes) {
    return std::optional<std::string>();
  }
  info->mutable_dict().set("status", Value::string(outcome.status));
  info->mutable_dict().set("description", Value::string(outcome.description));
  CW_TRY(std::string json, value::to_json(*info, value::JsonEscape::kNone));
  return std::optional(std::move(json));
}

/// Compresses the text of a record with another info, and `end` after it.
base::Result<std::string> rewrite(std::string_view packed, const Place& place,
                                  std::string_view info, std::string_view end) {
  GzipWriter writer(place.text_size + info.size() + end.size());
  const size_t after = place.begin + place.size;
  size_t position = 0;
  const auto copy = [&](std::string_view text) -> base::Status {
    const size_t begin = std::exchange(position, position + text.size());
    if (begin < place.begin) {
      CW_TRY_VOID(writer.write(text.substr(0, place.begin - begin)));
    }
    if (begin < after && position >= after) {
      CW_TRY_VOID(writer.write(info));
    }
    if (position <= after) {
      return {};
    }
    return writer.write(text.substr(after > begin ? after - begin : 0));
  };
  CW_TRY_DISCARD(read(packed, place.text_size, copy));
  CW_TRY_VOID(writer.write(end));
  return writer.finish();
}

}  // namespace

base::Result<std::optional<std::string>> edit_outcome(
    std::string_view packed, const RecordLimits& limits,
    const std::function<base::Result<bool>(RecordedOutcome&)>& edit) {
  CW_TRY(const Place place, find_info(packed, limits.text_max));
  CW_TRY(const auto info, edited_info(place.info, edit));
  if (!info) {
    return std::optional<std::string>();
  }
  const std::string_view rest = packed.substr(place.read);
  CW_TRY(std::string edited, rewrite(packed, place, *info, {}));
  edited.append(rest);
  if (base64_size(edited.size()) > limits.bytes_max && !rest.empty()) {
    CW_TRY(edited, rewrite(packed, place, *info, limits.short_end));
  }
  if (base64_size(edited.size()) > limits.bytes_max) {
    return Error(ErrorCode::kBudget,
                 "the record does not fit a Secret: " + std::to_string(base64_size(edited.size())) +
                     " bytes compressed, at most " + std::to_string(limits.bytes_max));
  }
  return std::optional(std::move(edited));
}

bool unpacks_beyond(std::string_view packed, size_t text_max) {
  const auto read_whole =
      read(packed, text_max, [](std::string_view /*text*/) { return base::Status(); });
  return !read_whole.ok() && read_whole.error().code() == ErrorCode::kBudget;
}

}  // namespace chartwright::record
