// SPDX-License-Identifier: Apache-2.0
#include "tmpl/output_trace.h"

#include <algorithm>
#include <utility>

#include "base/strings.h"

namespace chartwright::tmpl {
namespace {

// Output beyond these limits is not traced.
constexpr size_t kPiecesMax = 1'000'000;
constexpr size_t kBytesMax = size_t{64} << 20;

// Returns the line that contains offset `at`.
std::string_view line_around(std::string_view text, size_t at) {
  const size_t before = at == 0 ? std::string_view::npos : text.rfind('\n', at - 1);
  const size_t begin = before == std::string_view::npos ? 0 : before + 1;
  return text.substr(begin, text.find('\n', at) - begin);
}

// Returns the offset of the first line that equals `wanted` after trimming, without its leading
// space; npos if there is none.
size_t find_line(std::string_view text, std::string_view wanted) {
  size_t begin = 0;
  while (begin <= text.size()) {
    const size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = base::trim(text.substr(begin, end - begin));
    if (line == wanted) {
      return static_cast<size_t>(line.data() - text.data());
    }
    begin = end + 1;
  }
  return std::string_view::npos;
}

bool is_same_place(const OutputTrace::Origin& a, const OutputTrace::Origin& b) {
  const base::SourcePos& left = a.frames.front().pos;
  const base::SourcePos& right = b.frames.front().pos;
  return left.line == right.line && left.column == right.column && left.file == right.file;
}

}  // namespace

base::SourcePos source_pos(const std::string& file, std::string_view source, size_t offset) {
  const std::string_view before = source.substr(0, offset);
  const size_t newline = before.rfind('\n');
  const size_t column =
      newline == std::string_view::npos ? before.size() : before.size() - newline - 1;
  return {file, static_cast<int>(1 + std::count(before.begin(), before.end(), '\n')),
          static_cast<int>(column) + 1};
}

void OutputTrace::begin_text() {
  if (!overflowed_) {
    open_.emplace_back();
    running_.push_back(kNone);
  }
}

void OutputTrace::end_text(std::string_view text) {
  bytes_ += text.size();
  overflowed_ = overflowed_ || bytes_ > kBytesMax;
  if (overflowed_) {
    return;
  }
  running_.pop_back();
  Text complete = std::move(open_.back());
  open_.pop_back();
  complete.content = text;
  if (open_.empty()) {
    root_ = std::move(complete);
    return;
  }
  Text& outer = open_.back();
  outer.nested_until.push_back(outer.pieces.size());
  outer.nested.push_back(std::move(complete));
}

void OutputTrace::enter(const Tree& tree, const NodeRef& call) {
  if (overflowed_) {
    return;
  }
  Frame frame{tree.name, tree.parse_name, tree.source, running_.back(), 0};
  if (frame.caller != kNone) {
    frame.call = position(call);
  }
  overflowed_ = ++pieces_ > kPiecesMax;
  running_.push_back(frames_.size());
  frames_.push_back(std::move(frame));
}

void OutputTrace::leave() {
  if (!overflowed_) {
    running_.pop_back();
  }
}

void OutputTrace::wrote(size_t bytes, const NodeRef& node, std::vector<Operand> operands) {
  overflowed_ = overflowed_ || ++pieces_ > kPiecesMax;
  if (overflowed_ || bytes == 0) {
    return;
  }
  Text& text = open_.back();
  text.length += bytes;
  Piece piece{text.length, running_.back(), position(node), false, std::move(operands)};
  if (const auto* written = std::get_if<const tmpl::Text*>(&node)) {
    piece.is_text = true;
    piece.offset =
        static_cast<size_t>((*written)->text.data() - frames_[piece.frame].source->data());
  } else {
    // The position of an action is that of its first word, not of the space before it.
    piece.offset = std::min(frames_[piece.frame].source->find_first_not_of(" \t\r\n", piece.offset),
                            frames_[piece.frame].source->size());
  }
  text.pieces.push_back(std::move(piece));
}

std::optional<OutputTrace::Span> OutputTrace::span_of(std::string_view content, size_t line) {
  size_t begin = 0;
  for (size_t at = 1; at < line; ++at) {
    begin = content.find('\n', begin);
    if (begin == std::string_view::npos) {
      return std::nullopt;
    }
    ++begin;
  }
  return Span{begin, std::min(content.find('\n', begin), content.size())};
}

size_t OutputTrace::offset_of(const std::string& content, const Span& line, size_t column) {
  const size_t at = column == 0 ? std::min(content.find_first_not_of(" \t", line.begin), line.end)
                                : line.begin + column - 1;
  return std::min(at, line.end > line.begin ? line.end - 1 : line.end);
}

std::vector<OutputTrace::Piece>::const_iterator OutputTrace::piece_at(const Text& text, size_t at) {
  return std::upper_bound(text.pieces.begin(), text.pieces.end(), at,
                          [](size_t offset, const Piece& each) { return offset < each.end; });
}

std::optional<OutputTrace::Origin> OutputTrace::origin(size_t line, size_t column) const {
  if (overflowed_ || !root_ || root_->pieces.empty()) {
    return std::nullopt;
  }
  const auto span = span_of(root_->content, line);
  Origin found;
  return span && place(*root_, offset_of(root_->content, *span, column), found)
             ? std::optional(std::move(found))
             : std::nullopt;
}

std::vector<OutputTrace::Origin> OutputTrace::actions(size_t line, size_t column) const {
  std::vector<Origin> actions;
  const auto span = overflowed_ || !root_ ? std::nullopt : span_of(root_->content, line);
  if (!span) {
    return actions;
  }
  constexpr size_t kStepsMax = 512;
  size_t at = offset_of(root_->content, *span, column);
  for (size_t step = 0; at < span->end && step < kStepsMax; ++step) {
    const auto piece = piece_at(*root_, at);
    Origin found;
    if (piece == root_->pieces.end() || !place(*root_, at, found)) {
      break;
    }
    const auto index = static_cast<size_t>(piece - root_->pieces.begin());
    // A line of an included text may have several pieces itself.
    const bool is_nested = !piece->is_text && !is_same_place(found, origin_of(*piece));
    if (is_nested && !found.is_text) {
      add_action(std::move(found), actions);
    } else if (!piece->is_text && !is_nested) {
      add_actions(*root_, index, actions);
    }
    at = is_nested ? at + 1 : piece->end;
  }
  return actions;
}

void OutputTrace::add_action(Origin action, std::vector<Origin>& actions) {
  const bool is_known = std::any_of(actions.begin(), actions.end(), [&](const Origin& known) {
    return is_same_place(known, action);
  });
  if (!is_known && actions.size() < kActionsMax) {
    actions.push_back(std::move(action));
  }
}

OutputTrace::Origin OutputTrace::origin_of(const Piece& piece) const {
  Origin origin;
  origin.operands = piece.operands;
  add_frames(piece, origin);
  return origin;
}

// Adds the action of a piece, and those that wrote the texts that it includes.
void OutputTrace::add_actions(const Text& text, size_t piece, std::vector<Origin>& actions) const {
  add_action(origin_of(text.pieces[piece]), actions);
  const auto first = std::lower_bound(text.nested_until.begin(), text.nested_until.end(), piece);
  for (auto at = first; at != text.nested_until.end() && *at == piece; ++at) {
    const Text& inner = text.nested[static_cast<size_t>(at - text.nested_until.begin())];
    for (size_t i = 0; i < inner.pieces.size() && actions.size() < kActionsMax; ++i) {
      if (!inner.pieces[i].is_text) {
        add_actions(inner, i, actions);
      }
    }
  }
}

bool OutputTrace::place(const Text& text, size_t at, Origin& origin) const {
  const auto piece = piece_at(text, at);
  if (piece == text.pieces.end()) {
    return false;
  }
  if (!piece->is_text) {
    const std::string_view line = base::trim(line_around(text.content, at));
    const auto begin = static_cast<size_t>(line.data() - text.content.data());
    place_nested(text, static_cast<size_t>(piece - text.pieces.begin()),
                 {line, at > begin ? at - begin : 0}, origin);
  }
  if (origin.frames.empty()) {
    origin.operands = piece->operands;
    origin.is_text = piece->is_text;
  }
  if (piece->is_text) {
    // In literal text every byte has its own position.
    const size_t begin = piece == text.pieces.begin() ? 0 : std::prev(piece)->end;
    Piece exact = *piece;
    exact.offset += at - begin;
    add_frames(exact, origin);
  } else {
    add_frames(*piece, origin);
  }
  return true;
}

// Searches the texts produced for this piece first, then earlier ones, whose output may have been
// kept in a variable.
void OutputTrace::place_nested(const Text& text, size_t piece, const Line& line,
                               Origin& origin) const {
  for (size_t i = text.nested.size(); i > 0 && !line.text.empty(); --i) {
    if (text.nested_until[i - 1] > piece) {
      continue;
    }
    const Text& inner = text.nested[i - 1];
    const size_t at = find_line(inner.content, line.text);
    if (at != std::string_view::npos &&
        place(inner, at + std::min(line.at, line.text.size() - 1), origin)) {
      return;
    }
  }
}

void OutputTrace::add_frames(const Piece& piece, Origin& origin) const {
  size_t offset = piece.offset;
  for (size_t at = piece.frame; at != kNone; at = frames_[at].caller) {
    const Frame& frame = frames_[at];
    origin.frames.push_back({source_pos(frame.file, *frame.source, offset), frame.name});
    offset = frame.call;
  }
}

}  // namespace chartwright::tmpl
