// SPDX-License-Identifier: Apache-2.0
#include "helm/render/traced_render.h"

#include <algorithm>

#include "base/unicode.h"
#include "helm/render/diagnosis.h"
#include "helm/render/manifest.h"
#include "helm/render/prepare.h"
#include "value/compare.h"
#include "yaml/locate.h"

namespace chartwright::helm {
namespace {

using value::Path;
using value::Value;
using Steps = std::vector<Path::Step>;

constexpr size_t kReadsMax = 16;
constexpr size_t kPlacesMax = 4;

/// Returns ".Values.image.tag", or `.Values["a.b"]`.
std::string values_name(const Steps& path) {
  const std::string text = Path(path).to_string();
  return ".Values" + (text.starts_with('[') ? text : "." + text);
}

/// Extends the path of a table to the member of it that the field is: the longest end of the
/// field's path that leads to the same value there.
void go_down(const RenderedField& field, Steps& path, Value& found) {
  for (size_t length = field.steps.size(); length > 0; --length) {
    const Steps end(field.steps.end() - static_cast<std::ptrdiff_t>(length), field.steps.end());
    const Value* member = Path(end).get(found);
    if (member != nullptr && value::json_equal(*member, field.value)) {
      path.insert(path.end(), end.begin(), end.end());
      found = Value(*member);
      return;
    }
  }
}

void add_place(const base::SourcePos& pos, std::vector<base::SourcePos>& places) {
  const bool is_known = std::ranges::any_of(places, [&pos](const base::SourcePos& other) {
    return other.file == pos.file && other.line == pos.line;
  });
  if (!is_known && places.size() < kPlacesMax) {
    places.push_back(pos);
  }
}

}  // namespace

base::Status trace_files(const RenderRequest& request,
                         const std::function<bool(const std::string& path)>& wants,
                         const std::function<void(const TracedFile&)>& visit) {
  RenderInputs inputs = request.inputs;
  inputs.schema_check = SchemaCheck::kSkip;
  CW_TRY(const PreparedChart prepared, prepare(request.loaded, inputs));
  return trace_files(request, prepared, wants, visit);
}

base::Status trace_files(const RenderRequest& request, const PreparedChart& prepared,
                         const std::function<bool(const std::string& path)>& wants,
                         const std::function<void(const TracedFile&)>& visit) {
  Rendering rendering(request.loaded, prepared, request.inputs, request.context);
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

// A table is searched once, however many fields read it.
std::optional<Steps> LineReader::path_of(const tmpl::Operand& operand) {
  if (!operand.holder.is_dict()) {
    return std::nullopt;
  }
  const auto [known, is_new] = holders_.try_emplace(&operand.holder.as_dict());
  if (is_new) {
    known->second = path_among_values(operand, document_.rendering().scope());
    if (known->second) {
      known->second->pop_back();
    }
  }
  std::optional<Steps> path = known->second;
  if (path) {
    path->emplace_back(operand.key);
  }
  return path;
}

ReadOperand LineReader::read_of(const tmpl::Operand& operand, const RenderedField& field) {
  ReadOperand read;
  auto path = path_of(operand);
  if (!path) {
    read.name = operand.text;
    return read;
  }
  Value found = operand.found;
  const bool is_set = operand.reach != tmpl::Operand::Reach::kMissing;
  if (is_set && (found.is_dict() || found.is_list())) {
    go_down(field, *path, found);
  }
  read.name = values_name(*path);
  read.path = *std::move(path);
  if (is_set) {
    read.value = std::move(found);
  }
  read.origins = origins_.of(read.path);
  return read;
}

TemplateLines LineReader::lines_of(const RenderedField& field) {
  TemplateLines lines;
  const auto pos = yaml::locate_in_yaml(document_.text(), field.steps);
  const auto writer = pos ? document_.writer_of(*pos) : std::nullopt;
  if (!writer) {
    return lines;
  }
  lines.places.push_back(*writer);
  for (const tmpl::OutputTrace::Origin& action : document_.actions_at(*pos)) {
    const size_t before = lines.reads.size();
    for (const tmpl::Operand& operand : action.operands) {
      ReadOperand read = read_of(operand, field);
      const bool is_known = std::ranges::any_of(
          lines.reads, [&read](const ReadOperand& other) { return other.name == read.name; });
      if (!is_known && lines.reads.size() < kReadsMax) {
        lines.reads.push_back(std::move(read));
      }
    }
    if (lines.reads.size() > before) {
      add_place(action.frames.front().pos, lines.places);
    }
  }
  return lines;
}

}  // namespace chartwright::helm
