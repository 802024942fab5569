// SPDX-License-Identifier: Apache-2.0
#include "apiserver/table.h"

#include <utility>

#include "value/json.h"

namespace chartwright::apiserver {
namespace {

using value::Value;
using views::Column;
using views::ObjectPage;
using views::View;

Value column_definition(const Column& column) {
  return Value::dict({{"name", Value::string(column.name)},
                      {"type", Value::string(column.type)},
                      {"format", Value::string(column.format)},
                      {"description", Value::string(column.description)},
                      {"priority", Value::integer(column.priority)}});
}

Column fixed_column(std::string name, std::string type, std::string format,
                    std::string description) {
  return {std::move(name),   value::Path({}),        std::move(type),
          std::move(format), std::move(description), 0};
}

Value column_definitions(const View& view) {
  std::vector<Value> columns;
  columns.push_back(column_definition(
      fixed_column("Name", "string", "name", "Name of the object, unique within its namespace")));
  for (const Column& column : view.columns) {
    columns.push_back(column_definition(column));
  }
  columns.push_back(
      column_definition(fixed_column("Age", "string", "", "Time since the object was created")));
  return Value::list(std::move(columns));
}

std::string age_of(std::string_view created, base::WallTime now) {
  const auto then = base::parse_rfc3339(created);
  return then.ok() ? human_age(*then, now) : "<unknown>";
}

/// Returns what a cell of `type` shows; null for a value that does not have the type.
Value cell(const Column& column, const Value& object, base::WallTime now) {
  const Value* found = column.path.get(object);
  if (found == nullptr || found->is_nil()) {
    return Value();
  }
  if (column.type == "date") {
    return found->is_string() ? Value::string(age_of(found->as_string(), now)) : Value();
  }
  if (column.type == "integer") {
    return found->is_int() ? *found : Value();
  }
  if (column.type == "number") {
    return found->is_number() ? *found : Value();
  }
  if (column.type == "boolean") {
    return found->is_bool() ? *found : Value();
  }
  if (found->is_string()) {
    return *found;
  }
  return Value::string(value::to_json(*found, value::JsonEscape::kNone).value_or(""));
}

Value partial(const Value& object, std::string_view version) {
  const Value* metadata = object.find("metadata");
  return Value::dict({{"apiVersion", Value::string("meta.k8s.io/" + std::string(version))},
                      {"kind", Value::string("PartialObjectMetadata")},
                      {"metadata", metadata != nullptr ? *metadata : Value::dict()}});
}

Value row(const View& view, const Value& object, const Rendition& rendition, base::WallTime now) {
  std::vector<Value> cells;
  cells.push_back(Value::string(kube::name_of(object)));
  for (const Column& column : view.columns) {
    cells.push_back(cell(column, object, now));
  }
  cells.push_back(Value::string(age_of(object.string_at({"metadata", "creationTimestamp"}), now)));
  Value row = Value::dict({{"cells", Value::list(std::move(cells))}});
  if (rendition.include == IncludeObject::kMetadata) {
    row.mutable_dict().set("object", partial(object, rendition.accepted.version));
  } else if (rendition.include == IncludeObject::kObject) {
    row.mutable_dict().set("object", object);
  }
  return row;
}

Value list_metadata(const ObjectPage& page) {
  Value metadata = Value::dict({{"resourceVersion", Value::string(page.resource_version)}});
  if (!page.continue_token.empty()) {
    metadata.mutable_dict().set("continue", Value::string(page.continue_token));
  }
  return metadata;
}

/// Returns a table without rows.
Value table(const View& view, Value metadata, const Rendition& rendition) {
  return Value::dict(
      {{"apiVersion", Value::string("meta.k8s.io/" + rendition.accepted.version)},
       {"kind", Value::string("Table")},
       {"metadata", std::move(metadata)},
       {"columnDefinitions", rendition.headers ? column_definitions(view) : Value()}});
}

}  // namespace

Value present(const View& view, const Value& object, const Rendition& rendition,
              base::WallTime now) {
  switch (rendition.accepted.form) {
    case Form::kTable: {
      Value shown = table(
          view,
          Value::dict({{"resourceVersion", Value::string(kube::resource_version_of(object))}}),
          rendition);
      shown.mutable_dict().set("rows", Value::list({row(view, object, rendition, now)}));
      return shown;
    }
    case Form::kPartialMetadata:
    case Form::kPartialMetadataList:
      return partial(object, rendition.accepted.version);
    default:
      return object;
  }
}

Value present_frame(const View& view, const ObjectPage& page, const Rendition& rendition) {
  if (rendition.accepted.form == Form::kTable) {
    return table(view, list_metadata(page), rendition);
  }
  const bool plain = rendition.accepted.form == Form::kPlain;
  return Value::dict(
      {{"apiVersion", Value::string(plain ? view.resource.api_version()
                                          : "meta.k8s.io/" + rendition.accepted.version)},
       {"kind", Value::string(plain ? view.resource.list_kind() : "PartialObjectMetadataList")},
       {"metadata", list_metadata(page)}});
}

std::string_view members_key(const Rendition& rendition) {
  return rendition.accepted.form == Form::kTable ? "rows" : "items";
}

Value present_member(const View& view, const Value& object, const Rendition& rendition,
                     base::WallTime now) {
  return rendition.accepted.form == Form::kTable ? row(view, object, rendition, now)
                                                 : present(view, object, rendition, now);
}

std::string human_age(base::WallTime then, base::WallTime now) {
  const int64_t seconds = std::chrono::duration_cast<std::chrono::seconds>(now - then).count();
  const auto parts = [](int64_t whole, const char* unit, int64_t rest, const char* rest_unit) {
    return std::to_string(whole) + unit +
           (rest > 0 ? std::to_string(rest) + rest_unit : std::string());
  };
  const int64_t minutes = seconds / 60;
  const int64_t hours = minutes / 60;
  const int64_t days = hours / 24;
  if (seconds < -1) {
    return "<invalid>";
  }
  if (seconds < 0) {
    return "0s";
  }
  if (seconds < 120) {
    return std::to_string(seconds) + "s";
  }
  if (minutes < 10) {
    return parts(minutes, "m", seconds % 60, "s");
  }
  if (minutes < 180) {
    return std::to_string(minutes) + "m";
  }
  if (hours < 8) {
    return parts(hours, "h", minutes % 60, "m");
  }
  if (hours < 48) {
    return std::to_string(hours) + "h";
  }
  if (days < 8) {
    return parts(days, "d", hours % 24, "h");
  }
  if (days < int64_t{365} * 2) {
    return std::to_string(days) + "d";
  }
  const int64_t years = days / 365;
  return years < 8 ? parts(years, "y", days % 365, "d") : std::to_string(years) + "y";
}

}  // namespace chartwright::apiserver
