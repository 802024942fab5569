// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "defaults/credential.h"
#include "helm/chart/chart.h"
#include "helm/values/comment_text.h"
#include "helm/values/comments.h"
#include "value/value.h"

namespace chartwright::defaults {

/// Returns the comments of the values of a chart and, where it has none, of its dependencies, at
/// their places.
helm::Comments comments_of(const helm::Chart& chart);

/// A value of a chart, with what its authors say of it. It refers to what it is made of.
class DescribedValue {
 public:
  DescribedValue(const value::Value* usual, const helm::Comments* comments)
      : usual_(usual), comments_(comments) {}

  /// Returns a member, which need not exist.
  DescribedValue member(std::string_view key) const;

  /// Returns a description on one line: `own`, the words of a schema, else the comment, and the
  /// default: "Number of pods. Default: 2." A default is left out if it is long, a table or a list
  /// with members, or probably a credential; or if it is empty, and the words tell of a default.
  /// A longer comment is cut to `comment_max` bytes.
  std::string text(std::string_view own, size_t comment_max = helm::kCommentMax) const;

 private:
  std::string shown_default() const;

  const value::Value* usual_;       ///< nullptr: none.
  const helm::Comments* comments_;  ///< nullptr: none.
  Secrecy secrecy_ = Secrecy::kNone;
};

/// Returns a description without the default that `text` adds to it, if `usual` is that.
std::string_view without_default(std::string_view description, const value::Value* usual);

}  // namespace chartwright::defaults
