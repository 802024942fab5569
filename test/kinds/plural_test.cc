// SPDX-License-Identifier: Apache-2.0
#include "kinds/plural.h"

#include <catch2/catch.hpp>

#include "base/strings.h"
#include "test/cases/case_tests.h"

namespace chartwright::kinds {
namespace {

void check_plurals(const cases::CaseFile& file, const cases::Case& one) {
  REQUIRE(file.engine == "plural");
  std::string plurals;
  for (const std::string_view line : base::split(*one.find("kinds"), '\n')) {
    for (const std::string_view kind : base::split(line, ' ')) {
      plurals += kind.empty() ? "" : own_plural_of(kind) + "\n";
    }
  }
  CHECK(plurals == *one.find("want"));
}

// Every plural comes from flect, as operator-sdk and kubebuilder call it.
const bool kPluralsRegistered = cases::register_case_files("kinds", check_plurals);

}  // namespace

TEST_CASE("Plurals of built-in kinds are those of Kubernetes") {
  CHECK(plural_of("Pod") == "pods");
  CHECK(plural_of("Ingress") == "ingresses");
  CHECK(plural_of("NetworkPolicy") == "networkpolicies");
  CHECK(plural_of("Endpoints") == "endpoints");
  CHECK(plural_of("") == "");
}

TEST_CASE("A kind whose plural operator-sdk refuses gets one that is a name") {
  CHECK(own_plural_of("DNS") == "dns");
  CHECK(own_plural_of("Bss") == "bsses");
  CHECK(own_plural_of("") == "");
}

}  // namespace chartwright::kinds
