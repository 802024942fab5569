// SPDX-License-Identifier: Apache-2.0
#include "console/wanted.h"

#include <catch2/catch.hpp>

#include "base/strings.h"

namespace chartwright::cmd {
namespace {

ServedKind kind(const std::string& name, const std::string& plural) {
  return {{{"example.com", "v1", name}, plural}, "", {}, {std::string(kCategory)}};
}

/// Returns "Shop: one two; Tenant:", or the error.
std::string read(const std::vector<std::string>& arguments) {
  const auto wanted = wanted_of({kind("Shop", "shops"), kind("Tenant", "tenants")}, arguments);
  if (!wanted.ok()) {
    return wanted.error().message();
  }
  std::vector<std::string> parts;
  for (const Wanted& one : *wanted) {
    std::string part = one.kind.mapping.gvk.kind + ":";
    for (const std::string& name : one.names) {
      part += " " + name;
    }
    parts.push_back(part);
  }
  return base::join(parts, "; ");
}

}  // namespace

TEST_CASE("Arguments name all kinds, one, or custom resources") {
  CHECK(read({}) == "Shop:; Tenant:");
  CHECK(read({"all"}) == "Shop:; Tenant:");
  CHECK(read({"shops"}) == "Shop:");
  CHECK(read({"shop", "one", "two"}) == "Shop: one two");
  CHECK(read({"shop/one", "tenant/two"}) == "Shop: one; Tenant: two");
}

TEST_CASE("An argument that names nothing is refused") {
  CHECK(read({"all", "one"}) == R"("all" is several kinds: give one kind with a name)");
  CHECK(read({"shop/one", "two"}) == R"("two" is not KIND/NAME, as all arguments have to be)");
  CHECK(read({"shop/"}) == R"("shop/" is not KIND/NAME, as all arguments have to be)");
  CHECK(read({"shop", ""}) == "an empty name");
  CHECK(read({"/one"}).starts_with("the server serves no kind that is called"));
  CHECK(read({""}).starts_with("the server serves no kind that is called"));
}

TEST_CASE("A name of a kind in namespaces needs one of them") {
  CHECK(check_namespace(kind("Shop", "shops"), "team").ok());
  CHECK_FALSE(check_namespace(kind("Shop", "shops"), "").ok());
  ServedKind everywhere = kind("Tenant", "tenants");
  everywhere.mapping.scope = kube::Scope::kCluster;
  CHECK(check_namespace(everywhere, "").ok());
}

}  // namespace chartwright::cmd
