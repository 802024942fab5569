// SPDX-License-Identifier: Apache-2.0
#include "suite/clues.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "base/memory_limit.h"
#include "base/strings.h"
#include "base/unicode.h"
#include "helm/render/diagnosis.h"
#include "suite/failure_text.h"
#include "suite/paths/json_path.h"
#include "suite/typed_yaml.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::suite {
namespace {

using value::Value;
using Lines = std::vector<std::string>;

// More would bury what they explain.
constexpr size_t kFieldsOfAssertionMax = 3;
constexpr size_t kFieldsOfJobMax = 64;
constexpr size_t kMembersMax = 12;
constexpr size_t kValueBytesMax = 120;

/// Returns the path that an assertion looks at.
std::string path_of(const Assertion& assertion) {
  if (assertion.check == Check::kKind) {
    return "kind";
  }
  return assertion.check == Check::kApiVersion ? "apiVersion" : assertion.path;
}

void append(Lines& to, Lines lines) { std::ranges::move(lines, std::back_inserter(to)); }

/// Appends lines unless they are there: several fields may be written by one line.
void append_new(Lines& to, Lines lines) {
  if (std::search(to.begin(), to.end(), lines.begin(), lines.end()) == to.end()) {
    append(to, std::move(lines));
  }
}

std::string read_text(const helm::ReadOperand& read) {
  if (!read.value) {
    return read.name + " is not set";
  }
  const auto json = value::to_json(*read.value, value::JsonEscape::kNone);
  std::string text = read.name;
  if (json.ok()) {
    text += " = " + base::shortened(*json, kValueBytesMax);
  }
  return read.origins.empty() ? text : text + ", " + read.origins.front().text();
}

/// Looks for the origins of fields in a file that was rendered again.
class RenderedFile {
 public:
  explicit RenderedFile(const helm::TracedFile& file)
      : file_(file), parts_(split_documents(file.text)) {
    for (const TextPart& part : parts_) {
      auto document = parse_typed_yaml(part.document());
      documents_.push_back(document.ok() ? *std::move(document) : Value());
    }
  }

  Lines lines_of(const Value& wanted, const value::Path& path) const {
    for (size_t i = 0; i < parts_.size(); ++i) {
      const Value* const field = path.get(documents_[i]);
      if (field != nullptr && value::json_equal(documents_[i], wanted)) {
        const helm::TracedDocument document(file_, parts_[i].text,
                                            static_cast<int>(parts_[i].lines_before) + 1);
        return text_of(helm::LineReader(document).lines_of({path.steps(), *field}));
      }
    }
    return {};
  }

 private:
  Lines text_of(const helm::TemplateLines& found) const {
    Lines lines;
    for (const base::SourcePos& pos : found.places) {
      const auto& sources = file_.rendering.renderables();
      const auto source = sources.find(pos.file);
      const std::string snippet =
          source != sources.end() ? helm::snippet(pos, *source->second.text) : pos.to_string();
      append(lines, failure_lines({}, {{lines.empty() ? "Written at:" : "by:", snippet}}));
    }
    for (const helm::ReadOperand& read : found.reads) {
      if (!read.path.empty()) {
        lines.push_back("Reads:\t" + read_text(read));
      }
    }
    return lines;
  }

  const helm::TracedFile& file_;
  const std::vector<TextPart> parts_;
  std::vector<Value> documents_;  ///< The parts as values.
};

}  // namespace

void Clues::note(const Assertion& assertion, const std::string& file,
                 const std::vector<Value>& selected, const CheckResult& result) {
  size_t noted = 0;
  for (const FailurePlace& place : result.places) {
    const bool is_known = place.document >= 0 && std::cmp_less(place.document, selected.size());
    if (is_known && noted++ < kFieldsOfAssertionMax && fields_.size() < kFieldsOfJobMax) {
      note_place(assertion, file, selected[static_cast<size_t>(place.document)], place.value);
    }
  }
}

void Clues::note_place(const Assertion& assertion, const std::string& file, const Value& document,
                       int value) {
  const auto path = JsonPath::compile(path_of(assertion));
  const Value written = reread(document);
  const auto places = path.ok() ? path->places(written) : path.error();
  if (!places.ok()) {
    return;
  }
  if (places->empty()) {
    note_dead_end(assertion, written);
    return;
  }
  const size_t index = value < 0 ? 0 : static_cast<size_t>(value);
  if (index < places->size() && !(*places)[index].steps().empty()) {
    fields_.push_back({assertion, file, document, (*places)[index]});
  }
}

void Clues::note_dead_end(const Assertion& assertion, const Value& document) {
  const auto path = JsonPath::compile(path_of(assertion));
  const auto end = path.ok() ? path->dead_end(document) : std::nullopt;
  if (!end) {
    return;
  }
  const std::string reached = end->reached.to_string();
  const Value* const around = end->reached.get(document);
  std::string line;
  if (!end->nearest.empty()) {
    std::vector<value::Path::Step> steps = end->reached.steps();
    steps.emplace_back(end->nearest);
    line = "Did you mean:\t" + value::Path(std::move(steps)).to_string();
  } else if (around != nullptr && around->is_dict() && around->as_dict().size() <= kMembersMax) {
    Lines names;
    for (const auto& [name, member] : around->as_dict()) {
      names.push_back(name);
    }
    line = "Members of " + (reached.empty() ? "the document" : reached) + ":\t" +
           (names.empty() ? "none" : base::join(names, ", "));
  } else if (around != nullptr && !around->is_dict()) {
    line = reached + " is " + std::string(value::kind_noun(around->kind()));
  }
  const bool is_known = std::ranges::any_of(
      hints_, [&](const Hint& hint) { return &hint.assertion == &assertion && hint.line == line; });
  if (!line.empty() && !is_known) {
    hints_.push_back({assertion, line});
  }
}

void Clues::add_to(const Job& job, std::vector<AssertionResult>& results,
                   const Trace& trace) const {
  std::map<const Assertion*, Lines> found;
  const auto visit = [&](const helm::TracedFile& traced) {
    const RenderedFile rendered(traced);
    for (const Field& field : fields_) {
      if (field.file == traced.path) {
        append_new(found[&field.assertion], rendered.lines_of(field.document, field.path));
      }
    }
  };
  if (!fields_.empty()) {
    const auto wants = [this](const std::string& path) {
      return std::ranges::any_of(fields_, [&](const Field& field) { return field.file == path; });
    };
    // The failure is told already, and a render that cannot be repeated tells no more of it.
    // A trace takes more memory than the render did, which must not end the suite.
    const size_t memory = base::MemoryLimit::left() / 2;
    static_cast<void>(base::within_memory(memory, [&] { return trace({wants, visit}); }).ok());
  }
  for (AssertionResult& result : results) {
    if (result.passed) {
      continue;
    }
    const Assertion& assertion = job.assertions[result.index];
    result.hints.push_back("Asserted at:\t" + result.pos.to_string());
    for (const Hint& hint : hints_) {
      if (&hint.assertion == &assertion) {
        result.hints.push_back(hint.line);
      }
    }
    append(result.hints, std::move(found[&assertion]));
  }
}

}  // namespace chartwright::suite
