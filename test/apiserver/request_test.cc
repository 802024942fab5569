// SPDX-License-Identifier: Apache-2.0
#include "apiserver/request.h"

#include <catch2/catch.hpp>

#include "apiserver/list_query.h"

namespace chartwright::apiserver {

TEST_CASE("Paths and queries are decoded") {
  const Target target = CW_MUST(parse_target("/apis/g/v/namespaces/a%2Fb/pods/x?limit=5&a=b+c%3D"));
  const auto path = parse_resource_path(target.segments);
  REQUIRE(path);
  CHECK(path->ns == "a/b");
  CHECK(path->plural == "pods");
  CHECK(path->name == "x");
  CHECK(target.parameter("limit") == "5");
  CHECK(target.parameter("a") == "b c=");
  CHECK(parse_target("/a%zz").error().http_status() == 400);
  CHECK(parse_target("/a%2").error().http_status() == 400);
}

TEST_CASE("A flag means what it means to the API server, which has authorized the request") {
  const auto watches = [](const std::string& query) {
    return CW_MUST(parse_target("/x?" + query)).flag("watch");
  };
  for (const char* query : {"watch", "watch=", "watch=1", "watch=true", "watch=no", "watch=00",
                            "watch=%20false", "watch=1&watch=0", "watch=f", "watch=F"}) {
    CAPTURE(query);
    CHECK(watches(query));
  }
  for (const char* query :
       {"", "watch=0", "watch=false", "watch=FALSE", "watch=False", "watch=fAlSe",
        "watch=fal%C5%BFe", "watch=0&watch=1", "Watch=1", "watch=1;a=2", "watch;watch=1"}) {
    CAPTURE(query);
    CHECK_FALSE(watches(query));
  }
}

TEST_CASE("A path that does not name a resource is distinguished") {
  CHECK_FALSE(parse_resource_path({"apis", "g", "v"}));
  CHECK_FALSE(parse_resource_path({"apis", "g", "v", "pods", "x", "status"}));
  CHECK(parse_resource_path({"apis", "g", "v", "namespaces", "x"})->plural == "namespaces");
}

TEST_CASE("The first form that is offered is chosen") {
  const std::vector<Accepted> offered = {{Form::kPlain, ""}, {Form::kTable, "v1"}};
  CHECK(CW_MUST(negotiate("", offered)).form == Form::kPlain);
  CHECK(CW_MUST(negotiate("*/*", offered)).form == Form::kPlain);
  CHECK(CW_MUST(negotiate("application/vnd.kubernetes.protobuf, application/json", offered)).form ==
        Form::kPlain);
  CHECK(CW_MUST(negotiate("application/json;as=Table;v=v1;g=meta.k8s.io,application/json", offered))
            .form == Form::kTable);
  CHECK(negotiate("application/json;as=Table;v=v2;g=meta.k8s.io", offered).error().http_status() ==
        406);
  CHECK(negotiate("text/html", offered).error().http_status() == 406);
}

TEST_CASE("The parameters of lists and watches are checked") {
  const auto list = [](const std::string& query) {
    const auto read = read_list_query(CW_MUST(parse_target("/x?" + query)), "");
    return read.ok() ? 200 : read.error().http_status();
  };
  CHECK(list("limit=3&continue=abc") == 200);
  CHECK(list("labelSelector=app%20in%20(a,b)") == 200);
  CHECK(list("labelSelector=app%20in") == 400);
  CHECK(list("fieldSelector=spec.x%3D1") == 400);
  CHECK(list("limit=-1") == 400);
  CHECK(list("limit=x") == 400);
  CHECK(list("continue=a&resourceVersion=1") == 400);
  CHECK(list("resourceVersion=x") == 400);
  CHECK(list("resourceVersionMatch=Exact") == 422);
  CHECK(list("resourceVersionMatch=Exact&resourceVersion=0") == 422);
  CHECK(list("resourceVersionMatch=Any&resourceVersion=1") == 422);
  CHECK(list("resourceVersionMatch=Exact&resourceVersion=7") == 200);
  const auto watch = [](const std::string& query) {
    const auto read = read_watch_query(CW_MUST(parse_target("/x?watch=1&" + query)), "");
    return read.ok() ? 200 : read.error().http_status();
  };
  CHECK(watch("resourceVersion=1&allowWatchBookmarks=true") == 200);
  CHECK(watch("sendInitialEvents=true") == 422);
  CHECK(watch("sendInitialEvents=true&resourceVersionMatch=NotOlderThan") == 200);
  CHECK(watch("resourceVersion=1&resourceVersionMatch=NotOlderThan") == 422);
  const Target timed = CW_MUST(parse_target("/x?timeoutSeconds=7"));
  CHECK(CW_MUST(read_watch_timeout(timed)) == std::chrono::seconds(7));
}

}  // namespace chartwright::apiserver
