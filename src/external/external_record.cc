// SPDX-License-Identifier: Apache-2.0
#include "external/external_record.h"

#include <utility>

namespace chartwright::external {

using value::Value;

Record presumed_record(base::WallTime now) {
  return {"", std::string(Record::kPresumed) + base::format_rfc3339(now), "", ""};
}

Records read_records(const Value& externals) {
  Records records;
  if (!externals.is_dict()) {
    return records;
  }
  for (const auto& [name, member] : externals.as_dict()) {
    Record record;
    record.id = member.string_at({"id"});
    record.intent = member.string_at({"intent"});
    record.sent = member.string_at({"sent"});
    record.held = member.string_at({"held"});
    if (!record.empty()) {
      records.emplace(name, std::move(record));
    }
  }
  return records;
}

Value to_status(const Records& records) {
  Value all = Value::dict();
  for (const auto& [name, record] : records) {
    Value one = Value::dict();
    const auto set = [&one](std::string_view key, const std::string& text) {
      if (!text.empty()) {
        one.mutable_dict().set(key, Value::string(text));
      }
    };
    set("id", record.id);
    set("intent", record.intent);
    set("sent", record.sent);
    set("held", record.held);
    if (!record.empty()) {
      all.mutable_dict().set(name, std::move(one));
    }
  }
  return all.as_dict().empty() ? Value() : all;
}

}  // namespace chartwright::external
