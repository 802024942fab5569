// SPDX-License-Identifier: Apache-2.0
#include "bundle/exposed_externals.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "base/strings.h"
#include "external/reads.h"

namespace chartwright::bundle {
namespace {

using base::Error;
using base::ErrorCode;
using helm::lint::KeyUsage;
using helm::lint::Steps;

// The parts of a custom resource that its author writes, as templates name them.
constexpr std::array<std::string_view, 3> kWritten = {".CR.spec", ".CR.metadata.annotations",
                                                      ".CR.metadata.labels"};

bool begins_with(const Steps& path, const Steps& start) {
  return start.size() <= path.size() && std::equal(start.begin(), start.end(), path.begin());
}

/// Adds the paths of the values that are read: the last step of each is read as a whole.
void add_paths(const KeyUsage& usage, const Steps& path, std::vector<Steps>& paths) {
  if (!path.empty() && (usage.whole || usage.touched || usage.below.empty())) {
    paths.push_back(path);
    return;
  }
  for (const auto& [name, below] : usage.below) {
    Steps longer = path;
    longer.push_back(name);
    add_paths(below, longer, paths);
  }
}

/// Tells which values a spec may set.
class SpecValues {
 public:
  SpecValues(const Bundle& bundle, const std::optional<SchemaPlace>& spec)
      : bundle_(bundle), spec_(spec) {
    if (!bundle.values_template) {
      return;
    }
    const std::string& text = bundle.values_template->text();
    for (const std::string_view word : kWritten) {
      for (size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) {
        mapped_.push_back(external::keys_around(text, at));  // Empty: it cannot be told.
      }
    }
  }

  bool may_set(const Steps& path) const {
    if (bundle_.values_template) {
      return std::ranges::any_of(mapped_, [&](const Steps& one) {
        return begins_with(path, one) || begins_with(one, path);
      });
    }
    const auto& omitted = bundle_.rules.crd.omit;
    return std::ranges::find(omitted, path.front()) == omitted.end() && has_field(path);
  }

 private:
  bool has_field(const Steps& path) const {
    std::optional<SchemaPlace> place = spec_;
    for (const std::string& step : path) {
      const auto members = place ? place->members() : std::vector<std::string_view>();
      if (!members.empty() && std::ranges::find(members, step) == members.end()) {
        return false;
      }
      place = place ? std::optional(place->member(step)) : place;
    }
    return true;
  }

  const Bundle& bundle_;
  const std::optional<SchemaPlace>& spec_;
  std::vector<Steps> mapped_;
};

/// Returns the noun for what a text of a file decides; "" if a spec may decide it.
std::string_view role_of(std::string_view path) {
  if (path == "driver.http.baseURL" || path == "driver.grpc.address") {
    return "the server";
  }
  return path.starts_with("driver.") && path.ends_with(".secret") ? "the Secret" : "";
}

std::vector<std::string> chosen_by(const helm::OperatorTemplate& text,
                                   const external::ReadFinder& reads, const SpecValues& values) {
  std::vector<std::string> names;
  for (const std::string_view word : kWritten) {
    if (text.text().find(word) != std::string::npos) {
      names.emplace_back(word);
    }
  }
  std::vector<Steps> paths;
  if (const auto usage = reads.values_read_by(text); usage.ok()) {
    add_paths(*usage, {}, paths);
  }
  for (const Steps& path : paths) {
    if (values.may_set(path)) {
      names.push_back(".Values." + helm::lint::join_steps(path));
    }
  }
  return names;
}

}  // namespace

std::vector<Error> exposed_externals(const Bundle& bundle, const std::optional<SchemaPlace>& spec) {
  std::vector<Error> warnings;
  if (bundle.externals.empty()) {
    return warnings;
  }
  const external::ReadFinder reads(*bundle.chart,
                                   bundle.values_template ? &*bundle.values_template : nullptr);
  const SpecValues values(bundle, spec);
  for (const external::External& external : bundle.externals) {
    for (const external::WrittenTemplate& text : external.templates) {
      const std::string_view role = role_of(text.path);
      const auto names =
          role.empty() ? std::vector<std::string>() : chosen_by(text.text, reads, values);
      if (names.empty()) {
        continue;
      }
      const std::string remedy =
          role == "the server"
              ? "they have the operator connect to where only its network reaches (SSRF), with the "
                "credentials"
              : "they have the operator send it to the server, without a right to read it";
      warnings.push_back(
          Error(ErrorCode::kInvalidArgument,
                text.path + ": who writes custom resources chooses " + std::string(role) + ", by " +
                    base::join(names, ", ") + ": " + remedy +
                    "; keep such values out of the spec (crd.omit), and set them in overrideValues")
              .at(text.pos));
    }
  }
  return warnings;
}

}  // namespace chartwright::bundle
