// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace chartwright::helm {

/// The comments of a values.yaml on one value and those below it.
struct Comments {
  std::string text;  ///< One line; empty: there is no comment.
  std::map<std::string, Comments, std::less<>> below;

  /// Returns the comments of a member; nullptr if there are none.
  const Comments* find(std::string_view key) const;
};

/// Adds the comments of a values.yaml to `into`, unless that has others. They are the lines right
/// above each key, as helm-docs ("# -- text"), readme-generator ("## @param a.b text") and people
/// write them. Values that are commented out are left out. Texts are cut to kCommentMax. A file
/// that cannot be read as one document, such as one with merge keys, has no comments.
void add_comments(std::string_view values_file, Comments& into);
inline constexpr size_t kCommentMax = 300;

}  // namespace chartwright::helm
