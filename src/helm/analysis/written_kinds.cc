// SPDX-License-Identifier: Apache-2.0
#include "helm/analysis/written_kinds.h"

#include <algorithm>
#include <optional>

#include "base/ascii.h"
#include "base/strings.h"
#include "go/path.h"
#include "helm/analysis/documents.h"
#include "helm/analysis/usage_collector.h"
#include "helm/schema/view.h"
#include "tmpl/output_trace.h"
#include "value/json.h"
#include "yaml/document.h"

namespace chartwright::helm::analysis {
namespace {

using value::Value;

constexpr std::string_view kPatchesFolder = "patches/";
constexpr std::string_view kNotesName = "NOTES.txt";
constexpr std::string_view kFromValue = " from .Values.";

/// The texts that a word may be.
struct Candidates {
  std::set<std::string> texts;
  bool open = false;  ///< There may be others.
};

/// Reports whether `text` can be an apiVersion. Branches that exclude each other in a way that only
/// values show lead to texts that cannot.
bool is_api_version(std::string_view text) {
  const size_t slash = text.find('/');
  const std::string_view version = slash == std::string_view::npos ? text : text.substr(slash + 1);
  const auto is_part = [](char c) {
    return base::is_ascii_lower(c) || base::is_ascii_digit(c) || c == '-' || c == '.';
  };
  return version.size() > 1 && version.front() == 'v' && base::is_ascii_digit(version[1]) &&
         version.find('/') == std::string_view::npos &&
         std::all_of(version.begin(), version.end(), is_part) && slash != 0 &&
         (slash == std::string_view::npos ||
          std::all_of(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(slash), is_part));
}

bool is_kind(std::string_view text) {
  return !text.empty() && base::is_ascii_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), base::is_ascii_alphanumeric<char>);
}

class KindReader {
 public:
  KindReader(const helm::RenderableChart& chart, const std::vector<ScopeOfChart>& scopes,
             const Usage& usage)
      : chart_name_(chart.chart().name()), scopes_(scopes), usage_(usage) {
    found_.complete = !usage.ended;
  }

  WrittenKinds read() {
    for (const FileOutput& file : usage_.outputs) {
      if (go::base_name(file.tree->parse_name) != kNotesName) {
        read_file(file);
      }
    }
    for (const LookupCall& call : usage_.lookups) {
      read_lookup(call);
    }
    std::set<std::string> told;
    for (const auto& [place, text] : computed_) {
      // A value that several templates write in the same way is one thing to decide.
      const bool names_value = text.find(kFromValue) != std::string::npos;
      if (!names_value || told.insert(text).second) {
        found_.computed.push_back({place_text(place), text});
      }
    }
    return std::move(found_);
  }

 private:
  struct Place {
    std::string file;
    int line = 0;
    int column = 0;
    auto operator<=>(const Place&) const = default;
  };

  static std::string place_text(const Place& place) {
    if (place.line == 0) {
      return place.file;
    }
    return place.file + ":" + std::to_string(place.line) + ":" + std::to_string(place.column);
  }

  std::string name_of(const tmpl::Tree& tree) const {
    const std::string own = chart_name_ + "/";
    return tree.parse_name.starts_with(own) ? tree.parse_name.substr(own.size()) : tree.parse_name;
  }

  Place place_of(const tmpl::Tree* tree, size_t pos) const {
    if (tree == nullptr) {
      return {file_, 0, 0};
    }
    // Columns count from 0, as in errors of templates.
    const base::SourcePos at = tmpl::source_pos("", *tree->source, pos);
    return {name_of(*tree), at.line, std::max(at.column - 1, 0)};
  }

  void read_file(const FileOutput& file) {
    const std::string name = name_of(*file.tree);
    file_ = name;
    auto& kinds = name.starts_with("operator/") ? found_.patches : found_.kinds;
    for (const DocumentHead& head : document_heads(file.output, found_.complete)) {
      if (head.body != nullptr) {
        note(*head.body, "objects of any kind");
      }
      if (head.is_unclear) {
        note_unclear(head.unclear);
      }
      if (!head.kind.present) {
        continue;
      }
      const Candidates versions = candidates(head.api_version);
      const Candidates names = candidates(head.kind);
      for (const std::string& version : versions.texts) {
        for (const std::string& kind : names.texts) {
          if (!is_api_version(version) || !is_kind(kind)) {
            continue;
          }
          WrittenKind& written = kinds[{version, kind}];
          written.files.insert(name);
          written.only_hooks = written.only_hooks && head.is_hook;
          written.only_tests = written.only_tests && head.is_test;
          if (kind.ends_with("Binding")) {
            written.role_kinds.insert(head.role_kind.hole != nullptr ? "" : head.role_kind.text);
          }
        }
      }
      note_open(names, head.kind, "the kind of an object");
      const std::string of = names.texts.empty() ? "an object" : "kind " + *names.texts.begin();
      note_open(versions, head.api_version, "the apiVersion of " + of);
    }
  }

  void read_lookup(const LookupCall& call) {
    if (call.kind.empty() || call.api_version.empty()) {
      computed_.emplace(place_of(call.tree, call.pos), "the kind that lookup reads is computed");
      return;
    }
    bool& lists = found_.lookups[{call.api_version, call.kind}];
    lists = lists || call.lists;
  }

  void note(const Output& hole, const std::string& what) {
    const std::string from =
        hole.path.empty() ? "" : "," + std::string(kFromValue) + join_steps(hole.path);
    computed_.emplace(place_of(hole.tree, hole.pos), what + from + ", may be written here");
  }

  void note_unclear(const TextPlace& at) {
    const tmpl::Tree* tree = at.node != nullptr ? at.node->tree : nullptr;
    const size_t pos = tree != nullptr ? at.node->pos + at.offset : 0;
    computed_.emplace(place_of(tree, pos),
                      "the kind or apiVersion of an object is written in a way that is not "
                      "followed (an anchor, an escape, several lines)");
  }

  void note_open(const Candidates& found, const DocumentWord& word, const std::string& what) {
    if (!found.open || word.hole == nullptr) {
      return;
    }
    const std::vector<std::string> texts(found.texts.begin(), found.texts.end());
    const std::string from =
        word.hole->path.empty() ? "" : std::string(kFromValue) + join_steps(word.hole->path);
    const std::string known = texts.empty() ? "" : "; known: " + base::join(texts, ", ");
    computed_.emplace(place_of(word.hole->tree, word.hole->pos),
                      what + " is computed" + from + known);
  }

  Candidates candidates(const DocumentWord& word) const {
    if (word.hole == nullptr) {
      return {word.text.empty() ? std::set<std::string>() : std::set{word.text}, false};
    }
    const size_t mark = word.text.find(kHoleMark);
    if (word.hole->path.empty() || word.text.find(kHoleMark, mark + 1) != std::string::npos) {
      return {{}, true};
    }
    Candidates found = candidates_at(word.hole->path);
    std::set<std::string> whole;
    for (const std::string& text : found.texts) {
      whole.insert(word.text.substr(0, mark) + text + word.text.substr(mark + 1));
    }
    found.texts = std::move(whole);
    return found;
  }

  /// Returns what a value of the chart may be.
  Candidates candidates_at(const Steps& path) const {
    if (auto allowed = allowed_by_schema(path)) {
      return {*std::move(allowed), false};
    }
    Candidates found{{}, true};
    if (const auto compared = usage_.compared.find(path); compared != usage_.compared.end()) {
      found.texts = compared->second;
    }
    for (const Value& usual : defaults_at(scopes_, path)) {
      found.texts.insert(usual.is_string() ? usual.as_string() : "");
    }
    std::erase_if(found.texts, [](const std::string& text) { return text.empty(); });
    return found;
  }

  /// Returns the strings that a schema of the chart tree allows for a value; nullopt if there are
  /// others.
  std::optional<std::set<std::string>> allowed_by_schema(const Steps& path) const {
    for (const ScopeOfChart& scope : scopes_) {
      const size_t skipped = scope.prefix.size();
      if (!scope.chart->content->schema || skipped > path.size() ||
          !std::equal(scope.prefix.begin(), scope.prefix.end(), path.begin())) {
        continue;
      }
      const auto root = value::parse_json(*scope.chart->content->schema, value::Numbers::kInt64);
      if (!root.ok()) {
        continue;
      }
      const SchemaView<Value> document(*root);
      const Value* schema = document.follow(&*root);
      for (size_t i = skipped; i < path.size() && schema != nullptr; ++i) {
        const bool is_item = path[i] == kEveryStep;
        const Value* properties = schema->find("properties");
        const Value* next = properties != nullptr ? properties->find(path[i]) : nullptr;
        schema = document.follow(is_item ? document.item(*schema) : next);
      }
      const auto allowed = schema != nullptr ? document.choices(*schema) : std::nullopt;
      if (allowed) {
        std::set<std::string> texts;
        for (const Value& item : *allowed) {
          texts.insert(item.is_string() ? item.as_string() : "");
        }
        texts.erase("");
        return texts;
      }
    }
    return std::nullopt;
  }

  const std::string chart_name_;
  const std::vector<ScopeOfChart>& scopes_;
  const Usage& usage_;
  WrittenKinds found_;
  std::string file_;  ///< The file being read.
  std::map<Place, std::string> computed_;
};

}  // namespace

std::vector<helm::File> patches_of(const helm::RenderableChart& chart) {
  std::vector<helm::File> patches;
  for (const auto& [name, text] : chart.operator_files()) {
    if (name.starts_with(kPatchesFolder) && yaml::has_yaml_name(name)) {
      patches.push_back({"operator/" + name, text});
    }
  }
  return patches;
}

base::Result<WrittenKinds> written_kinds(const helm::RenderableChart& chart) {
  const std::vector<ScopeOfChart> scopes = scopes_of(chart.chart());
  CW_TRY(const Usage usage, usage_of(scopes, patches_of(chart)));
  return KindReader(chart, scopes, usage).read();
}

}  // namespace chartwright::helm::analysis
