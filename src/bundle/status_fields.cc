// SPDX-License-Identifier: Apache-2.0
#include "bundle/status_fields.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

#include "base/strings.h"
#include "bundle/schema_place.h"
#include "bundle/written_lines.h"
#include "health/condition_types.h"
#include "tmpl/output_trace.h"
#include "value/json.h"
#include "yaml/document.h"
#include "yaml/yaml.h"

namespace chartwright::bundle {
namespace {

using value::Value;

constexpr std::string_view kConditions = "conditions";
constexpr std::string_view kConditionPath = "conditions[]";
constexpr std::string_view kConditionTypePath = "conditions[].type";
constexpr std::array<std::string_view, 13> kEngineFields = {"observedGeneration",
                                                            kConditions,
                                                            "revision",
                                                            "history",
                                                            "resources",
                                                            "inputs",
                                                            "pin",
                                                            "lastHandledRollback",
                                                            "externals",
                                                            "attempt",
                                                            "deployedRelease",
                                                            "signature",
                                                            "selectedBy"};
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

/// Stands for kWrittenMark in YAML that is parsed: null, of which any type is accepted.
constexpr char kStandIn = '~';

/// A condition of which the lines are being read.
struct OpenCondition {
  const WrittenLine* line;  ///< The line of its dash.
  int column;
  std::vector<std::string> fields = {};
  bool is_open = false;  ///< A helper may write other fields.
};

/// Follows the lines of a template down the schema, by their indentation.
class FieldCheck {
 public:
  FieldCheck(const tmpl::Tree& tree, const std::string& file, const StatusSchema& schema)
      : tree_(tree), file_(file), schema_(schema) {
    open_.push_back({-1, Kind::kRoot, "", SchemaPlace(schema.root, Unlisted::kDropped)});
  }

  base::Status run() {
    const std::vector<WrittenLine> lines = written_lines(tree_);
    for (const WrittenLine& line : lines) {
      CW_TRY_VOID(read(line));
    }
    return end_condition();
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
    if (condition_ && (may_write_lines(line) || line.text[first] == kWrittenMark)) {
      condition_->is_open = true;
    }
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
    const bool is_condition = list.path == kConditions;
    open_.push_back({column, Kind::kItem, list.path + "[]", list.place.item()});
    if (is_condition) {
      CW_TRY_VOID(end_condition());
      condition_ = OpenCondition{&line, column, {}, may_write_lines(line)};
    }
    return {};
  }

  /// Checks the condition of which the lines were read. The operator drops one without a type, and
  /// the API server refuses one without a status.
  base::Status end_condition() {
    const std::optional<OpenCondition> ended = std::exchange(condition_, std::nullopt);
    if (!ended || ended->is_open) {
      return {};
    }
    return check_condition(ended->fields, *ended->line, ended->column);
  }

  base::Status check_condition(const std::vector<std::string>& fields, const WrittenLine& line,
                               int column) const {
    for (std::string_view needed : {kConditionFields[0], kConditionFields[1]}) {
      if (std::ranges::find(fields, needed) == fields.end()) {
        return fault("a condition without \"" + std::string(needed) +
                         "\": it needs a type of its own, and the status True, False or Unknown",
                     line, column);
      }
    }
    return {};
  }

  base::Status read_member(const WrittenLine& line, int column, std::string_view rest) {
    const bool is_quoted = rest.front() == '"' || rest.front() == '\'';
    const size_t colon = rest.find(':', is_quoted ? rest.find(rest.front(), 1) : 0);
    const bool is_member =
        colon != std::string_view::npos && colon > 0 &&
        (colon + 1 == rest.size() || rest[colon + 1] == ' ' || rest[colon + 1] == kWrittenMark);
    const bool is_flow = rest.front() == '{' || rest.front() == '[';
    if (!is_member || is_flow) {
      opaque_ = column;
      std::erase_if(open_, [column](const Open& one) { return one.column >= column; });
      const bool is_item = open_.back().kind == Kind::kItem;
      if (open_.back().path == kConditionPath) {
        condition_.reset();  // It has no lines of its own.
      }
      if (is_flow || is_item) {
        return check_value(open_.back(), rest, line, column);
      }
      return {};
    }
    std::erase_if(open_, [column](const Open& one) { return one.column >= column; });
    if (open_.back().kind == Kind::kRoot) {
      CW_TRY_VOID(end_condition());
    }
    const std::string name = unquoted(rest.substr(0, colon));
    const Open parent = open_.back();
    const std::string path = parent.path + (parent.path.empty() ? "" : ".") + name;
    SchemaPlace place;
    if (name.find(kWrittenMark) == std::string::npos) {
      CW_TRY_VOID(check_type(parent.place, "object", parent.path, line, column));
      CW_TRY(place, member_of(parent, name, line, column));
    }
    if (condition_ && parent.path == kConditionPath) {
      condition_->fields.push_back(name);
    }
    open_.push_back({column, Kind::kMember, path, place});
    const std::string_view value = base::trim(rest.substr(colon + 1));
    if (!value.empty() && value.front() != '#') {
      opaque_ = column;
      return check_value(open_.back(), value, line,
                         column + static_cast<int>(value.data() - rest.data()));
    }
    return {};
  }

  /// Checks a value that begins at `column` of a line, of which it is the rest. One in braces or
  /// brackets that ends on another line is not looked at.
  base::Status check_value(const Open& at, std::string_view text, const WrittenLine& line,
                           int column) const {
    if (line.branches) {
      return {};
    }
    if (text.front() != '{' && text.front() != '[') {
      CW_TRY_VOID(check_type(at.place, type_of_text(text, line), at.path, line, column));
      return check_condition_type(at, text, line, column);
    }
    std::string yaml(text);
    std::ranges::replace(yaml, kWrittenMark, kStandIn);
    const auto node = yaml::parse_document(yaml, "");
    if (!node.ok()) {
      return {};
    }
    return check_node(*node, at, {text, line, column});
  }

  /// A text that was parsed, and where it stands.
  struct Parsed {
    std::string_view text;
    const WrittenLine& line;
    int column;

    int column_of(const yaml::DocumentNode& node) const { return column + node.pos.column - 1; }
    /// Returns the text of a scalar as the template writes it, with its marks.
    std::string_view written(const yaml::DocumentNode& node) const {
      const auto begin = static_cast<size_t>(std::max(node.pos.column - 1, 0));
      return begin < text.size() ? text.substr(begin, std::max(node.text.size(), size_t{1})) : "";
    }
    bool has_mark(const yaml::DocumentNode& node) const {
      return written(node).find(kWrittenMark) != std::string_view::npos;
    }
  };

  base::Status check_node(const yaml::DocumentNode& node, const Open& at, const Parsed& in) const {
    using NodeKind = yaml::DocumentNode::Kind;
    const int column = in.column_of(node);
    if (node.kind == NodeKind::kList) {
      CW_TRY_VOID(check_type(at.place, "array", at.path, in.line, column));
      for (const yaml::DocumentNode& item : node.items) {
        CW_TRY_VOID(check_node(item, {0, Kind::kItem, at.path + "[]", at.place.item()}, in));
      }
      return {};
    }
    if (node.kind == NodeKind::kMap) {
      CW_TRY_VOID(check_type(at.place, "object", at.path, in.line, column));
      return check_members(node, at, in);
    }
    CW_TRY_VOID(check_type(at.place, type_of_node(node, in), at.path, in.line, column));
    if (!node.plain) {
      return {};
    }
    return check_condition_type(at, node.text, in.line, column);
  }

  base::Status check_members(const yaml::DocumentNode& node, const Open& at,
                             const Parsed& in) const {
    std::vector<std::string> names;
    bool is_open = false;
    for (const yaml::DocumentEntry& entry : node.entries) {
      const std::string& name = entry.key.text;
      if (in.has_mark(entry.key)) {
        is_open = true;
        continue;
      }
      names.push_back(name);
      CW_TRY(const SchemaPlace place, member_of(at, name, in.line, in.column_of(entry.key)));
      const std::string path = at.path + (at.path.empty() ? "" : ".") + name;
      CW_TRY_VOID(check_node(entry.value, {0, Kind::kMember, path, place}, in));
    }
    if (at.path != kConditionPath || is_open) {
      return {};
    }
    return check_condition(names, in.line, in.column_of(node));
  }

  std::string_view type_of_node(const yaml::DocumentNode& node, const Parsed& in) const {
    if (in.has_mark(node)) {
      const bool is_only = std::ranges::count(in.text, kWrittenMark) == 1;
      const bool is_plain = node.plain || node.kind == yaml::DocumentNode::Kind::kNull;
      return is_plain && is_only && in.line.written != nullptr && in.written(node).size() == 1
                 ? type_of(*in.line.written)
                 : "";
    }
    const auto value = yaml::document_value(node, value::Numbers::kInt64);
    return value.ok() ? value::schema_type(*value) : "";
  }

  base::Status check_condition_type(const Open& at, std::string_view type, const WrittenLine& line,
                                    int column) const {
    if (at.path != kConditionTypePath || !health::is_engine_condition(unquoted(type))) {
      return {};
    }
    return fault("the operator itself writes the condition " + unquoted(type) +
                     ", so this one would have no effect: choose another type",
                 line, column);
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
      const bool in_condition = parent.path == kConditionPath;
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
    const std::vector<std::string_view> types = place.types();
    return fault(subject + " is of type " + std::string(found) + " here, and of type " +
                     base::join({types.begin(), types.end()}, " or ") + " in " + schema_.name,
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
  std::optional<OpenCondition> condition_;
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
