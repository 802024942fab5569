// SPDX-License-Identifier: Apache-2.0
#include "migration/finding.h"

#include <catch2/catch.hpp>

#include "value/json.h"

namespace chartwright::cmd {

TEST_CASE("Findings are a table, and the worst one counts") {
  const std::vector<Finding> findings = {{Grade::kOk, "watches", "2 kinds"},
                                         {Grade::kFail, "arguments", "--new\n", "remove it"},
                                         {Grade::kWarn, "render", "differs", "stay"}};
  CHECK(table_of(findings) ==
        "RESULT   CHECK       FINDING   FIX\n"
        "OK       watches     2 kinds   -\n"
        "FAIL     arguments   --new\\n   remove it\n"
        "WARN     render      differs   stay\n");
  CHECK(worst_of(findings) == Grade::kFail);
  CHECK(worst_of({}) == Grade::kOk);
  CHECK(CW_MUST(value::to_json(to_value(findings[2]))) ==
        R"({"check":"render","finding":"differs","fix":"stay","result":"WARN"})");
}

}  // namespace chartwright::cmd
