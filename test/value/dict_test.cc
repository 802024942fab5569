// SPDX-License-Identifier: Apache-2.0
#include <catch2/catch.hpp>
#include <iterator>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "value/value.h"

namespace chartwright::value {
namespace {

using Model = std::map<std::string, int64_t, std::less<>>;
using Pairs = std::vector<std::pair<std::string, int64_t>>;

Pairs entries_of(const Dict& dict) {
  Pairs found;
  for (const auto& [key, v] : dict) {
    found.emplace_back(key, v.as_int());
  }
  return found;
}

void require_equal(const Dict& dict, const Model& model) {
  REQUIRE(dict.size() == model.size());
  REQUIRE(dict.empty() == model.empty());
  REQUIRE(entries_of(dict) == Pairs(model.begin(), model.end()));
}

std::string key_of(size_t number) { return "k" + std::to_string(number); }

/// Sets and erases keys of a range at random, more of the one or of the other.
class Changes {
 public:
  Changes(size_t keys, unsigned seed) : keys_(keys), random_(seed) {}

  void make(Dict& dict, Model& model, size_t count, unsigned sets_of_ten) {
    for (size_t i = 0; i < count; ++i) {
      const std::string key = key_of(random_() % keys_);
      if (random_() % 10 < sets_of_ten) {
        dict.set(key, Value::integer(static_cast<int64_t>(i)));
        model[key] = static_cast<int64_t>(i);
      } else {
        REQUIRE(dict.erase(key) == (model.erase(key) > 0));
      }
    }
  }

 private:
  size_t keys_;
  std::mt19937 random_;
};

TEST_CASE("A dict of any size behaves as a sorted map") {
  const auto keys = GENERATE(as<size_t>{}, 3, 100, 130, 1000, 5000);
  const auto seed = GENERATE(1U, 2U);
  Changes changes(keys, seed);
  Dict dict;
  Model model;
  for (const unsigned sets_of_ten : {9U, 5U, 1U, 9U, 0U}) {
    changes.make(dict, model, keys * 3, sets_of_ten);
    require_equal(dict, model);
    for (size_t i = 0; i < keys; ++i) {
      const auto wanted = model.find(key_of(i));
      const Value* found = std::as_const(dict).find(key_of(i));
      REQUIRE((found != nullptr) == (wanted != model.end()));
      REQUIRE((found == nullptr || found->as_int() == wanted->second));
    }
  }
}

TEST_CASE("A dict made whole, or from its end, takes entries in its middle") {
  std::vector<Dict::Entry> entries;
  Dict grown;
  Model model;
  for (size_t i = 1000; i < 4000; ++i) {
    entries.emplace_back(key_of(i), Value::integer(1));
    grown.set(key_of(i), Value::integer(1));
    model[key_of(i)] = 1;
  }
  Dict whole(std::move(entries));
  for (size_t i = 10; i < 1000; ++i) {
    whole.set(key_of(i), Value::integer(2));
    grown.set(key_of(i), Value::integer(2));
    model[key_of(i)] = 2;
  }
  require_equal(whole, model);
  require_equal(grown, model);
}

TEST_CASE("A dict loses its entries from the front, the middle and the end") {
  const auto start = GENERATE(as<size_t>{}, 1000, 2500, 3999);
  Dict dict;
  Model model;
  for (size_t i = 1000; i < 4000; i += 2) {
    model[key_of(i)] = 1;
    model[key_of(i + 1)] = 1;
    dict.set(key_of(i + 1), Value::integer(1));
    dict.set(key_of(i), Value::integer(1));
  }
  for (size_t i = start; i < 4000; ++i) {
    REQUIRE(dict.erase(key_of(i)));
    model.erase(key_of(i));
  }
  require_equal(dict, model);
  for (size_t i = start; i-- > 1000;) {
    REQUIRE(dict.erase(key_of(i)));
  }
  require_equal(dict, {});
}

TEST_CASE("A copy of a dict shares nothing with it") {
  Dict dict;
  Model model;
  Changes(1000, 1).make(dict, model, 3000, 8);
  Dict copy(dict);
  require_equal(copy, model);
  copy.set("k", Value::integer(1));
  copy.erase(model.begin()->first);
  require_equal(dict, model);
  model.erase(model.begin());
  model["k"] = 1;
  dict = copy;
  require_equal(dict, model);
}

TEST_CASE("After finds the next key, whether its argument exists or not") {
  const auto keys = GENERATE(as<size_t>{}, 10, 1000);
  Dict dict;
  Model model;
  Changes(keys, 1).make(dict, model, keys, 8);
  REQUIRE(std::as_const(dict).after("") == dict.begin());
  for (size_t i = 0; i < keys; ++i) {
    const auto wanted = model.upper_bound(key_of(i));
    const auto found = std::as_const(dict).after(key_of(i));
    REQUIRE((found == dict.end()) == (wanted == model.end()));
    REQUIRE((wanted == model.end() || found->first == wanted->first));
    REQUIRE(std::distance(found, dict.end()) == std::distance(wanted, model.end()));
  }
  CHECK(Dict().after("a") == Dict().end());
}

}  // namespace
}  // namespace chartwright::value
