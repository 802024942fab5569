// SPDX-License-Identifier: Apache-2.0
#include "yaml/json_string.h"

#include <algorithm>

#include "base/unicode.h"
#include "value/json.h"
#include "yaml/nodes.h"

namespace chartwright::yaml {
namespace {

using base::Error;
using base::ErrorCode;

// A key without "? " must be followed by its colon within this many characters.
constexpr size_t kMaxKeyRunes = 1024;
constexpr std::string_view kNextLine = "\xC2\x85";

// ASCII without DEL reads back unchanged. A key must also be short enough with every
// character escaped.
bool reads_back_unchanged(std::string_view text, StringRole role) {
  constexpr size_t kSurelyShort = (kMaxKeyRunes - 2) / 6;
  return (role == StringRole::kValue || text.size() <= kSurelyShort) &&
         std::all_of(text.begin(), text.end(),
                     [](char c) { return static_cast<unsigned char>(c) < 0x7F; });
}

}  // namespace

base::Result<std::string> yaml_read_back(std::string_view text, StringRole role) {
  if (reads_back_unchanged(text, role)) {
    return std::string(text);
  }
  CW_TRY(const std::string json, value::to_json(value::Value::string(text)));
  const bool is_key = role == StringRole::kKey;
  if (is_key &&
      (json.find(kNextLine) != std::string::npos || base::rune_count(json) > kMaxKeyRunes)) {
    return Error(ErrorCode::kInvalidArgument, "yaml: did not find expected ',' or '}'");
  }
  base::Result<Document> document = read_yaml_document(json);
  if (!document.ok()) {
    return Error(ErrorCode::kInvalidArgument, document.error().message());
  }
  return std::string(document->nodes.front().text);
}

}  // namespace chartwright::yaml
