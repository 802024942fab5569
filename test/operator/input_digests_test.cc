// SPDX-License-Identifier: Apache-2.0
#include "subject/input_digests.h"

#include <catch2/catch.hpp>

#include "test/operator/parts.h"

namespace chartwright::op {
namespace {

using base::Error;
using base::ErrorCode;
using testing::Calls;
using testing::get;
using testing::inputs;
using testing::kSecret;
using testing::Painted;
using testing::Parts;
using testing::PreparedParts;
using testing::record;

TEST_CASE("Inputs at rest have the digest that the status has, without a request") {
  Painted world;
  PreparedParts parts(world);
  CHECK(parts.inputs.digest == inputs(world));
  CHECK(parts.inputs.spec_digest == parts.inputs.digest);
  CHECK(parts.inputs.digest == "sha256:" + parts.inputs.key);
  CHECK(parts.inputs.release.revision == 4);
  CHECK(parts.state.key.empty());
  CHECK(world.calls().empty());
}

TEST_CASE("With overrides the digest is under the key of the record in force") {
  Painted world(kSecret);
  PreparedParts parts(world);
  CHECK(parts.inputs.digest == inputs(world));
  CHECK(parts.state.key == record(world, 3).key);
  CHECK(parts.inputs.digest == CW_MUST(release::keyed_digest(parts.state.key, parts.inputs.key)));
  CHECK(world.calls() == Calls{get(3)});
}

TEST_CASE("A request for another attempt changes the attempt and not the digest") {
  Painted world;
  const std::string before = PreparedParts(world).inputs.attempt;
  for (const std::string_view request : {kAdopt, kAllowEmptyRender, kReconcileRequestedAt}) {
    CAPTURE(request);
    world.annotate(request, "now");
    const PreparedParts parts(world);
    CHECK(parts.inputs.attempt != before);
    CHECK(parts.inputs.digest == inputs(world));
    world.annotate(request, std::nullopt);
  }
  world.annotate("example.com/note", "now");
  CHECK(PreparedParts(world).inputs.attempt == before);
}

TEST_CASE("Lookups of a chart are an input, and unknown at the start") {
  Painted world;
  world.watch.dry_run = bundle::DryRunMode::kServer;
  Parts parts(world);
  CW_MUST(parts.digests.prepare());
  CHECK(parts.inputs.key == parts.inputs.spec_key + "?");
  CHECK(parts.inputs.digest != parts.inputs.spec_digest);

  parts.state.lookups = {{"v1", "ConfigMap", "shop", "source", "7"}};
  CW_MUST(parts.digests.prepare());
  const std::string without_source = parts.inputs.key;
  CHECK(world.calls() == Calls{"get ConfigMap shop/source"});
  CHECK(without_source.find('?') == std::string::npos);
  world.api.put(testing::json(R"({"apiVersion":"v1","kind":"ConfigMap",
                                  "metadata":{"name":"source","namespace":"shop"}})"));
  CW_MUST(parts.digests.prepare());
  CHECK(parts.inputs.key != without_source);
}

TEST_CASE("A pin holds for the inputs that it rejected, while its request is there") {
  Painted world;
  world.annotate(kRollbackTo, "1");
  world.converge();
  CHECK([&] {
    const PreparedParts parts(world);
    return pin_holds(parts.subject, parts.inputs);
  }());
  SECTION("another spec") { world.spec(R"({"color":"pink"})"); }
  SECTION("no request") { world.annotate(kRollbackTo, std::nullopt); }
  SECTION("an empty request") { world.annotate(kRollbackTo, ""); }
  const PreparedParts parts(world);
  REQUIRE(parts.state.progress.is_pinned());
  CHECK_FALSE(pin_holds(parts.subject, parts.inputs));
}

TEST_CASE("A key is read once, replaced if its record is lost, and waited for otherwise") {
  Painted world;
  Parts parts(world);
  SECTION("read once") {
    CW_MUST(parts.digests.ensure_key());
    CW_MUST(parts.digests.ensure_key());
    CHECK(parts.state.key == record(world, 3).key);
    CHECK(world.calls() == Calls{get(3)});
  }
  SECTION("lost") {
    const std::string old = record(world, 3).key;
    world.api.erase(world.secret(3));
    CW_MUST(parts.digests.ensure_key());
    CHECK(parts.state.key.size() == release::kKeyBytes);
    CHECK(parts.state.key != old);
  }
  SECTION("not readable now") {
    world.api.fail_once(get(3), Error(ErrorCode::kUnavailable, "not now"));
    const auto failed = parts.digests.ensure_key();
    CHECK(failed.error().code() == ErrorCode::kUnavailable);
    CHECK(failed.error().message() == "read the key of digests: not now");
    CHECK(parts.state.key.empty());
  }
}

}  // namespace
}  // namespace chartwright::op
