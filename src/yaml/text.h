// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <forward_list>
#include <string>
#include <string_view>

namespace chartwright::yaml {

/// Texts that other objects have views into; they stay where they are when the list is moved.
using YamlTexts = std::forward_list<std::string>;

/// A text that is read piece by piece. As long as each piece lies behind the one before it, the
/// text is a view into the source, which nearly all are; escapes, folded lines and indentation
/// make a copy of it.
class YamlText {
 public:
  /// Appends a piece of the source, or a literal: something that outlives the text.
  void append(std::string_view piece) {
    if (!is_copy_ && (view_.empty() || piece.data() == view_.data() + view_.size())) {
      view_ = {view_.empty() ? piece.data() : view_.data(), view_.size() + piece.size()};
    } else if (!piece.empty()) {
      copy() += piece;
    }
  }
  void append(const YamlText& other) {
    if (other.is_copy_) {
      copy() += other.copy_;
    } else {
      append(other.view_);
    }
  }
  /// The text as a string, to append anything else.
  std::string& copy() {
    if (!is_copy_) {
      copy_.assign(view_);
      is_copy_ = true;
    }
    return copy_;
  }
  bool is_copy() const { return is_copy_; }
  /// What there is of it; invalidated by what appends.
  std::string_view view() const { return is_copy_ ? std::string_view(copy_) : view_; }

 private:
  std::string_view view_;
  std::string copy_;
  bool is_copy_ = false;
};

}  // namespace chartwright::yaml
