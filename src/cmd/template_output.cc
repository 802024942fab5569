// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <fstream>

#include "cmd/template.h"
#include "go/path.h"
#include "helm/render/rendered_text.h"
#include "helm/render/stored_manifest.h"

namespace chartwright::cmd {
namespace {

constexpr std::string_view kSourceMark = "# Source: ";

helm::PrintHooks printed_hooks(const TemplateOptions& options) {
  if (options.no_hooks) {
    return helm::PrintHooks::kNone;
  }
  return options.skip_tests ? helm::PrintHooks::kNoTests : helm::PrintHooks::kAll;
}

helm::PrintOptions print_options(const TemplateOptions& options) {
  helm::PrintOptions print;
  print.crds = options.include_crds ? helm::PrintCrds::kInclude : helm::PrintCrds::kOmit;
  print.hooks = printed_hooks(options);
  return print;
}

/// Returns the template's path without the chart's name, from the "# Source:" line of a document.
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

base::Result<std::string> only_shown(const std::vector<std::string>& documents,
                                     const TemplateOptions& options) {
  std::string out;
  for (const std::string& wanted : options.show_only) {
    bool missing = true;
    for (const std::string& document : documents) {
      const std::string_view path = template_path(document);
      const auto matched = go::match_path(wanted, path);
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

}  // namespace

TemplateOutput::TemplateOutput(const TemplateRun& run, helm::SplitRule split)
    : options_(run.options),
      streams_(run.streams),
      split_(split),
      print_(print_options(run.options)),
      folder_(run.options.use_release_name ? run.options.output_dir + "/" + run.target.name
                                           : run.options.output_dir) {}

base::Result<std::string> TemplateOutput::manifests(const helm::Rendered& rendered) {
  std::string text;
  if (options_.output_dir.empty()) {
    text = helm::manifests_text(rendered, print_);
  } else {
    if (print_.crds == helm::PrintCrds::kInclude) {
      for (const helm::Crd& crd : rendered.crds) {
        CW_TRY_VOID(write(options_.output_dir, crd.path, crd.content));
      }
    }
    for (const helm::Manifest& manifest : rendered.manifests) {
      CW_TRY_VOID(write(folder_, manifest.path, manifest.content));
    }
  }
  if (options_.post_renderer.program.empty()) {
    return text;
  }
  return post_render(options_.post_renderer, text);
}

base::Status TemplateOutput::print(const helm::Rendered& rendered, const std::string& manifests) {
  std::string hooks;
  if (options_.output_dir.empty()) {
    hooks = helm::hooks_text(rendered, print_);
  } else {
    for (const helm::Hook& hook : rendered.hooks) {
      if (helm::prints_hook(hook, print_)) {
        CW_TRY_VOID(write(folder_, hook.path, hook.content));
      }
    }
  }
  std::string out = helm::rendered_text(manifests, hooks);
  if (!options_.show_only.empty()) {
    CW_TRY(out, only_shown(helm::split_manifests(out, split_), options_));
  }
  streams_.out(out);
  return {};
}

base::Status TemplateOutput::write(const std::string& folder, const std::string& path,
                                   const std::string& content) {
  const std::string name = folder + "/" + path;
  std::error_code error;
  std::filesystem::create_directories(std::filesystem::path(name).parent_path(), error);
  // The first document for a file creates it; later ones are appended.
  std::ofstream file(name, written_.insert(name).second ? std::ios::trunc : std::ios::app);
  file << helm::source_block(path, content);
  file.close();
  if (error || !file) {
    return base::Error(base::ErrorCode::kForbidden, "cannot write " + name);
  }
  streams_.tell("wrote " + name + "\n");
  return {};
}

}  // namespace chartwright::cmd
