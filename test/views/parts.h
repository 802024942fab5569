// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "base/strings.h"
#include "test/base/manual_clock.h"
#include "value/json.h"
#include "views/feed.h"
#include "views/projector.h"
#include "views/view_file.h"

// Shared by the tests of views and of their server.
namespace chartwright::views {

/// Returns a view of ConfigMaps: `data.colour` is shown, those with `data.hidden` are not.
inline View paint_view() {
  return CW_MUST(parse_view(R"(group: paint.example.com
version: v1
resource: {kind: Paint, plural: paints}
source: {apiVersion: v1, kind: ConfigMap}
project: |
  {{- if not .source.data.hidden }}
  metadata: {name: {{ .source.data.name | default .source.metadata.name }}}
  spec: {colour: {{ required "a colour" .source.data.colour }}}
  {{- end }}
schema:
  type: object
  properties:
    spec:
      type: object
      properties:
        colour: {type: string}
)",
                            "paints.yaml"));
}

/// Returns a ConfigMap in namespace "a".
inline value::Value config_map(const std::string& name, const std::string& version,
                               const std::string& data) {
  std::string text = R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"NAME",)"
                     R"("namespace":"a","uid":"uid-NAME","resourceVersion":"VERSION",)"
                     R"("labels":{"of":"NAME"},"annotations":{"x":"secret"}},"data":DATA})";
  text = base::replace_all(text, "NAME", name);
  text = base::replace_all(text, "VERSION", version);
  return CW_MUST(value::parse_json(base::replace_all(text, "DATA", data), value::Numbers::kInt64));
}

/// A feed of paints, as a watcher fills it.
struct Paints {
  View view = paint_view();
  base::ManualClock clock;
  Projector projector{view, clock};
  Feed feed{projector};

  void list(const std::vector<value::Value>& sources, const std::string& version) {
    using Type = runtime::WatchEvent::Type;
    feed.apply({Type::kInit, {}, {}});
    for (const value::Value& source : sources) {
      feed.apply({Type::kInitApply, source, {}});
    }
    feed.apply({Type::kInitDone, {}, version});
  }
  void put(const std::string& name, const std::string& version, const std::string& data) {
    feed.apply({runtime::WatchEvent::Type::kApply, config_map(name, version, data), {}});
  }
};

}  // namespace chartwright::views
