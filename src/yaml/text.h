// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <forward_list>
#include <string>
#include <string_view>

namespace chartwright::yaml {

/// Strings that other objects have views into. They do not move when the list is moved.
using Texts = std::forward_list<std::string>;

/// A text that is read piece by piece. As long as each piece directly follows the one before it in
/// the source, which is nearly always the case, the text is a view into the source. Escapes, folded
/// lines and indentation make it a copy.
class Text {
 public:
  /// Appends a piece of the source, or a literal, which must outlive the text.
  void append(std::string_view piece) {
    if (!is_copy_ && (view_.empty() || piece.data() == view_.data() + view_.size())) {
      view_ = {view_.empty() ? piece.data() : view_.data(), view_.size() + piece.size()};
    } else if (!piece.empty()) {
      copy() += piece;
    }
  }
  void append(const Text& other) {
    if (other.is_copy_) {
      copy() += other.copy_;
    } else {
      append(other.view_);
    }
  }
  /// Returns the text as a string, to which anything can be appended.
  std::string& copy() {
    if (!is_copy_) {
      copy_.assign(view_);
      is_copy_ = true;
    }
    return copy_;
  }
  bool is_copy() const { return is_copy_; }
  /// Returns the text so far. Invalidated by every append.
  std::string_view view() const { return is_copy_ ? std::string_view(copy_) : view_; }

 private:
  std::string_view view_;
  std::string copy_;
  bool is_copy_ = false;
};

}  // namespace chartwright::yaml
