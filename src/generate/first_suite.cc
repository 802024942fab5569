// SPDX-License-Identifier: Apache-2.0
#include "generate/first_suite.h"

#include "base/strings.h"
#include "generate/role.h"
#include "kube/object.h"
#include "yaml/yaml.h"

namespace chartwright::generate {
namespace {

constexpr std::string_view kBefore = R"(# Run it with `chartwright test CHART`.
suite: what the operator does
scenarios:
- it: installs, rests, and goes
  given:
    resource:
)";

constexpr std::string_view kSteps = R"(  when:
  - install:
    then:
    - condition: {type: Deployed, status: "True"}
    - revisions: [{number: 1, status: deployed}]
  - wait: 1h
    then:
    - writes: 0
  - uninstall:
    then:
)";

}  // namespace

bool has_scenarios(const bundle::Watch& watch) {
  return watch.bundle.externals.empty() && !watch.bundle.has_crds;
}

std::optional<std::string> first_suite(const bundle::Watch& watch, std::string_view sample) {
  const auto resource = yaml::parse_yaml(sample, value::Numbers::kInt64);
  if (!resource.ok() || kube::name_of(*resource).empty()) {
    return std::nullopt;
  }
  std::string text = std::string(kLicenseLine) + std::string(kBefore);
  for (const std::string_view line : base::split(sample, '\n')) {
    const std::string_view written = base::trim(line);
    if (!written.empty() && !written.starts_with('#')) {
      text += "      " + std::string(line) + "\n";
    }
  }
  return text + std::string(kSteps) + "    - absent: " + watch.gvk.kind + "/" +
         std::string(kube::name_of(*resource)) + "\n";
}

}  // namespace chartwright::generate
