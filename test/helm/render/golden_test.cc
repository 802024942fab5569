// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <map>

#include "base/digest.h"
#include "base/strings.h"
#include "test/helm/render/helm_case.h"
#include "test/source_dir.h"
#include "yaml/yaml.h"

namespace chartwright::helm {
namespace {

namespace fs = std::filesystem;
using value::Value;

const std::string kRoot = source_dir();

std::vector<std::string> subfolders(const std::string& folder) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(folder)) {
    if (entry.is_directory()) {
      names.push_back(entry.path().filename().string());
    }
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::shared_ptr<const RenderableChart> load_renderable(const std::string& name,
                                                       const Profile& profile = default_profile()) {
  const std::string shipped = kRoot + "/charts/" + name;
  auto loaded = RenderableChart::load(
      fs::exists(shipped + "/Chart.yaml") ? shipped : kRoot + "/test/charts/" + name, profile);
  INFO(name);
  REQUIRE(loaded.ok());
  return *loaded;
}

/// Reads the release and the values from a custom resource, as the operator does.
void read_custom_resource(const std::string& text, HelmCase& into) {
  const auto cr = yaml::parse_yaml(text, value::Numbers::kInt64);
  REQUIRE(cr.ok());
  into.inputs.release.name = cr->string_at({"metadata", "name"});
  if (cr->find_path({"metadata", "namespace"}) != nullptr) {
    into.inputs.release.namespace_name = cr->string_at({"metadata", "namespace"});
  }
  if (const Value* spec = cr->find("spec"); spec != nullptr && spec->is_dict()) {
    into.inputs.values = *spec;
  }
}

base::Result<std::string> render_golden(const std::string& folder,
                                        const std::shared_ptr<const RenderableChart>& loaded) {
  HelmCase c(loaded->profile());
  c.loaded = loaded;
  c.inputs.values = Value::dict();
  if (fs::exists(folder + "/cr.yaml")) {
    read_custom_resource(read_test_file(folder + "/cr.yaml"), c);
  } else {
    const auto values =
        yaml::parse_yaml(read_test_file(folder + "/values.yaml"), value::Numbers::kFloat64);
    REQUIRE(values.ok());
    if (values->is_dict()) {
      c.inputs.values = *values;
    }
  }
  if (fs::exists(folder + "/flags")) {
    CW_TRY_VOID(apply_flags(read_test_file(folder + "/flags"), c));
  }
  return print_case(c);
}

}  // namespace

TEST_CASE("Every golden render equals what Helm prints") {
  size_t count = 0;
  for (const std::string& chart : subfolders(kRoot + "/test/golden")) {
    const auto loaded = load_renderable(chart);
    for (const std::string& name : subfolders(kRoot + "/test/golden/" + chart)) {
      const std::string folder = kRoot + "/test/golden/" + chart + "/" + name;
      INFO(folder);
      ++count;
      const auto got = render_golden(folder, loaded);
      if (fs::exists(folder + "/want.error")) {
        REQUIRE_FALSE(got.ok());
        CHECK(got.error().message() + "\n" == read_test_file(folder + "/want.error"));
      } else {
        INFO((got.ok() ? "" : got.error().message()));
        REQUIRE(got.ok());
        CHECK(*got == read_test_file(folder + "/want.yaml"));
      }
    }
  }
  CHECK(count >= 170);
}

// The repository has only digests of this output. HELM=4.3 test/oracle/run render prints it.
TEST_CASE("Every golden render equals what other versions of Helm print") {
  for (const char* version : {"3.18", "4.3"}) {
    const Profile& profile = *find_profile(version);
    const std::string digests =
        read_test_file(kRoot + "/test/golden/helm_" + std::string(version) + ".txt");
    std::map<std::string, std::shared_ptr<const RenderableChart>> charts;
    size_t count = 0;
    for (std::string_view line : base::split(base::trim(digests), '\n')) {
      const std::string path(line.substr(line.find(' ') + 1));
      INFO(version << " " << path);
      ++count;
      auto& loaded = charts[path.substr(0, path.find('/'))];
      loaded = loaded ? loaded : load_renderable(path.substr(0, path.find('/')), profile);
      const auto got = render_golden(kRoot + "/test/golden/" + path, loaded);
      CHECK(base::sha256_hex(got.ok() ? *got : got.error().message() + "\n") ==
            line.substr(0, line.find(' ')));
    }
    CHECK(count >= 170);
  }
}

}  // namespace chartwright::helm
