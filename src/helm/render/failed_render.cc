// SPDX-License-Identifier: Apache-2.0
#include "helm/render/failed_render.h"

#include <algorithm>
#include <optional>
#include <set>
#include <utility>

#include "base/strings.h"
#include "helm/render/functions.h"
#include "helm/render/prepare.h"
#include "helm/render/rendering.h"
#include "helm/render/stored_manifest.h"
#include "helm/render/template_error.h"

namespace chartwright::helm {
namespace {

constexpr int kPassesMax = 32;
constexpr std::string_view kNotes = "NOTES.txt";

RenderInputs without_schema(RenderInputs inputs) {
  inputs.schema_check = SchemaCheck::kSkip;
  return inputs;
}

/// The origin of a rendered line, and the help about it.
struct Traced {
  std::optional<tmpl::OutputTrace::Origin> origin;
  std::string help;
};

std::string help_for(const Rendering& rendering, const tmpl::OutputTrace::Origin& origin) {
  return rendering.help_for({origin.frames, 0, origin.operands, ""});
}

/// Leads a line of a rendered file back to its template.
Traced traced_line(const base::SourcePos& pos, const std::string& text, const TracedFile& again) {
  Traced traced;
  // Random strings and times may differ, which does not matter if the number of lines is the same.
  if (std::count(again.text.begin(), again.text.end(), '\n') ==
      std::count(text.begin(), text.end(), '\n')) {
    traced.origin = again.trace.origin(static_cast<size_t>(pos.line), byte_column(text, pos));
  }
  if (traced.origin) {
    traced.help = help_for(again.rendering, *traced.origin);
  }
  // YAML reports bad indentation one line late, so that the line before may be the cause.
  const bool is_template = traced.origin && traced.origin->is_text && pos.line > 1;
  const auto before =
      is_template ? again.trace.origin(static_cast<size_t>(pos.line) - 1, 0) : std::nullopt;
  if (before && !before->is_text) {
    traced.help += "\nthe line before it is written by\n" + help_for(again.rendering, *before);
  }
  return traced;
}

/// Collects errors, only one for each place.
class ErrorList {
 public:
  /// Adds an error, unless there is one with the same `place`. Place "" differs from any other.
  void add(base::Error error, const std::string& place) {
    if (!place.empty()) {
      const auto [known, is_new] = by_place_.try_emplace(place, errors_.size());
      if (!is_new) {
        ++repeats_[known->second];
        return;
      }
    }
    if (errors_.size() < kErrorsMax) {
      errors_.push_back(std::move(error));
    }
  }

  bool empty() const { return errors_.empty(); }

  std::vector<base::Error> take() {
    for (const auto& [index, count] : repeats_) {
      if (index < errors_.size()) {
        std::string help = errors_[index].help() + "\nnote: " + std::to_string(count) +
                           (count == 1 ? " other call fails" : " other calls fail") +
                           " at the same place";
        errors_[index] = base::Error(errors_[index]).with_help(std::move(help));
      }
    }
    return std::move(errors_);
  }

 private:
  std::vector<base::Error> errors_;
  std::map<std::string, size_t> by_place_;
  std::map<size_t, size_t> repeats_;
};

/// Adds the parse errors of all templates. Parses each one alone, since an error in one must not
/// hide those in later ones.
void add_parse_errors(const RenderableChart& loaded, const Renderables& renderables,
                      ErrorList& errors) {
  for (const TemplateSource& source : sources_of(renderables)) {
    tmpl::Template alone(helm_functions(loaded.profile()), std::string(kRootTemplateName));
    if (auto status = alone.parse(source.path, *source.text); !status.ok()) {
      errors.add(clean_parse_error(std::move(status).error(), *source.text), "");
    }
  }
}

/// Executes all files repeatedly. In each pass a file that failed in `required` may skip one more
/// failing call.
class ErrorCollector {
 public:
  ErrorCollector(const RenderRequest& request, ErrorList& errors)
      : request_(request), errors_(errors) {}

  void run() {
    for (int pass = 0; pass < kPassesMax && open_; ++pass) {
      open_ = false;
      auto prepared = prepare(request_.loaded, request_.inputs);
      if (!prepared.ok()) {
        return;
      }
      Rendering rendering(request_.loaded, *prepared, request_.inputs, request_.context);
      if (!rendering.parse().ok()) {
        return;
      }
      for (const std::string& path : rendering.files()) {
        execute(rendering, path);
      }
    }
  }

  /// The texts of files without errors.
  const std::map<std::string, std::string>& texts() const { return texts_; }

 private:
  void execute(Rendering& rendering, const std::string& path) {
    int& skipped = skipped_[path];
    rendering.skip_required(skipped);
    auto text = rendering.execute(path);
    if (done_.contains(path)) {
      return;
    }
    if (text.ok() || (skipped > 0 && !rendering.failed_required())) {
      // A failure after a skipped `required` may be only a consequence of the missing value.
      done_.insert(path);
      if (text.ok() && skipped == 0) {
        texts_[path] = *std::move(text);
      }
      return;
    }
    const auto& frames = rendering.failure().frames;
    std::string place = frames.empty() ? "" : frames.front().pos.to_string();
    if (rendering.failed_required()) {
      place += " " + *rendering.failed_required();
      ++skipped;
      open_ = true;
    } else {
      done_.insert(path);
    }
    errors_.add(std::move(text).error(), place);
  }

  const RenderRequest& request_;
  ErrorList& errors_;
  bool open_ = true;
  std::map<std::string, int> skipped_;
  std::set<std::string> done_;
  std::map<std::string, std::string> texts_;
};

void add_yaml_errors(std::map<std::string, std::string> texts, const RenderRequest& request,
                     ErrorList& errors) {
  std::erase_if(texts, [](const auto& file) { return file.first.ends_with(kNotes); });
  for (const auto& [path, text] : texts) {
    const std::map<std::string, std::string> file{{path, text}};
    if (auto sorted = sort_manifests(file, request.loaded.profile()); !sorted.ok()) {
      errors.add(explain_yaml(std::move(sorted).error(), file, request), "");
    }
  }
}

}  // namespace

base::Error explain_yaml(base::Error error, const std::map<std::string, std::string>& files,
                         const RenderRequest& request) {
  const std::optional<base::SourcePos> pos = error.pos();
  const auto file = pos ? files.find(pos->file) : files.end();
  if (file == files.end()) {
    return error;
  }
  Traced traced;
  static_cast<void>(trace_files(  // Where it fails, there is just no help.
      request, [&pos](const std::string& path) { return path == pos->file; },
      [&](const TracedFile& again) { traced = traced_line(*pos, file->second, again); }));
  const std::string line =
      "line " + std::to_string(pos->line) + " of the rendered " + pos->file + " ";
  if (!traced.origin) {
    return std::move(error)
        .at({pos->file, 0, 0})
        .with_help(line + "cannot be led back to a line of the template");
  }
  std::string help = line + "is written by\n" + traced.help;
  return std::move(error).at(traced.origin->frames.front().pos).with_help(std::move(help));
}

std::vector<base::Error> all_errors(const RenderRequest& request) {
  ErrorList errors;
  const RenderInputs inputs = without_schema(request.inputs);
  const RenderRequest lenient{request.loaded, inputs, request.context};
  if (auto strict = prepare(request.loaded, request.inputs); !strict.ok()) {
    errors.add(std::move(strict).error(), "");
  }
  auto prepared = prepare(request.loaded, inputs);
  if (!prepared.ok()) {
    return errors.take();
  }
  if (auto status = check_kube_version(request.loaded, prepared->chart, inputs.capabilities);
      !status.ok()) {
    errors.add(std::move(status).error(), "");
  }
  Rendering rendering(request.loaded, *prepared, inputs, request.context);
  if (!rendering.parse().ok()) {
    add_parse_errors(request.loaded, rendering.renderables(), errors);
    return errors.take();
  }
  ErrorCollector collector(lenient, errors);
  collector.run();
  add_yaml_errors(collector.texts(), lenient, errors);
  return errors.take();
}

UnsortedText unsorted_text(const RenderRequest& request) {
  UnsortedText out;
  auto prepared = prepare(request.loaded, request.inputs);
  if (!prepared.ok() ||
      !check_kube_version(request.loaded, prepared->chart, request.inputs.capabilities).ok()) {
    return out;
  }
  const Profile& profile = request.loaded.profile();
  auto files = render_templates(request.loaded, *prepared, request.inputs, request.context);
  if (!files.ok()) {
    return out;
  }
  std::erase_if(*files, [](const auto& file) { return file.first.ends_with(kNotes); });
  bool sorts = true;
  for (const auto& [path, text] : *files) {
    if (base::trim(text).empty()) {
      continue;
    }
    out.files += source_block(path, text);
    for (const std::string& document : split_manifests(text, profile.split)) {
      auto sorted = sort_manifests({{path, document}}, profile);
      sorts = sorts && sorted.ok();
      if (sorts) {
        out.hooks.insert(out.hooks.end(), sorted->hooks.begin(), sorted->hooks.end());
      }
    }
  }
  return out;
}

}  // namespace chartwright::helm
