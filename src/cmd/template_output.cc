// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>
#include <set>

#include "base/strings.h"
#include "chart/go_path.h"
#include "chart/rendered_text.h"
#include "cmd/template.h"

namespace chartwright::cmd {
namespace {

constexpr std::string_view kSourceMark = "# Source: ";

chart::PrintOptions print_options(const TemplateOptions& options) {
  chart::PrintOptions print;
  print.crds = options.include_crds ? chart::PrintCrds::kInclude : chart::PrintCrds::kOmit;
  print.hooks = options.no_hooks     ? chart::PrintHooks::kNone
                : options.skip_tests ? chart::PrintHooks::kNoTests
                                     : chart::PrintHooks::kAll;
  return print;
}

/// The template's path without the chart's name, from a document's "# Source:" line.
std::string_view template_path(std::string_view document) {
  for (size_t at = document.find(kSourceMark); at != std::string_view::npos;
       at = document.find(kSourceMark, at + 1)) {
    const std::string_view rest = document.substr(at + kSourceMark.size());
    const std::string_view line = rest.substr(0, rest.find('\n'));
    const size_t slash = line.find('/');
    if (slash != std::string_view::npos && slash > 0 && slash + 1 < line.size()) {
      return line.substr(slash + 1);
    }
  }
  return {};
}

base::Result<std::string> only_shown(const std::string& all, const TemplateOptions& options) {
  const std::vector<std::string> documents = chart::split_manifests(all);
  std::string out;
  for (const std::string& wanted : options.show_only) {
    bool missing = true;
    for (const std::string& document : documents) {
      const std::string_view path = template_path(document);
      const auto matched = chart::match_path(wanted, path);
      if (!path.empty() && matched.ok() && *matched) {
        out += "---\n" + document + "\n";
        missing = false;
      }
    }
    if (missing) {
      return base::Error(base::ErrorCode::kNotFound,
                         "could not find template " + wanted + " in chart");
    }
  }
  return out;
}

/// Appends documents to files, each created by the first document for it.
class FileWriter {
 public:
  explicit FileWriter(Streams& streams) : streams_(streams) {}

  base::Status write(const std::string& folder, const std::string& path,
                     const std::string& content) {
    const std::string name = folder + "/" + path;
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(name).parent_path(), error);
    std::ofstream file(name, written_.insert(name).second ? std::ios::trunc : std::ios::app);
    file << chart::source_block(path, content);
    file.close();
    if (error || !file) {
      return base::Error(base::ErrorCode::kForbidden, "cannot write " + name);
    }
    streams_.out("wrote " + name + "\n");
    return {};
  }

 private:
  Streams& streams_;
  std::set<std::string> written_;
};

}  // namespace

base::Result<std::string> print_rendered(const chart::Rendered& rendered,
                                         const TemplateOptions& options) {
  std::string out = chart::rendered_text(rendered, print_options(options));
  return options.show_only.empty() ? base::Result<std::string>(std::move(out))
                                   : only_shown(out, options);
}

base::Status write_rendered(const chart::Rendered& rendered, const TemplateOptions& options,
                            const std::string& release_name, Streams& streams) {
  FileWriter writer(streams);
  const std::string folder =
      options.use_release_name ? options.output_dir + "/" + release_name : options.output_dir;
  if (options.include_crds) {
    for (const chart::Crd& crd : rendered.crds) {
      CW_TRY_VOID(writer.write(options.output_dir, crd.path, crd.content));
    }
  }
  for (const chart::Manifest& manifest : rendered.manifests) {
    CW_TRY_VOID(writer.write(folder, manifest.path, manifest.content));
  }
  for (const chart::Hook& hook : rendered.hooks) {
    if (chart::prints_hook(hook, print_options(options))) {
      CW_TRY_VOID(writer.write(folder, hook.path, hook.content));
    }
  }
  streams.out("\n");  // Helm prints its empty document stream all the same
  return {};
}

}  // namespace chartwright::cmd
