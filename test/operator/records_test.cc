// SPDX-License-Identifier: Apache-2.0
#include "subject/records.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::ErrorCode;
using testing::Calls;
using testing::forge;
using testing::get;
using testing::Painted;
using testing::Parts;
using testing::record;
using testing::remove_key;

TEST_CASE("A record is believed if its manifest has the digest in status.history") {
  Painted world;
  forge(world, 1);
  remove_key(world, 2);
  Parts parts(world);
  CHECK(CW_MUST(parts.records.load(3)).manifest == record(world, 3).manifest);
  CHECK(parts.records.load(1).error().code() == ErrorCode::kOwnership);
  CHECK(parts.records.load(2).error().code() == ErrorCode::kOwnership);
  // The store has what is there.
  CHECK_THAT(CW_MUST(parts.records.store().load(1)).manifest, Catch::Contains("forged"));
}

TEST_CASE("A record without a digest to compare with is not even read") {
  Painted world;
  Parts parts(world);
  parts.state.history[1].digest = "sha256:0123";
  CHECK(parts.records.load(2).error().message() ==
        "status.history has no digest of revision 2 to tell whether its record was changed");
  CHECK(parts.records.load(77).error().code() == ErrorCode::kOwnership);
  CHECK(world.calls().empty());
  CHECK(parts.records.load(3).ok());
  CHECK(world.calls() == Calls{get(3)});
}

TEST_CASE("CRDs in an older record are not objects of its release") {
  Painted world;
  release::Revision revision = record(world, 3);
  const std::string without = revision.manifest;
  revision.manifest =
      "---\n# Source: widget/crds/foos.yaml\nkind: CustomResourceDefinition\n" + revision.manifest;
  testing::put_signed_record(world, revision);
  Parts parts(world);
  parts.state.history[0].digest = CW_MUST(release::keyed_digest(revision.key, revision.manifest));
  CHECK(CW_MUST(parts.records.load(3)).manifest == without);
}

TEST_CASE("A stored manifest that is not YAML is an error") {
  Painted world;
  Parts parts(world);
  CHECK(CW_MUST(parts.records.parse(record(world, 3).manifest)).size() == 1);
  CHECK(parts.records.parse("---\n{").error().code() == ErrorCode::kParse);
}

}  // namespace
}  // namespace chartwright::op
