// SPDX-License-Identifier: Apache-2.0
#include "origin/field_trace.h"

#include <algorithm>
#include <utility>

#include "resource/field_changes.h"
#include "yaml/yaml.h"

namespace chartwright::origin {
namespace {

using value::Path;
using value::Value;
using Steps = std::vector<Path::Step>;

// To find the line of a field, its document is read once more.
constexpr size_t kBytesLookedAt = size_t{8} << 20;

TemplateLine line_of(const helm::TracedDocument& document, helm::LineReader& reader,
                     const helm::RenderedField& field) {
  helm::TemplateLines found = reader.lines_of(field);
  TemplateLine line{.places = {}, .reads = std::move(found.reads)};
  for (const base::SourcePos& pos : found.places) {
    line.places.push_back(pos.file + ":" + std::to_string(pos.line));
  }
  if (line.places.empty()) {
    line.places.push_back(document.path());
  }
  return line;
}

bool begins_with(const Steps& path, const Steps& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

/// Collects the fields that read a value.
class UseSearch {
 public:
  explicit UseSearch(const Steps& wanted) : wanted_(wanted) {}

  void look_at(const helm::TracedDocument& document) {
    const auto parsed = yaml::parse_yaml(document.text(), value::Numbers::kInt64);
    if (!parsed.ok() || !parsed->is_dict()) {
      return;
    }
    helm::LineReader reader(document);
    document_bytes_ = document.text().size();
    const Value* items = parsed->find("items");
    if (items == nullptr || !items->is_list()) {
      look_at_object(*parsed, {}, {document, reader});
      return;
    }
    for (size_t i = 0; i < items->as_list().items.size(); ++i) {
      look_at_object(items->as_list().items[i], {Path::Step("items"), Path::Step(i)},
                     {document, reader});
    }
  }

  Uses take() { return std::move(uses_); }

 private:
  struct Source {
    const helm::TracedDocument& document;
    helm::LineReader& reader;
  };
  void look_at_object(const Value& object, const Steps& at, const Source& source) {
    if (!object.is_dict()) {
      return;
    }
    const op::FieldChanges fields = op::compare_fields(Value(), object);
    uses_.is_complete = uses_.is_complete && fields.left_out == 0;
    for (const op::FieldChange& field : fields.kept) {
      const auto parsed = op::FieldPath::parse(field.path);
      const auto path = parsed.ok() ? parsed->in(object) : std::nullopt;
      looked_at_ += document_bytes_;
      if (looked_at_ > kBytesLookedAt) {
        uses_.is_complete = false;
        return;
      }
      if (!path) {
        continue;
      }
      Steps steps = at;
      steps.insert(steps.end(), path->steps().begin(), path->steps().end());
      const TemplateLine line = line_of(source.document, source.reader, {steps, *field.after});
      const bool is_use = std::ranges::any_of(line.reads, [this](const helm::ReadOperand& read) {
        return !read.path.empty() &&
               (begins_with(read.path, wanted_) ||
                (begins_with(wanted_, read.path) && !(read.value && read.value->is_dict())));
      });
      if (is_use) {
        uses_.found.push_back(
            {kube::ref_of(object), field.path, *field.after, line.places.front()});
      }
    }
  }

  const Steps& wanted_;
  Uses uses_;
  size_t document_bytes_ = 0;
  size_t looked_at_ = 0;  ///< In bytes.
};

}  // namespace

base::Result<std::optional<TemplateLine>> trace_field(const helm::RenderRequest& request,
                                                      const release::DocumentSearch& search,
                                                      const op::FieldPath& field) {
  std::optional<TemplateLine> found;
  const auto visit = [&](const helm::TracedDocument& document) {
    const auto parsed = found ? base::Result<Value>(Value())
                              : yaml::parse_yaml(document.text(), value::Numbers::kInt64);
    const auto object = parsed.ok() ? search.in(*parsed) : std::nullopt;
    const Value* body = object ? Path(*object).get(*parsed) : nullptr;
    const auto path = body != nullptr ? field.in(*body) : std::nullopt;
    if (path) {
      Steps steps = *object;
      steps.insert(steps.end(), path->steps().begin(), path->steps().end());
      helm::LineReader reader(document);
      found = line_of(document, reader, {steps, *path->get(*body)});
    }
  };
  const base::Status traced = helm::trace_documents(request, visit);
  if (!traced.ok() && !found) {
    return traced.error();
  }
  return found;
}

base::Result<Uses> trace_value(const helm::RenderRequest& request, const Steps& value) {
  UseSearch search(value);
  CW_TRY_VOID(helm::trace_documents(
      request, [&search](const helm::TracedDocument& document) { search.look_at(document); }));
  return search.take();
}

}  // namespace chartwright::origin
