// SPDX-License-Identifier: Apache-2.0
#include "report/get_lines.h"

#include <catch2/catch.hpp>

namespace chartwright::cmd {
namespace {

using Cells = std::vector<std::string>;
using Of = ShownLines::Of;

Summary shop_line(const std::string& name) {
  Summary summary;
  summary.ref = {{"example.com", "v1", "Shop"}, "team", name};
  summary.ready = "True";
  summary.revision = 3;
  summary.chart = "shop-1.2.0";
  summary.created = "2026-11-29T12:00:00Z";
  return summary;
}

Summary with_problem(Summary summary, const std::string& message,
                     const std::string& since = "2026-11-29T13:00:00Z") {
  summary.problem = Problem{"Stalled", message, since};
  return summary;
}

const base::WallTime kLater = *base::parse_rfc3339("2026-11-29T14:00:00Z");

}  // namespace

TEST_CASE("A row has a cell for each column") {
  const Summary summary = with_problem(shop_line("one"), std::string(100, 'm'));
  CHECK(get_row(summary, {}, kLater) ==
        Cells{"one", "True", "3", "shop-1.2.0", "120m", "Stalled: " + std::string(50, 'm') + "…"});
  const GetTable all{.is_wide = true, .has_kinds = true, .has_namespaces = true};
  const Cells row = get_row(summary, all, kLater);
  CHECK(row == Cells{"team", "shop/one", "True", "3", "shop-1.2.0", "120m",
                     "Stalled: " + std::string(100, 'm'), "60m"});
  CHECK(get_header(all).size() == row.size());
  CHECK(get_header({}).size() == get_row(shop_line("one"), {}, kLater).size());
}

TEST_CASE("A line is shown again where more than an age of it has changed") {
  ShownLines shown(GetTable{}, Of::kAll);
  CHECK(shown.is_news(shop_line("one")));
  CHECK_FALSE(shown.is_news(shop_line("one")));
  CHECK(shown.is_news(shop_line("two")));
  CHECK(shown.is_news(with_problem(shop_line("one"), "a")));
  CHECK_FALSE(shown.is_news(with_problem(shop_line("one"), "a", "2026-11-29T13:30:00Z")));
  CHECK(shown.is_news(with_problem(shop_line("one"), "b")));
  Summary upgraded = with_problem(shop_line("one"), "b");
  upgraded.revision = 4;
  CHECK(shown.is_news(upgraded));
}

TEST_CASE("A change behind the end of a cut message is shown only in a wide table") {
  const std::string front(100, 'm');
  for (const bool is_wide : {false, true}) {
    ShownLines shown(GetTable{.is_wide = is_wide}, Of::kAll);
    CHECK(shown.is_news(with_problem(shop_line("one"), front + "a")));
    CHECK(shown.is_news(with_problem(shop_line("one"), front + "b")) == is_wide);
  }
}

TEST_CASE("JSON is shown again where any member has changed") {
  ShownLines shown(std::nullopt, Of::kAll);
  CHECK(shown.is_news(with_problem(shop_line("one"), "a")));
  CHECK_FALSE(shown.is_news(with_problem(shop_line("one"), "a")));
  CHECK(shown.is_news(with_problem(shop_line("one"), "a", "2026-11-29T13:30:00Z")));
}

TEST_CASE("Of those with a problem, its end is shown once") {
  ShownLines shown(GetTable{}, Of::kProblems);
  CHECK_FALSE(shown.is_news(shop_line("one")));
  CHECK(shown.is_news(with_problem(shop_line("one"), "a")));
  CHECK(shown.is_news(shop_line("one")));
  CHECK_FALSE(shown.is_news(shop_line("one")));
  CHECK_FALSE(shown.take_deleted(shop_line("one").ref));
  CHECK(shown.is_news(with_problem(shop_line("one"), "a")));
}

TEST_CASE("The last line of what is deleted says so") {
  ShownLines shown(GetTable{}, Of::kAll);
  shown.is_news(shop_line("one"));
  const auto last = shown.take_deleted(shop_line("one").ref);
  REQUIRE(last);
  CHECK(last->revision == 3);
  CHECK(last->problem.value().reason == "Deleted");
  CHECK_FALSE(shown.take_deleted(shop_line("one").ref));
  CHECK(shown.is_news(shop_line("one")));
}

}  // namespace chartwright::cmd
