// SPDX-License-Identifier: Apache-2.0
#include "suite/post_render.h"

#include <algorithm>
#include <string_view>

#include "base/strings.h"

namespace chartwright::suite {
namespace {

constexpr std::string_view kSeparator = "---\n#### file:";
constexpr std::string_view kNameMark = "#### file: ";

std::string merged(const RenderedTexts& texts) {
  std::string out;
  for (const auto& [file, text] : texts) {
    out.append(kSeparator).append(" ").append(file).append("\n");
    out.append(base::trim(text)).append("\n");
  }
  return out;
}

/// Adds the file of a part that begins with a separator. A part without a name is left out.
void add_part(std::string_view part, RenderedTexts& files) {
  const size_t mark = part.find(kNameMark);
  if (mark == std::string_view::npos) {
    return;
  }
  const size_t begin = mark + kNameMark.size();
  const size_t end = std::min(part.find('\n', begin), part.size());
  const std::string name(part.substr(begin, end - begin));
  const std::string front = "---\n" + std::string(kNameMark) + name + "\n";
  files[name] = part.starts_with(front) ? part.substr(front.size()) : part;
}

RenderedTexts split(std::string_view text) {
  RenderedTexts files;
  std::string_view rest = text;
  while (!rest.empty()) {
    const size_t next = std::min(rest.find(kSeparator, 1), rest.size());
    add_part(rest.substr(0, next), files);
    rest.remove_prefix(next);
  }
  if (files.empty()) {
    files[std::string(kPostRenderedFile)] = text;
  }
  return files;
}

}  // namespace

base::Result<RenderedTexts> post_rendered(const PostRenderer& renderer, const RenderedTexts& texts,
                                          const PostRender& run) {
  if (!run) {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       renderer.pos.to_string() + ": postRenderer runs the program \"" +
                           renderer.program + "\": allow that with --allow-exec");
  }
  CW_TRY(const std::string printed, run(renderer, merged(texts)));
  return split(printed);
}

}  // namespace chartwright::suite
