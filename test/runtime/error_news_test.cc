// SPDX-License-Identifier: Apache-2.0
#include "runtime/error_news.h"

#include <catch2/catch.hpp>

namespace chartwright::runtime {
namespace {

const kube::ObjectRef kFailing{{"", "v1", "ConfigMap"}, "shop", "one"};
const kube::ObjectRef kFailingToo{{"", "v1", "ConfigMap"}, "shop", "other"};

TEST_CASE("The same error of a key is told once a minute") {
  ErrorNews news;
  const base::MonotonicTime start;
  CHECK(news.is_due(kFailing, "forbidden", start));
  CHECK_FALSE(news.is_due(kFailing, "forbidden", start + std::chrono::seconds(59)));
  CHECK(news.is_due(kFailing, "forbidden", start + std::chrono::seconds(60)));
  CHECK_FALSE(news.is_due(kFailing, "forbidden", start + std::chrono::seconds(61)));
}

TEST_CASE("Another error, another key and an error after a success are told at once") {
  ErrorNews news;
  const base::MonotonicTime now;
  CHECK(news.is_due(kFailing, "forbidden", now));
  CHECK(news.is_due(kFailingToo, "forbidden", now));
  CHECK(news.is_due(kFailing, "not found", now));
  CHECK(news.is_due(kFailing, "forbidden", now));
  news.forget(kFailing);
  CHECK(news.is_due(kFailing, "forbidden", now));
  CHECK_FALSE(news.is_due(kFailingToo, "forbidden", now));
}

}  // namespace
}  // namespace chartwright::runtime
