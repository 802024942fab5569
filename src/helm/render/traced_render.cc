// SPDX-License-Identifier: Apache-2.0
#include "helm/render/traced_render.h"

#include <algorithm>

#include "base/unicode.h"
#include "helm/render/manifest.h"
#include "helm/render/prepare.h"

namespace chartwright::helm {

base::Status trace_files(const RenderRequest& request,
                         const std::function<bool(const std::string& path)>& wants,
                         const std::function<void(const TracedFile&)>& visit) {
  RenderInputs inputs = request.inputs;
  inputs.schema_check = SchemaCheck::kSkip;
  CW_TRY(const PreparedChart prepared, prepare(request.loaded, inputs));
  Rendering rendering(request.loaded, prepared, inputs, request.context);
  CW_TRY_VOID(rendering.parse());
  for (const std::string& path : rendering.files()) {
    tmpl::OutputTrace trace;
    const bool is_wanted = wants(path);
    CW_TRY(const std::string text, rendering.execute(path, is_wanted ? &trace : nullptr));
    if (is_wanted) {
      visit({path, text, trace, rendering});
    }
  }
  return {};
}

size_t byte_column(std::string_view text, const base::SourcePos& pos) {
  for (int line = 1; line < pos.line; ++line) {
    text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
  }
  size_t bytes = 0;
  for (int column = 1; column < pos.column && bytes < text.size() && text[bytes] != '\n';
       ++column) {
    bytes += base::decode_rune(text.substr(bytes)).size;
  }
  return pos.column > 0 ? bytes + 1 : 0;
}

// The first line may follow a separator of documents on its line.
size_t TracedDocument::column_in_file(const base::SourcePos& pos) const {
  return pos.line > 1 ? byte_column(text_, pos) : 0;
}

std::optional<base::SourcePos> TracedDocument::writer_of(const base::SourcePos& pos) const {
  const auto origin = file_.trace.origin(line_in_file(pos), column_in_file(pos));
  return origin ? std::optional(origin->frames.front().pos) : std::nullopt;
}

std::vector<tmpl::OutputTrace::Origin> TracedDocument::actions_at(
    const base::SourcePos& pos) const {
  return file_.trace.actions(line_in_file(pos), column_in_file(pos));
}

base::Status trace_documents(const RenderRequest& request,
                             const std::function<void(const TracedDocument&)>& visit) {
  const SplitRule rule = request.loaded.profile().split;
  return trace_files(
      request, [](const std::string& path) { return !path.ends_with("NOTES.txt"); },
      [&visit, rule](const TracedFile& file) {
        const auto lines_in = [](std::string_view text) {
          return static_cast<int>(std::count(text.begin(), text.end(), '\n'));
        };
        std::string_view rest = file.text;
        int line = 1;
        for (const std::string& document : split_manifests(file.text, rule)) {
          const size_t begin = rest.find(document);
          line += lines_in(rest.substr(0, begin));
          visit({file, document, line});
          line += lines_in(document);
          rest.remove_prefix(begin + document.size());
        }
      });
}

}  // namespace chartwright::helm
