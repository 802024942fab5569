// SPDX-License-Identifier: Apache-2.0
#include "kinds/sdk_project.h"

#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>

#include "kinds/resource.h"

namespace chartwright::kinds {
namespace {

namespace fs = std::filesystem;
using Plurals = std::map<kube::GroupKind, std::string>;

/// A folder as operator-sdk makes it, which is the current folder until the end.
class SdkFolder {
 public:
  SdkFolder() : before_(fs::current_path()) {
    std::string pattern = (fs::temp_directory_path() / "cw-sdk-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
    fs::current_path(path_);
    fs::create_directories("helm-charts/redis");
  }
  ~SdkFolder() {
    fs::current_path(before_);
    fs::remove_all(path_);
  }
  SdkFolder(const SdkFolder&) = delete;
  SdkFolder& operator=(const SdkFolder&) = delete;

  static void put(const fs::path& name, const std::string& text) {
    fs::create_directories(name.parent_path().empty() ? "." : name.parent_path());
    std::ofstream(name, std::ios::binary) << text;
  }
  /// Writes the file PROJECT, with more lines about the kind.
  static void put_project(const std::string& lines) {
    put("PROJECT",
        "domain: example.com\nlayout:\n- helm.sdk.operatorframework.io/v1\nprojectName: redis\n"
        "resources:\n- api:\n    crdVersion: v1\n    namespaced: true\n  domain: example.com\n"
        "  group: cache\n  kind: Redis\n  version: v1alpha1\n" +
            lines + "version: \"3\"\n");
  }
  static void put_base(const std::string& plural, const std::string& scope) {
    put("config/crd/bases/cache.example.com_" + plural + ".yaml",
        "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n"
        "  name: " +
            plural +
            ".cache.example.com\nspec:\n  group: cache.example.com\n  names:\n"
            "    kind: Redis\n    listKind: RedisList\n    plural: " +
            plural + "\n    singular: redis\n  scope: " + scope +
            "\n  versions:\n  - name: v1alpha1\n    served: true\n    storage: true\n");
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path before_;
  fs::path path_;
};

/// Returns the resource of the kind Redis in the project around a path.
Resource named(const std::string& path, const std::string& group = "cache.example.com",
               const std::string& own_plural = "") {
  std::vector<bundle::Watch> watches(1);
  watches.front().gvk = {group, "v1alpha1", "Redis"};
  watches.front().bundle.rules.crd.plural = own_plural;
  take_sdk_names(path, watches);
  return own_resource(watches.front());
}

}  // namespace

TEST_CASE("Without a project of operator-sdk, a kind has the plural that it would choose") {
  const SdkFolder folder;
  CHECK(named("watches.yaml").plural == "redis");
  SdkFolder::put_project("");
  CHECK(named("watches.yaml").plural == "redis");
  CHECK(named("").plural == "redis");
}

TEST_CASE("A plural that was chosen for operator-sdk is kept") {
  const SdkFolder folder;
  SdkFolder::put_project("  plural: redisinstances\n");
  for (const std::string& path :
       {std::string("watches.yaml"), std::string("./watches.yaml"),
        std::string("helm-charts/redis"), std::string("helm-charts/redis/"),
        (folder.path() / "watches.yaml").string(),
        (folder.path() / "helm-charts/redis").string()}) {
    INFO(path);
    CHECK(named(path).plural == "redisinstances");
  }
  // Of another group, and so another kind.
  CHECK(named("watches.yaml", "other.example.com").plural == "redis");
  // The author of the chart has the last word.
  CHECK(named("watches.yaml", "cache.example.com", "reds").plural == "reds");
  // Too far below the project.
  CHECK(named("a/b/c/watches.yaml").plural == "redis");
}

TEST_CASE("The CRD of operator-sdk's project comes before its PROJECT") {
  const SdkFolder folder;
  SdkFolder::put_project("  plural: redisinstances\n");
  SdkFolder::put_base("rediscaches", "Namespaced");
  SdkFolder::put("config/crd/bases/broken.yaml", "a: [\n");
  CHECK(named("watches.yaml").plural == "rediscaches");
  CHECK(named("watches.yaml").scope == kube::Scope::kNamespaced);
}

TEST_CASE("The scope of operator-sdk's CRD is kept") {
  const SdkFolder folder;
  SdkFolder::put_base("redis", "Cluster");
  CHECK(named("watches.yaml").plural == "redis");
  CHECK(named("watches.yaml").scope == kube::Scope::kCluster);
}

TEST_CASE("A PROJECT names the plurals that operator-sdk would not choose") {
  CHECK(recorded_plurals("domain: example.com\nresources:\n"
                         "- {group: cache, kind: Redis, plural: reds}\n"
                         "- {group: cache, kind: Other}\n"
                         "- {kind: Bare, plural: bares}\n"
                         "- {group: a, domain: b.io, kind: Own, plural: owns}\n") ==
        Plurals{{{"cache.example.com", "Redis"}, "reds"},
                {{"example.com", "Bare"}, "bares"},
                {{"a.b.io", "Own"}, "owns"}});
  CHECK(recorded_plurals("resources:\n- {group: a.io, kind: A, plural: as}\n") ==
        Plurals{{{"a.io", "A"}, "as"}});
}

TEST_CASE("A PROJECT that cannot be read names nothing") {
  for (const char* text : {"", "a: [", "5", "resources: 5\n", "resources: [5, {plural: [a]}]\n",
                           "resources:\n- {group: a.io, kind: A, plural: A B}\n"}) {
    INFO(text);
    CHECK(recorded_plurals(text).empty());
  }
}

}  // namespace chartwright::kinds
