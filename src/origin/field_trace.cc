// SPDX-License-Identifier: Apache-2.0
#include "origin/field_trace.h"

#include <algorithm>
#include <map>
#include <utility>

#include "fields/projection.h"
#include "helm/render/diagnosis.h"
#include "resource/field_changes.h"
#include "yaml/locate.h"
#include "yaml/yaml.h"

namespace chartwright::origin {
namespace {

using value::Path;
using value::Value;
using Steps = std::vector<Path::Step>;
using Origin = tmpl::OutputTrace::Origin;

// To find the line of a field, its document is read once more.
constexpr size_t kBytesLookedAt = size_t{8} << 20;
constexpr size_t kReadsMax = 16;
constexpr size_t kPlacesMax = 4;

std::string place_text(const base::SourcePos& pos) {
  return pos.file + ":" + std::to_string(pos.line);
}

template <typename T>
void add_new(std::vector<T>& list, T item, size_t most) {
  if (list.size() < most && std::ranges::find(list, item) == list.end()) {
    list.push_back(std::move(item));
  }
}

/// Returns ".Values.image.tag", or `.Values["a.b"]`.
std::string values_name(const Steps& path) {
  const std::string text = Path(path).to_string();
  return ".Values" + (text.starts_with('[') ? text : "." + text);
}

/// A field in a rendered document.
struct Located {
  const Steps& steps;  ///< In the document.
  const Value& value;
};

/// Looks at the lines of one rendered document.
class LineReader {
 public:
  explicit LineReader(const helm::TracedDocument& document)
      : document_(document), origins_(document.rendering().origins()) {}

  TemplateLine line_of(const Located& field);

 private:
  std::optional<Steps> path_of(const tmpl::Operand& operand);
  Read read_of(const tmpl::Operand& operand, const Located& field);

  const helm::TracedDocument& document_;
  const helm::ValueOrigins origins_;
  std::map<const value::Dict*, std::optional<Steps>> holders_;
};

/// Extends the path of a table to the member of it that the field is: the longest end of the
/// field's path that leads to the same value there.
void go_down(const Located& field, Steps& path, Value& found) {
  for (size_t length = field.steps.size(); length > 0; --length) {
    const Steps end(field.steps.end() - static_cast<std::ptrdiff_t>(length), field.steps.end());
    const Value* member = Path(end).get(found);
    if (member != nullptr && fields::already_holds(*member, field.value)) {
      path.insert(path.end(), end.begin(), end.end());
      found = Value(*member);
      return;
    }
  }
}

/// A table is searched once, however many fields read it.
std::optional<Steps> LineReader::path_of(const tmpl::Operand& operand) {
  if (!operand.holder.is_dict()) {
    return std::nullopt;
  }
  const auto [known, is_new] = holders_.try_emplace(&operand.holder.as_dict());
  if (is_new) {
    known->second = helm::path_among_values(operand, document_.rendering().scope());
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

Read LineReader::read_of(const tmpl::Operand& operand, const Located& field) {
  Read read;
  auto path = path_of(operand);
  const bool is_set = operand.reach != tmpl::Operand::Reach::kMissing;
  if (!path) {
    read.name = operand.text;
    return read;
  }
  Value found = operand.found;
  if (is_set && (found.is_dict() || found.is_list())) {
    go_down(field, *path, found);
  }
  read.name = values_name(*path);
  read.path = *std::move(path);
  if (is_set) {
    read.value = std::move(found);
  }
  for (const helm::ValueOrigins::Origin& origin : origins_.of(read.path)) {
    if (origin.is_file && read.default_place.empty()) {
      read.default_place = origin.place;
    }
  }
  return read;
}

TemplateLine LineReader::line_of(const Located& field) {
  TemplateLine line;
  const auto pos = yaml::locate_in_yaml(document_.text(), field.steps);
  const auto writer = pos ? document_.writer_of(*pos) : std::nullopt;
  if (!writer) {
    line.places.push_back(document_.path());
    return line;
  }
  line.places.push_back(place_text(*writer));
  for (const Origin& action : document_.actions_at(*pos)) {
    const size_t before = line.reads.size();
    for (const tmpl::Operand& operand : action.operands) {
      Read read = read_of(operand, field);
      const bool is_known = std::ranges::any_of(
          line.reads, [&read](const Read& other) { return other.name == read.name; });
      if (!is_known && line.reads.size() < kReadsMax) {
        line.reads.push_back(std::move(read));
      }
    }
    if (line.reads.size() > before) {
      add_new(line.places, place_text(action.frames.front().pos), kPlacesMax);
    }
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
    LineReader reader(document);
    document_bytes_ = document.text().size();
    const Value* items = parsed->find("items");
    if (items == nullptr || !items->is_list()) {
      look_at_object(*parsed, {}, reader);
      return;
    }
    for (size_t i = 0; i < items->as_list().items.size(); ++i) {
      look_at_object(items->as_list().items[i], {Path::Step("items"), Path::Step(i)}, reader);
    }
  }

  Uses take() { return std::move(uses_); }

 private:
  void look_at_object(const Value& object, const Steps& at, LineReader& reader) {
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
      const TemplateLine line = reader.line_of({steps, *field.after});
      const bool is_use = std::ranges::any_of(line.reads, [this](const Read& read) {
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
      found = LineReader(document).line_of({steps, *path->get(*body)});
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
