// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"

namespace chartwright::bundle::testing {

using Files = std::vector<std::pair<std::string, std::string>>;

/// A folder with the given files, deleted at the end of the test.
class Folder {
 public:
  explicit Folder(const Files& files) {
    std::string pattern = (std::filesystem::temp_directory_path() / "cw-operator-XXXXXX").string();
    CW_CHECK(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    for (const auto& [name, text] : files) {
      write(name, text);
    }
  }
  ~Folder() { std::filesystem::remove_all(path_); }
  Folder(const Folder&) = delete;
  Folder& operator=(const Folder&) = delete;

  const std::string& path() const { return path_; }
  void write(const std::string& name, const std::string& text) const {
    const std::filesystem::path file = std::filesystem::path(path_) / name;
    std::filesystem::create_directories(file.parent_path());
    std::ofstream(file, std::ios::binary) << text;
  }

 private:
  std::string path_;
};

/// Returns a chart whose values decide what it renders: a ConfigMap in a color, another one,
/// nothing, an error, or any manifest that the test sets.
inline Files widget_chart() {
  return {{"Chart.yaml", "apiVersion: v2\nname: widget\nversion: 0.1.0\n"},
          {"values.yaml", "color: red\nextra: \"\"\nbroken: false\nempty: false\nraw: \"\"\n"},
          {"templates/NOTES.txt", "Painted {{ .Values.color }}."},
          {"templates/widget.yaml",
           R"({{- if .Values.broken }}{{ fail "the widget is broken" }}{{ end }}
{{- if not .Values.empty }}
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .Release.Name }}
data:
  color: {{ .Values.color | quote }}
{{- with .Values.extra }}
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ . }}
{{- end }}
{{- with .Values.raw }}
---
{{ . }}
{{- end }}
{{- end }}
)"}};
}

/// Returns the files with others added, which replace those of the same name.
inline Files with(Files files, const Files& more) {
  for (const auto& [name, text] : more) {
    std::erase_if(files, [&name = name](const auto& file) { return file.first == name; });
    files.emplace_back(name, text);
  }
  return files;
}

}  // namespace chartwright::bundle::testing
