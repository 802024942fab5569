// SPDX-License-Identifier: Apache-2.0
#include "project/diff_target.h"

#include <catch2/catch.hpp>

#include "base/strings.h"

namespace chartwright::cmd {
namespace {

using Words = std::vector<std::string>;

/// Returns "kind.group/name" of each target, or the error.
std::string targets(const Words& arguments) {
  const auto found = targets_of_arguments(arguments);
  if (!found.ok()) {
    return found.error().message();
  }
  Words texts;
  for (const DiffTarget& one : *found) {
    texts.push_back(one.kind + (one.group.empty() ? "" : "." + one.group) +
                    (one.name.empty() ? "" : "/" + one.name));
  }
  return base::join(texts, " ");
}

/// Returns the target in a file that standard input is, or the error.
std::string in_file(const std::string& text) {
  Streams streams;
  streams.in = [&text]() -> base::Result<std::string> { return text; };
  const auto found = target_of_file("-", streams);
  return found.ok() ? found->kind + "." + found->group + "/" + found->name
                    : found.error().to_string();
}

TEST_CASE("Arguments of diff name custom resources, or a kind") {
  CHECK(targets({"shop/one"}) == "shop/one");
  CHECK(targets({"shop", "one"}) == "shop/one");
  CHECK(targets({"shop", "one", "two"}) == "shop/one shop/two");
  CHECK(targets({"shops.example.com/one", "pod/two"}) == "shops.example.com/one pod/two");
  CHECK(targets({"Shop"}) == "Shop");
}

TEST_CASE("Wrong arguments of diff are refused") {
  const std::string which =
      "which custom resource? Give KIND/NAME, KIND for all of a kind, or a file that has one with "
      "-f";
  for (const Words& wrong : {Words{}, Words{""}, Words{"/one"}, Words{".example.com"}}) {
    CHECK(targets(wrong) == which);
  }
  CHECK(targets({"shop/"}) == R"("" is not a name)");
  CHECK(targets({"shop/one/two"}) == R"("one/two" is not a name)");
  CHECK(targets({"shop", "one", "../x"}) == R"("../x" is not a name)");
  CHECK(targets({"shop", "one", ""}) == R"("" is not a name)");
  CHECK(targets({"shop/one", "two"}) == R"("two" is not KIND/NAME, as all arguments have to be)");
}

TEST_CASE("A file of diff has one custom resource") {
  CHECK(in_file("apiVersion: example.com/v1\nkind: Shop\nmetadata: {name: one}\n") ==
        "Shop.example.com/one");
  CHECK(in_file("kind: Shop\n") ==
        "-:1: not one custom resource with apiVersion, kind and metadata.name");
  CHECK(in_file("a: [").starts_with("-:"));
}

}  // namespace
}  // namespace chartwright::cmd
