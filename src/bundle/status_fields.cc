// SPDX-License-Identifier: Apache-2.0
#include "bundle/status_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include "base/strings.h"
#include "bundle/schema_place.h"
#include "bundle/written_lines.h"
#include "tmpl/output_trace.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::bundle {
namespace {

using value::Value;

constexpr std::string_view kConditions = "conditions";
constexpr std::array<std::string_view, 11> kEngineFields = {
    "observedGeneration",  kConditions, "revision", "history",        "resources", "inputs", "pin",
    "lastHandledRollback", "externals", "attempt",  "deployedRelease"};
/// The fields of a condition that a status template may write; the operator adds the others.
constexpr std::array<std::string_view, 4> kConditionFields = {"type", "status", "reason",
                                                              "message"};

/// A function whose result has one type in YAML, whatever it is given.
struct ResultType {
  std::string_view function;
  std::string_view type;
};
constexpr std::array kResultTypes = {
    ResultType{"quote", "string"},      ResultType{"squote", "string"},
    ResultType{"len", "integer"},       ResultType{"int", "integer"},
    ResultType{"int64", "integer"},     ResultType{"add", "integer"},
    ResultType{"sub", "integer"},       ResultType{"mul", "integer"},
    ResultType{"eq", "boolean"},        ResultType{"ne", "boolean"},
    ResultType{"lt", "boolean"},        ResultType{"le", "boolean"},
    ResultType{"gt", "boolean"},        ResultType{"ge", "boolean"},
    ResultType{"not", "boolean"},       ResultType{"has", "boolean"},
    ResultType{"hasKey", "boolean"},    ResultType{"empty", "boolean"},
    ResultType{"contains", "boolean"},  ResultType{"hasPrefix", "boolean"},
    ResultType{"hasSuffix", "boolean"},
};

std::string_view type_of(const tmpl::Pipe& pipe) {
  const auto* callee = std::get_if<tmpl::Identifier>(&pipe.commands.back().terms.front());
  const auto known =
      std::find_if(kResultTypes.begin(), kResultTypes.end(), [callee](const ResultType& one) {
        return callee != nullptr && one.function == callee->name;
      });
  return known != kResultTypes.end() ? known->type : "";
}

/// The schema of the conditions that an author may write.
Value condition_list() {
  Value properties = Value::dict();
  for (std::string_view name : kConditionFields) {
    properties.mutable_dict().set(name, Value::dict({{"type", Value::string("string")}}));
  }
  return Value::dict(
      {{"type", Value::string("array")},
       {"items", Value::dict({{"type", Value::string("object")}, {"properties", properties}})}});
}

/// Follows the lines of a template down the schema, by their indentation.
class FieldCheck {
 public:
  FieldCheck(const tmpl::Tree& tree, const std::string& file, const StatusSchema& schema)
      : tree_(tree), file_(file), schema_(schema) {
    open_.push_back({-1, Kind::kRoot, "", SchemaPlace(schema.root, Unlisted::kDropped)});
  }

  base::Status run() {
    for (const WrittenLine& line : written_lines(tree_)) {
      CW_TRY_VOID(read(line));
    }
    return {};
  }

 private:
  enum class Kind : uint8_t { kRoot, kMember, kItem };
  /// A member or item whose content may follow.
  struct Open {
    int column;
    Kind kind;
    std::string path;
    SchemaPlace place;
  };

  base::Status read(const WrittenLine& line) {
    const size_t first = line.text.find_first_not_of(' ');
    if (first == std::string::npos) {
      return {};
    }
    auto column = static_cast<int>(first);
    if (opaque_ >= 0 && column > opaque_) {
      return {};
    }
    opaque_ = -1;
    std::string_view rest = std::string_view(line.text).substr(first);
    if (rest.starts_with("---") || rest.front() == '#') {
      return {};
    }
    while (rest.starts_with("- ") || rest == "-") {
      CW_TRY_VOID(open_item(line, column));
      const size_t next = rest.find_first_not_of(' ', 1);
      if (next == std::string_view::npos) {
        return {};
      }
      column += static_cast<int>(next);
      rest.remove_prefix(next);
    }
    return read_member(line, column, rest);
  }

  base::Status open_item(const WrittenLine& line, int column) {
    std::erase_if(open_, [column](const Open& one) {
      return one.column > column || (one.column == column && one.kind == Kind::kItem);
    });
    const Open& list = open_.back();
    CW_TRY_VOID(check_type(list.place, "array", list.path, line, column));
    open_.push_back({column, Kind::kItem, list.path + "[]", list.place.item()});
    return {};
  }

  base::Status read_member(const WrittenLine& line, int column, std::string_view rest) {
    const bool is_quoted = rest.front() == '"' || rest.front() == '\'';
    const size_t colon = rest.find(':', is_quoted ? rest.find(rest.front(), 1) : 0);
    const bool is_member =
        colon != std::string_view::npos && colon > 0 &&
        (colon + 1 == rest.size() || rest[colon + 1] == ' ' || rest[colon + 1] == kWrittenMark);
    if (!is_member || rest.front() == '{' || rest.front() == '[') {
      opaque_ = column;
      return {};
    }
    std::erase_if(open_, [column](const Open& one) { return one.column >= column; });
    const std::string name = unquoted(rest.substr(0, colon));
    const Open parent = open_.back();
    const std::string path = parent.path + (parent.path.empty() ? "" : ".") + name;
    SchemaPlace place;
    if (name.find(kWrittenMark) == std::string::npos) {
      CW_TRY_VOID(check_type(parent.place, "object", parent.path, line, column));
      CW_TRY(place, member_of(parent, name, line, column));
    }
    open_.push_back({column, Kind::kMember, path, place});
    const std::string_view value = base::trim(rest.substr(colon + 1));
    if (!value.empty() && value.front() != '#') {
      opaque_ = column;
      const std::string_view found = line.branches ? "" : type_of_text(value, line);
      return check_type(place, found, path, line,
                        column + static_cast<int>(value.data() - rest.data()));
    }
    return {};
  }

  base::Result<SchemaPlace> member_of(const Open& parent, const std::string& name,
                                      const WrittenLine& line, int column) const {
    if (parent.kind == Kind::kRoot && name == kConditions) {
      return SchemaPlace(conditions_, Unlisted::kDropped);
    }
    if (parent.kind == Kind::kRoot &&
        std::find(kEngineFields.begin(), kEngineFields.end(), name) != kEngineFields.end()) {
      return fault("\"" + name + "\" is a field of the operator itself: choose another name", line,
                   column);
    }
    const std::vector<std::string_view> known = parent.place.members();
    if (!known.empty() && std::find(known.begin(), known.end(), name) == known.end()) {
      const std::string_view near = base::nearest(name, known);
      const bool in_condition = parent.path == std::string(kConditions) + "[]";
      const std::string where = parent.path.empty() ? "" : " in \"" + parent.path + "\"";
      return fault((in_condition ? "a condition" : schema_.name) + " has no field \"" + name +
                       "\"" + (in_condition ? "" : where) +
                       (near.empty() ? "" : ", did you mean \"" + std::string(near) + "\"?"),
                   line, column);
    }
    return parent.place.member(name);
  }

  base::Status check_type(const SchemaPlace& place, std::string_view found, const std::string& path,
                          const WrittenLine& line, int column) const {
    if (place.allows(found)) {
      return {};
    }
    const std::string subject = path.empty() ? "the status" : "\"" + path + "\"";
    return fault(subject + " is of type " + std::string(found) + " here, and of type " +
                     std::string(place.type()) + " in " + schema_.name,
                 line, column);
  }

  base::Error fault(std::string text, const WrittenLine& line, int column) const {
    const size_t offset = line.offsets[static_cast<size_t>(column)];
    return base::Error(base::ErrorCode::kInvalidArgument, std::move(text))
        .at(tmpl::source_pos(file_, *tree_.source, offset));
  }

  static std::string unquoted(std::string_view text) {
    const bool quoted = text.size() >= 2 && text.front() == text.back() &&
                        (text.front() == '"' || text.front() == '\'');
    return std::string(quoted ? text.substr(1, text.size() - 2) : text);
  }

  /// Returns the type of a value on one line; "" if it is not known, and for null.
  static std::string_view type_of_text(std::string_view text, const WrittenLine& line) {
    if (text.size() == 1 && text.front() == kWrittenMark) {
      return line.written != nullptr ? type_of(*line.written) : "";
    }
    const bool is_partial = text.find(kWrittenMark) != std::string_view::npos ||
                            std::string_view("|>&*!").find(text.front()) != std::string_view::npos;
    if (is_partial) {
      return "";
    }
    const auto value = yaml::parse_yaml(text, value::Numbers::kInt64);
    return value.ok() ? value::schema_type(*value) : "";
  }

  const tmpl::Tree& tree_;
  const std::string& file_;
  const StatusSchema& schema_;
  const Value conditions_ = condition_list();
  std::vector<Open> open_;
  int opaque_ = -1;  ///< Lines with a greater indentation belong to a value; -1: none do.
};

}  // namespace

std::span<const std::string_view> engine_status_fields() { return kEngineFields; }

base::Status check_status_fields(const helm::OperatorTemplate& status, const std::string& file,
                                 const StatusSchema& schema) {
  CW_TRY(const auto tree, status.tree());
  return FieldCheck(*tree, file, schema).run();
}

}  // namespace chartwright::bundle
