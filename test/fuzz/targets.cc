// SPDX-License-Identifier: Apache-2.0
#include "test/fuzz/targets.h"

#include <array>

namespace chartwright::fuzz {

std::span<const Target> targets() {
  static constexpr std::array kTargets = {
      Target{"chart_archive", &chart_archive},
      Target{"chart_release", &chart_release, Shape::kSections},
      Target{"chart_render", &chart_render},
      Target{"date_layout", &date_layout},
      Target{"diagnosis_world", &diagnosis_world},
      Target{"field_set", &field_set},
      Target{"json_patch", &json_patch},
      Target{"json_schema", &json_schema},
      Target{"json_text", &json_text},
      Target{"revision_record", &revision_record},
      Target{"semantic_version", &semantic_version},
      Target{"set_values", &set_values},
      Target{"template_text", &template_text},
      Target{"toml_text", &toml_text},
      Target{"watch_stream", &watch_stream},
      Target{"watches_file", &watches_file},
      Target{"yaml_text", &yaml_text},
  };
  return kTargets;
}

}  // namespace chartwright::fuzz
