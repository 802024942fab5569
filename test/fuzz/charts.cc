// SPDX-License-Identifier: Apache-2.0
#include <optional>
#include <string>

#include "base/check.h"
#include "base/clock.h"
#include "bundle/watches.h"
#include "go/time.h"
#include "helm/chart/archive.h"
#include "helm/chart/loader.h"
#include "helm/schema/schema.h"
#include "helm/toml/toml.h"
#include "helm/values/strvals.h"
#include "helm/version/semver.h"
#include "record/gzip.h"
#include "test/fuzz/targets.h"
#include "value/json.h"

// Targets for the other inputs from a chart, a command line or watches.yaml.
namespace chartwright::fuzz {

using base::Result;
using value::Value;

void chart_archive(std::string_view tar) {
  auto files = helm::read_archive(CW_MUST(record::gzip(tar)));
  if (files.ok()) {
    (void)helm::load_chart_files(*std::move(files));
  }
  (void)helm::read_archive(tar);
}

void set_values(std::string_view line) {
  Value dest =
      Value::dict({{"list", Value::list({Value::integer(1)})}, {"text", Value::string("a")}});
  (void)helm::parse_set(line, helm::SetMode::kTyped, dest);
  (void)helm::parse_set(line, helm::SetMode::kString, dest);
  (void)helm::parse_set_json(line, dest);
  (void)helm::parse_set_literal(line, dest);
  CW_CHECK(dest.is_dict());
  (void)value::to_json(dest);
}

void json_schema(std::string_view schema_and_value) {
  const auto [schema, instance] = split(schema_and_value, '\0');
  const auto compiled = helm::Schema::compile(schema);
  const Result<Value> decoded = value::parse_json(instance, value::Numbers::kFloat64);
  if (compiled.ok() && decoded.ok()) {
    (void)compiled->validate(*decoded);
  }
}

void toml_text(std::string_view text) {
  const base::SystemClock clock;
  base::Budget budget({}, clock);
  const auto decoded = helm::from_toml(text, {budget, {}});
  if (decoded.ok()) {
    (void)helm::to_toml(*decoded);
  }
}

void date_layout(std::string_view layout_and_text) {
  const auto [layout, text] = split(layout_and_text, '\n');
  const auto time = go::parse_time(layout, text);
  if (time.ok()) {
    (void)go::to_string(*time);
  }
  (void)go::format_time(go::Time{}, layout);
}

void semantic_version(std::string_view constraint_and_version) {
  const auto [constraint, text] = split(constraint_and_version, '\n');
  const auto version = helm::Version::parse(text);
  if (!version.ok()) {
    (void)helm::Constraints::parse(constraint);
    return;
  }
  const auto again = helm::Version::parse(version->to_string());
  CW_CHECK(again.ok() && again->compare(*version) == 0);
  if (const auto parsed = helm::Constraints::parse(constraint); parsed.ok()) {
    (void)parsed->check(*version);
  }
}

void watches_file(std::string_view text) {
  const base::SystemClock clock;
  (void)bundle::parse_watches(
      std::string(text), "watches.yaml", clock,
      [](const std::string& /*name*/) { return std::optional<std::string>(); });
}

}  // namespace chartwright::fuzz
