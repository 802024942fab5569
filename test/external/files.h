// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/check.h"
#include "base/strings.h"
#include "external/external.h"
#include "helm/render/renderable_chart.h"

namespace chartwright::external::testing {

/// Returns a chart without templates.
inline std::shared_ptr<const helm::RenderableChart> chart() {
  return CW_MUST(helm::RenderableChart::from_files(
      {helm::File{"Chart.yaml", "apiVersion: v2\nname: shop\nversion: 0.1.0\n"}}));
}

/// Loads files of externals/, by their names in that folder.
inline base::Result<std::vector<External>> load(const std::map<std::string, std::string>& files) {
  OperatorFiles all;
  for (const auto& [name, text] : files) {
    all["externals/" + name] = text;
  }
  return load_externals(chart(), all, "shop/operator/");
}

/// Returns a complete file with a server at `url`.
inline std::string file(const std::string& name, const std::string& url = "http://localhost") {
  return "name: " + name + "\ndriver: {http: {baseURL: '" + url + R"('}}
observe: {call: GET /items, items: items, select: '{{ eq .item.id .id }}'}
create:
  call: POST /items
  body: 'name: {{ .Values.name | quote }}'
  capture: '{{ .response.id }}'
  adopt: '{{ eq .item.name .sent.name }}'
update: {call: 'PUT /items/{{ .id }}', body: 'name: {{ .Values.name | quote }}'}
delete: {call: 'DELETE /items/{{ .id }}'}
timeout: 1s
)";
}

/// Returns a complete file whose create has `text` in its path.
inline std::string with_call(const std::string& name, const std::string& text) {
  return base::replace_all(file(name), "POST /items",
                           "'POST /" + base::replace_all(text, "'", "''") + "'");
}

}  // namespace chartwright::external::testing
