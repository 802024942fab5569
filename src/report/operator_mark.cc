// SPDX-License-Identifier: Apache-2.0
#include "report/operator_mark.h"

#include <algorithm>
#include <string_view>

namespace chartwright::cmd {
namespace {

using value::Value;

/// The folder of --state-dir in the image, for which each manifest has a volume.
constexpr std::string_view kStateFolder = "/var/lib/chartwright";

bool is_program(std::string_view name) { return name == "chartwright" || name == "helm-operator"; }

std::string_view last_segment(std::string_view path) {
  return path.substr(path.find_last_of('/') + 1);
}

/// Returns "shop" of "registry:5000/team/shop:1.2@sha256:...".
std::string_view image_name(std::string_view image) {
  const std::string_view name = last_segment(image.substr(0, image.find('@')));
  return name.substr(0, name.find(':'));
}

bool runs_operator(const Value& container) {
  const auto& command = container.items_at({"command"});
  const bool is_called = !command.empty() && command.front().is_string() &&
                         is_program(last_segment(command.front().as_string()));
  return is_called || is_program(image_name(container.string_at({"image"}))) ||
         std::ranges::any_of(container.items_at({"volumeMounts"}), [](const Value& mount) {
           return mount.string_at({"mountPath"}) == kStateFolder;
         });
}

}  // namespace

bool is_operator(const Value& deployment) {
  const auto& containers = deployment.items_at({"spec", "template", "spec", "containers"});
  return std::ranges::any_of(containers, runs_operator);
}

}  // namespace chartwright::cmd
