// SPDX-License-Identifier: Apache-2.0
#include "report/operator_mark.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::cmd {
namespace {

bool is_operator_with(const std::string& container) {
  return is_operator(CW_MUST(
      value::parse_json(R"({"spec":{"template":{"spec":{"containers":[)" + container + "]}}}}",
                        value::Numbers::kInt64)));
}

}  // namespace

TEST_CASE("An operator is known by its command, its image, or the volume of its state") {
  CHECK(is_operator_with(R"({"image":"registry:5000/team/chartwright:0.1@sha256:00"})"));
  CHECK(is_operator_with(R"({"image":"shop","command":["/usr/local/bin/helm-operator","run"]})"));
  CHECK(is_operator_with(
      R"({"image":"shop"},{"image":"b","volumeMounts":[{"mountPath":"/var/lib/chartwright"}]})"));
  CHECK_FALSE(is_operator_with(R"({"image":"chartwright/web","command":["run","chartwright"]})"));
  CHECK_FALSE(is_operator_with(R"({"image":7,"command":7,"volumeMounts":{}})"));
  CHECK_FALSE(is_operator(value::Value()));
}

}  // namespace chartwright::cmd
