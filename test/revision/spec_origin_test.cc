// SPDX-License-Identifier: Apache-2.0
#include "revision/spec_origin.h"

#include <catch2/catch.hpp>

#include "kube/object.h"

namespace chartwright::release {
namespace {

using value::Value;

Value secret_of(Value annotations) {
  return Value::dict({{"metadata", Value::dict({{"annotations", std::move(annotations)}})}});
}

SpecOrigin read_of(const char* generation, const std::string& manager) {
  return spec_origin_in(
      secret_of(Value::dict({{"chartwright.io/spec-generation", Value::string(generation)},
                             {"chartwright.io/spec-manager", Value::string(manager)}})));
}

}  // namespace

TEST_CASE("A change of the spec survives the way through annotations") {
  const SpecOrigin read = spec_origin_in(secret_of(spec_annotations({7, "kubectl-edit"})));
  CHECK(read.generation == 7);
  CHECK(read.manager == "kubectl-edit");
  CHECK(spec_origin_in(secret_of(spec_annotations({7, ""}))).manager.empty());
  CHECK(spec_annotations({}).is_nil());
  CHECK(spec_annotations({0, "x"}).is_nil());
}

TEST_CASE("The annotations of a record may be of anyone, and are bounded") {
  CHECK(read_of("-1", "x").generation == 0);
  CHECK(read_of("99999999999999999999", "x").manager.empty());
  CHECK(read_of("", "x").generation == 0);
  const SpecOrigin hostile = read_of("3", "a\x1b" + std::string(100'000, 'y'));
  CHECK(hostile.generation == 3);
  CHECK(hostile.manager.size() <= 128);
  CHECK(hostile.manager.find('\x1b') == std::string::npos);
  CHECK(spec_origin_in(Value()).generation == 0);
  const Value written = secret_of(spec_annotations({1, std::string(5000, 'x')}));
  CHECK(kube::annotation_of(written, "chartwright.io/spec-manager")->size() <= 128);
}

}  // namespace chartwright::release
