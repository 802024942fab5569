// SPDX-License-Identifier: Apache-2.0
#include "views/projector.h"

#include <catch2/catch.hpp>

#include "kube/object.h"
#include "test/base/manual_clock.h"
#include "test/views/parts.h"
#include "views/object_check.h"

namespace chartwright::views {

TEST_CASE("An object has the identity of its source, and none of what the view does not name") {
  const View view = paint_view();
  const base::ManualClock clock;
  const Projector projector(view, clock);
  const auto object = CW_MUST(projector.project(config_map("sky", "7", R"({"colour":"blue"})")));
  CHECK(CW_MUST(value::to_json(object)) ==
        R"({"apiVersion":"paint.example.com/v1","kind":"Paint","metadata":{"labels":{"of":"sky"},)"
        R"("name":"sky","namespace":"a","resourceVersion":"7","uid":")" +
            view_uid(view.resource, "uid-sky") + R"("},"spec":{"colour":"blue"}})");
}

TEST_CASE("A template that writes nothing hides its source") {
  const View view = paint_view();
  const base::ManualClock clock;
  const Projector projector(view, clock);
  CHECK(CW_MUST(projector.project(config_map("sky", "7", R"({"hidden":"true"})"))).is_nil());
}

TEST_CASE("An error names the view and the source") {
  const View view = paint_view();
  const base::ManualClock clock;
  const Projector projector(view, clock);
  const auto failed = projector.project(config_map("sky", "7", "{}"));
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message().find("paints.paint.example.com: project of ConfigMap a/sky: ") ==
        0);
}

TEST_CASE("Metadata that no client can read are an error") {
  for (const auto& [metadata, problem] :
       {std::pair{"{labels: {a: 1}}", "metadata.labels is not a mapping to texts"},
        {"{annotations: [a]}", "metadata.annotations is not a mapping to texts"},
        {"[name]", "metadata is not a mapping"}}) {
    CAPTURE(metadata);
    const View view =
        CW_MUST(parse_view("group: a.example.com\nversion: v1\n"
                           "resource: {kind: A, plural: as}\n"
                           "source: {apiVersion: v1, kind: ConfigMap}\n"
                           "project: 'metadata: " +
                               std::string(metadata) + "'\n",
                           "a.yaml"));
    const base::ManualClock clock;
    const auto failed = Projector(view, clock).project(config_map("sky", "7", "{}"));
    REQUIRE_FALSE(failed.ok());
    CHECK(failed.error().message().find(problem) != std::string::npos);
  }
}

TEST_CASE("An object with metadata that no client can read is refused") {
  const View view = paint_view();
  const auto check = [&](const std::string& metadata) {
    const auto object = CW_MUST(value::parse_json(
        R"({"apiVersion":"paint.example.com/v1","kind":"Paint","metadata":)" + metadata + "}",
        value::Numbers::kInt64));
    return check_object(view, object, "a");
  };
  CHECK(check(R"({"name":"sky","labels":{"a":"b"},"annotations":null})").ok());
  CHECK(check(R"({"name":"sky","labels":5})").error().http_status() == 400);
  CHECK(check(R"({"name":"sky","annotations":{"a":1}})").error().http_status() == 400);
}

TEST_CASE("A view's uid is stable, a UUID, and not the source's") {
  const View view = paint_view();
  const std::string uid = view_uid(view.resource, "x");
  CHECK(uid == view_uid(view.resource, "x"));
  CHECK(uid != view_uid(view.resource, "y"));
  CHECK(uid.size() == 36);
}

TEST_CASE("Fields that the schema does not have are found") {
  const View view = paint_view();
  const auto object = CW_MUST(value::parse_json(
      R"({"apiVersion":"a","kind":"b","metadata":{"x":1},"spec":{"colour":"c","shade":1},"more":2})",
      value::Numbers::kInt64));
  CHECK(unknown_fields(view, object) == std::vector<std::string>{"more", "spec.shade"});
}

}  // namespace chartwright::views
