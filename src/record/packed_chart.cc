// SPDX-License-Identifier: Apache-2.0
#include "record/packed_chart.h"

#include <utility>

#include "base/digest.h"
#include "record/gzip.h"
#include "value/json.h"

namespace chartwright::record {
namespace {

using value::Value;

// Text of this size does not compress to what fits into a Secret.
constexpr size_t kBytesMax = size_t{8} << 20;

size_t bytes_of(const std::vector<ChartFile>& files) {
  size_t bytes = 0;
  for (const ChartFile& file : files) {
    bytes += file.name.size() + file.data.size();
  }
  return bytes;
}

// Source: helm/helm v3 pkg/chart/file.go; encoding/json writes []byte in base64.
Value files_value(const std::vector<ChartFile>& files) {
  std::vector<Value> items;
  items.reserve(files.size());
  for (const ChartFile& file : files) {
    items.push_back(Value::dict({{"name", Value::string(file.name)},
                                 {"data", Value::string(base::base64_encode(file.data))}}));
  }
  return Value::list(std::move(items));
}

base::Result<std::vector<UnpackedChart::File>> files_of(const Value& chart, std::string_view key) {
  std::vector<UnpackedChart::File> files;
  for (const Value& item : chart.items_at({key})) {
    CW_TRY(std::string data, base::base64_decode(item.string_at({"data"})));
    files.push_back({std::string(item.string_at({"name"})), std::move(data)});
  }
  return files;
}

bool is_empty(const Value& member) {
  return member.is_nil() || (member.is_list() && member.as_list().items.empty());
}

// Returns the members of a chart as the end of a record.
base::Result<std::string> end_of_record(const Value& members) {
  CW_TRY(std::string json, value::to_json(members, value::JsonEscape::kNone));
  json.erase(0, 1);  // The brace: metadata and values stand before.
  json += '}';
  return gzip(json);
}

}  // namespace

base::Result<std::shared_ptr<const PackedChart>> pack_chart(const ChartFiles& chart) {
  Value members = Value::dict(
      {{"lock", chart.lock},
       {"schema", chart.schema ? Value::string(base::base64_encode(*chart.schema)) : Value::nil()},
       {"templates", Value::list()},
       {"files", Value::list()}});
  const size_t schema_bytes = chart.schema ? chart.schema->size() : 0;
  const size_t template_bytes = bytes_of(chart.templates) + schema_bytes;
  auto packed = std::make_shared<PackedChart>();
  if (template_bytes <= kBytesMax) {
    members.mutable_dict().set("templates", files_value(chart.templates));
    CW_TRY(std::string end, end_of_record(members));
    packed->choices.push_back(std::move(end));
  }
  if (!chart.files.empty() && bytes_of(chart.files) + template_bytes <= kBytesMax) {
    members.mutable_dict().set("files", files_value(chart.files));
    CW_TRY(std::string end, end_of_record(members));
    packed->choices.insert(packed->choices.begin(), std::move(end));
  }
  return std::shared_ptr<const PackedChart>(std::move(packed));
}

base::Result<std::shared_ptr<const PackedChart>> pack_chart(const Value& chart) {
  Value members = Value::dict();
  bool has_files = false;
  if (!chart.is_dict()) {
    return std::shared_ptr<const PackedChart>();
  }
  for (const auto& [key, member] : chart.as_dict()) {
    if (key != "metadata" && key != "values") {
      members.mutable_dict().set(key, member);
      has_files = has_files || !is_empty(member);
    }
  }
  if (!has_files) {
    return std::shared_ptr<const PackedChart>();
  }
  auto packed = std::make_shared<PackedChart>();
  CW_TRY(std::string end, end_of_record(members));
  packed->choices.push_back(std::move(end));
  return std::shared_ptr<const PackedChart>(std::move(packed));
}

base::Result<UnpackedChart> unpack_chart(const PackedChart& packed) {
  // In base64, beside names.
  constexpr size_t kTextBytesMax = 3 * kBytesMax;
  if (packed.choices.empty()) {
    return UnpackedChart();
  }
  CW_TRY(std::string json, gunzip(packed.choices.front(), kTextBytesMax));
  if (!json.ends_with('}')) {
    return base::Error(base::ErrorCode::kParse, "the record has no files of a chart");
  }
  json.pop_back();  // The brace of the record.
  CW_TRY(const Value chart, value::parse_json("{" + json, value::Numbers::kInt64));
  UnpackedChart unpacked;
  CW_TRY(unpacked.templates, files_of(chart, "templates"));
  CW_TRY(unpacked.files, files_of(chart, "files"));
  return unpacked;
}

std::string_view end_without_files() {
  return R"("lock":null,"schema":null,"templates":[],"files":[]}})";
}

}  // namespace chartwright::record
