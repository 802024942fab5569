// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>

#include "record/packed_chart.h"
#include "revision/record.h"
#include "test/value/json_text.h"

namespace chartwright::origin::testing {

inline constexpr std::string_view kWebTemplate = R"(apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ .Release.Name }}-web
spec:
  replicas: {{ .Values.replicas }}
  minReadySeconds: {{ mul .Values.replicas 10 }}
  paused: false
  template:
    spec:
      containers:
      - name: web
        image: {{ include "image" . | quote }}
        resources:
          {{- toYaml .Values.resources | nindent 10 }}
)";
inline constexpr std::string_view kKeysTemplate = R"(apiVersion: v1
kind: Secret
metadata:
  name: {{ .Release.Name }}-keys
stringData:
  token: {{ .Values.token | quote }}
)";
inline constexpr std::string_view kHelpers =
    "{{ define \"image\" -}}\n{{ .Values.image.name }}:{{ .Values.image.tag }}\n{{- end }}";

/// Returns the manifest that the chart renders for a release "one".
inline std::string manifest_of(int replicas, std::string_view tag) {
  return "---\n# Source: shop/templates/keys.yaml\n"
         "apiVersion: v1\nkind: Secret\nmetadata:\n  name: one-keys\n"
         "stringData:\n  token: \"planted-token\"\n"
         "---\n# Source: shop/templates/web.yaml\n"
         "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: one-web\nspec:\n  replicas: " +
         std::to_string(replicas) + "\n  minReadySeconds: " + std::to_string(10 * replicas) +
         "\n  paused: false\n  template:\n    spec:\n      containers:\n      - name: web\n"
         "        image: \"nginx:" +
         std::string(tag) + "\"\n        resources:\n          limits:\n            cpu: 500m\n";
}

/// Returns a revision of the chart, whose config is given as JSON.
inline release::Revision revision_of(int number, std::string_view config,
                                     const std::string& manifest) {
  using value::testing::json;
  release::Revision revision;
  revision.number = number;
  revision.description = number == 1 ? "Install complete" : "Upgrade complete";
  revision.manifest = manifest;
  revision.config = json(config);
  revision.chart_metadata = json(R"({"apiVersion":"v2","name":"shop","version":"0.1.0"})");
  revision.chart_values = json(R"({"replicas":1,"token":"planted-token",
      "image":{"name":"nginx","tag":"1"},"resources":{"limits":{"cpu":"500m"}}})");
  revision.chart_files = CW_MUST(
      record::pack_chart(record::ChartFiles{.templates = {{"templates/web.yaml", kWebTemplate},
                                                          {"templates/keys.yaml", kKeysTemplate},
                                                          {"templates/_helpers.tpl", kHelpers}}}));
  return revision;
}

}  // namespace chartwright::origin::testing
