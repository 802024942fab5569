// SPDX-License-Identifier: Apache-2.0
#include "bundle/patch_targets.h"

#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <string_view>
#include <utility>

#include "base/strings.h"
#include "bundle/written_lines.h"
#include "go/quote.h"
#include "tmpl/output_trace.h"

namespace chartwright::bundle {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::array<std::string_view, 3> kHead = {"apiVersion", "kind", "metadata"};

/// A member that a patch writes.
struct Member {
  std::string key;
  std::string value;     ///< The text of the template: `{{ .Release.Name }}`.
  size_t offset = 0;     ///< The place of the key in the template.
  bool certain = false;  ///< It is written for all values.
};

/// The parts of a document that are known without values.
struct PartialObject {
  std::vector<Member> members;  ///< The outermost.
  std::vector<Member> of_metadata;
  bool open = false;  ///< It may have other members.

  const Member* find(std::string_view key) const { return find_in(members, key); }
  static const Member* find_in(const std::vector<Member>& all, std::string_view key) {
    const auto found = std::ranges::find(all, key, &Member::key);
    return found != all.end() ? &*found : nullptr;
  }
};

/// Divides a template into the objects that it may write, on all branches.
class ObjectReader {
 public:
  explicit ObjectReader(const tmpl::Tree& tree) : source_(*tree.source) {}

  std::vector<PartialObject> read(const std::vector<WrittenLine>& lines) {
    for (const WrittenLine& line : lines) {
      read_line(line);
    }
    end_object();
    return std::move(objects_);
  }

 private:
  void read_line(const WrittenLine& line) {
    const size_t column = line.text.find_first_not_of(' ');
    if (column == std::string::npos || line.text[column] == '#') {
      return;
    }
    if (line.text.starts_with("---")) {
      end_object();
      return;
    }
    object_.open = object_.open || may_write_lines(line);
    if (column == 0) {
      read_outer(line);
    } else if (in_metadata_) {
      inner_column_ = std::min(inner_column_, column);
      if (column == inner_column_) {
        add(line, column, object_.of_metadata);
      }
    }
  }

  void read_outer(const WrittenLine& line) {
    in_metadata_ = false;
    if (line.text.front() == '-' || line.text.front() == ' ' || !add(line, 0, object_.members)) {
      object_.open = true;
      return;
    }
    const Member& member = object_.members.back();
    if (member.key == "metadata") {
      in_metadata_ = member.value.empty() || member.value.front() == '#';
      inner_column_ = std::string::npos;
      object_.open = object_.open || !in_metadata_;
    }
  }

  /// Adds the member that a line begins. Reports whether it begins one.
  bool add(const WrittenLine& line, size_t column, std::vector<Member>& members) {
    const size_t colon = line.text.find(':', column);
    if (colon == std::string::npos || line.text.find(kWrittenMark, column) < colon) {
      return false;
    }
    std::string key(base::trim(std::string_view(line.text).substr(column, colon - column)));
    if (key.empty() || std::string_view("{[\"'").find(key.front()) != std::string_view::npos) {
      return false;
    }
    const size_t begin = line.offsets[colon] + 1;
    const size_t end = std::min(source_.find('\n', begin), source_.size());
    members.push_back({std::move(key), std::string(base::trim(source_.substr(begin, end - begin))),
                       line.offsets[column], !line.conditional});
    return true;
  }

  void end_object() {
    if (!object_.members.empty()) {
      objects_.push_back(std::move(object_));
    }
    object_ = {};
    in_metadata_ = false;
  }

  const std::string_view source_;
  std::vector<PartialObject> objects_;
  PartialObject object_;
  bool in_metadata_ = false;
  size_t inner_column_ = std::string::npos;  ///< The column of the members of `metadata`.
};

/// Returns a text that is equal for two objects only if they have the same target for all values;
/// nullopt if that is not known.
std::optional<std::string> target_of(const PartialObject& object) {
  std::string target;
  const Member* ns = PartialObject::find_in(object.of_metadata, "namespace");
  for (const Member* part : {object.find("apiVersion"), object.find("kind"),
                             PartialObject::find_in(object.of_metadata, "name"), ns}) {
    if (part == nullptr && part == ns && !object.open) {
      continue;
    }
    // A variable may have another value by then.
    if (part == nullptr || !part->certain || part->value.find('$') != std::string::npos) {
      return std::nullopt;
    }
    target += part->value + '\n';
  }
  return target;
}

class TargetCheck {
 public:
  base::Status check(const PatchFile& patch) {
    CW_TRY(const auto tree, patch.text.tree());
    file_ = &patch.file;
    source_ = *tree->source;
    for (const PartialObject& object : ObjectReader(*tree).read(written_lines(*tree))) {
      CW_TRY_VOID(check_head(object));
      CW_TRY_VOID(check_twice(object));
    }
    return {};
  }

 private:
  base::Status check_head(const PartialObject& object) const {
    if (object.open) {
      return {};
    }
    for (std::string_view key : kHead) {
      if (object.find(key) == nullptr) {
        return lacks(key, object.members);
      }
    }
    const Member* kind = object.find("kind");
    const Member* name = PartialObject::find_in(object.of_metadata, "name");
    if (kind->value.ends_with("List")) {
      return {};
    }
    if (name == nullptr) {
      return object.of_metadata.empty() ? lacks("metadata.name", {*object.find("metadata")})
                                        : lacks("metadata.name", object.of_metadata);
    }
    const bool is_empty = name->value.empty() || name->value == "\"\"" || name->value == "''";
    if (is_empty) {
      return lacks("metadata.name", {*name});
    }
    return {};
  }

  /// `beside`: the members among which it is missing.
  base::Error lacks(std::string_view key, const std::vector<Member>& beside) const {
    const std::string_view last = key.substr(key.rfind('.') + 1);
    const Member* at = &beside.front();
    std::string instead;
    for (const Member& member : beside) {
      if (member.key != last && !base::nearest(member.key, {last}).empty()) {
        at = &member;
        instead = ", is it meant by " + go::quote(member.key) + "?";
      }
    }
    return fault("a partial object without " + std::string(key) + instead +
                     (instead.empty() ? ": apiVersion, kind and metadata.name say which object it "
                                        "changes"
                                      : ""),
                 at->offset);
  }

  base::Status check_twice(const PartialObject& object) {
    const std::optional<std::string> target = target_of(object);
    if (!target) {
      return {};
    }
    const size_t offset = object.members.front().offset;
    const base::SourcePos place = tmpl::source_pos(*file_, source_, offset);
    const auto [first, is_new] = seen_.try_emplace(*target, place);
    if (is_new) {
      return {};
    }
    return fault("a second partial object for the target of that at " + first->second.to_string() +
                     ": write one with the fields of both, since each would give up those of the "
                     "other",
                 offset);
  }

  base::Error fault(std::string text, size_t offset) const {
    return Error(ErrorCode::kInvalidArgument, std::move(text))
        .at(tmpl::source_pos(*file_, source_, offset));
  }

  const std::string* file_ = nullptr;
  std::string_view source_;
  std::map<std::string, base::SourcePos> seen_;
};

}  // namespace

base::Status check_patch_targets(const std::vector<PatchFile>& patches) {
  TargetCheck check;
  for (const PatchFile& patch : patches) {
    CW_TRY_VOID(check.check(patch));
  }
  return {};
}

base::Status check_one_object(const std::string& document) {
  size_t count = 0;
  for (std::string_view line : base::split(document, '\n')) {
    count += line.starts_with("kind:") ? 1 : 0;
  }
  if (count < 2) {
    return {};
  }
  return Error(ErrorCode::kInvalidArgument, "a document has \"kind\" " + std::to_string(count) +
                                                " times: write \"---\" before each object");
}

}  // namespace chartwright::bundle
