// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace chartwright::helm {

/// The comments of a values.yaml on one value and those below it.
struct Comments {
  std::string text;   ///< One line of at most kCommentMax bytes; empty: there is no comment.
  std::string usual;  ///< The default, where the authors put it in words; empty: they do not.
  std::map<std::string, Comments, std::less<>> below;

  /// Returns the comments of a member; nullptr if there are none.
  const Comments* find(std::string_view key) const;
};

/// Adds the comments of a values.yaml to `into`, unless that has others. They are the lines right
/// above each key, as helm-docs ("# -- text"), readme-generator ("## @param a.b text") and people
/// write them, else the comment behind the value; also those on values that are commented out.
/// Lines "# a.b -- text" and "## @param a.b text" count wherever they are. A file that cannot be
/// read as one document has no comments.
void add_comments(std::string_view values_file, Comments& into);

}  // namespace chartwright::helm
