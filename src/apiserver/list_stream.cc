// SPDX-License-Identifier: Apache-2.0
#include "apiserver/list_stream.h"

#include <memory>
#include <utility>

#include "value/json.h"

namespace chartwright::apiserver {
namespace {

using value::Value;
using views::ObjectPage;
using views::View;

constexpr size_t kPieceBytes = size_t{64} << 10;
constexpr size_t kObjectsAtOnceMax = 500;

std::string json_of(const Value& value) {
  return value::to_json(value, value::JsonEscape::kNone).value_or("{}");
}

}  // namespace

ListStream::ListStream(const View& view, ObjectPage page, Rendition rendition, base::WallTime now)
    : view_(view), page_(std::move(page)), rendition_(std::move(rendition)), now_(now) {}

std::optional<std::string> ListStream::next() {
  if (ended_) {
    return std::nullopt;
  }
  std::string piece;
  if (!std::exchange(begun_, true)) {
    piece = json_of(present_frame(view_, page_, rendition_));
    piece.pop_back();  // The brace, which comes after the members.
    piece += ",\"" + std::string(members_key(rendition_)) + "\":[";
  }
  for (; next_ < page_.items.size() && piece.size() < kPieceBytes; ++next_) {
    piece += next_ == 0 ? "" : ",";
    piece += json_of(present_member(view_, *page_.items[next_], rendition_, now_));
    page_.items[next_].reset();
  }
  if (next_ == page_.items.size()) {
    piece += "]}\n";
    ended_ = true;
  }
  return piece;
}

runtime::HttpReply list_reply(const View& view, ObjectPage page, const Rendition& rendition,
                              base::WallTime now) {
  runtime::HttpReply reply;
  reply.headers.emplace_back("Content-Type", "application/json");
  const bool is_short = page.items.size() <= kObjectsAtOnceMax;
  auto stream = std::make_unique<ListStream>(view, std::move(page), rendition, now);
  if (!is_short) {
    reply.stream = std::move(stream);
    return reply;
  }
  while (const auto piece = stream->next()) {
    reply.body += *piece;
  }
  return reply;
}

}  // namespace chartwright::apiserver
