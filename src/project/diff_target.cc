// SPDX-License-Identifier: Apache-2.0
#include "project/diff_target.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "base/file.h"
#include "base/strings.h"
#include "go/quote.h"
#include "kube/object.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

constexpr size_t kCrBytesMax = size_t{4} << 20;

Error wrong_arguments() {
  return Error(ErrorCode::kInvalidArgument,
               "which custom resource? Give KIND/NAME, KIND for all of a kind, or a file that has "
               "one with -f");
}

base::Result<DiffTarget> target(std::string kind, const std::optional<std::string>& name) {
  DiffTarget target;
  target.kind = std::move(kind);
  if (const size_t dot = target.kind.find('.'); dot != std::string::npos) {
    target.group = target.kind.substr(dot + 1);
    target.kind.resize(dot);
  }
  if (target.kind.empty()) {
    return wrong_arguments();
  }
  if (name && !kube::is_path_segment(*name)) {
    return Error(ErrorCode::kInvalidArgument, go::quote(*name) + " is not a name");
  }
  target.name = name.value_or("");
  return target;
}

bool is_kind(const bundle::Watch& watch, const DiffTarget& target) {
  const std::string kind = base::to_lower_ascii(watch.gvk.kind);
  const std::string asked = base::to_lower_ascii(target.kind);
  return (asked == kind || asked == kind + "s" || asked == kind + "es") &&
         (target.group.empty() || target.group == watch.gvk.group);
}

}  // namespace

base::Result<std::vector<DiffTarget>> targets_of_arguments(
    const std::vector<std::string>& arguments) {
  if (arguments.empty()) {
    return wrong_arguments();
  }
  std::vector<DiffTarget> targets;
  const std::string& first = arguments.front();
  if (first.find('/') == std::string::npos) {
    if (arguments.size() == 1) {
      CW_TRY(targets.emplace_back(), target(first, std::nullopt));
      return targets;
    }
    for (size_t i = 1; i < arguments.size(); ++i) {
      CW_TRY(targets.emplace_back(), target(first, arguments[i]));
    }
    return targets;
  }
  for (const std::string& argument : arguments) {
    const size_t slash = argument.find('/');
    if (slash == std::string::npos) {
      return Error(ErrorCode::kInvalidArgument,
                   go::quote(argument) + " is not KIND/NAME, as all arguments have to be");
    }
    CW_TRY(targets.emplace_back(), target(argument.substr(0, slash), argument.substr(slash + 1)));
  }
  return targets;
}

base::Result<DiffTarget> target_of_file(const std::string& file, Streams& streams) {
  CW_TRY(const std::string text, file == "-" ? streams.in() : base::read_file(file, kCrBytesMax));
  const auto located = [&file](Error error) {
    const base::SourcePos pos = error.pos().value_or(base::SourcePos{"", 1, 0});
    return std::move(error).at({file, pos.line, pos.column});
  };
  auto parsed = yaml::parse_yaml(text, value::Numbers::kInt64);
  if (!parsed.ok()) {
    return located(std::move(parsed).error());
  }
  DiffTarget target;
  target.given = *std::move(parsed);
  const kube::Gvk gvk = kube::gvk_of(target.given);
  target.kind = gvk.kind;
  target.group = gvk.group;
  target.name = kube::name_of(target.given);
  if (target.kind.empty() || !kube::is_path_segment(target.name)) {
    return located(Error(ErrorCode::kInvalidArgument,
                         "not one custom resource with apiVersion, kind and metadata.name"));
  }
  return target;
}

base::Result<const bundle::Watch*> watch_of(const DiffTarget& target,
                                            const std::vector<bundle::Watch>& watches,
                                            const std::string& file) {
  const auto found = std::ranges::find_if(
      watches, [&target](const bundle::Watch& watch) { return is_kind(watch, target); });
  if (found != watches.end()) {
    return &*found;
  }
  std::vector<std::string_view> kinds;
  std::vector<std::string> names;
  for (const bundle::Watch& watch : watches) {
    kinds.push_back(watch.gvk.kind);
    names.push_back(watch.gvk.group_kind().to_string());
  }
  const std::string_view near = base::nearest(target.kind, kinds);
  const std::string asked = target.kind + (target.group.empty() ? "" : "." + target.group);
  return Error(ErrorCode::kInvalidArgument,
               file + " has no kind \"" + asked + "\"" +
                   (near.empty() ? "; it has " + base::join(names, ", ")
                                 : "; did you mean \"" + std::string(near) + "\"?"));
}

}  // namespace chartwright::cmd
