// SPDX-License-Identifier: Apache-2.0
#include "console/live_words.h"

#include <catch2/catch.hpp>
#include <map>

#include "base/strings.h"
#include "test/base/temporary_directory.h"
#include "test/fakeapi/fake_server.h"

namespace chartwright::cmd {
namespace {

using Live = Takes::Live;
using Texts = std::vector<std::string>;
using Answers = std::map<std::string, std::string>;

// As kube-apiserver 1.36 answers, without what is not read.
const char* const kServed = R"({"items":[
  {"metadata":{"name":"apps"},"versions":[{"version":"v1","resources":[
    {"resource":"deployments","responseKind":{"kind":"Deployment"},"scope":"Namespaced"}]}]},
  {"metadata":{"name":"example.com"},"versions":[{"version":"v1","resources":[
    {"resource":"shops","responseKind":{"kind":"Shop"},"scope":"Namespaced",
     "singularResource":"shop","shortNames":["sh"],"categories":["chartwright"]},
    {"resource":"tenants","responseKind":{"kind":"Tenant"},"scope":"Cluster",
     "singularResource":"tenant","categories":["chartwright"]},
    {"resource":"`reboot`","responseKind":{"kind":"Bad"},"categories":["chartwright"]},
    {"resource":"mills","responseKind":{"kind":"Mill"},"scope":"Namespaced",
     "categories":["chartwright"]}]}]},
  {"metadata":{"name":"other.org"},"versions":[{"version":"v1","resources":[
    {"resource":"mills","responseKind":{"kind":"Mill"},"scope":"Namespaced"}]}]}]})";

const char* const kKubeconfig = R"(current-context: one
clusters: [{name: here, cluster: {server: "URL"}}]
contexts:
- {name: one, context: {cluster: here, namespace: team}}
- {name: kubernetes-admin@two_b, context: {cluster: here}}
- {name: "arn:aws:eks:cluster/three", context: {cluster: here}}
- {name: "`reboot`", context: {cluster: here}}
)";

std::string list_of(const Texts& names) {
  std::string items;
  for (const std::string& name : names) {
    items += (items.empty() ? "" : ",") + std::string(R"({"metadata":{"name":")") + name + "\"}}";
  }
  return R"({"items":[)" + items + "]}";
}

/// An API server that has an answer for each path, and a kubeconfig for it.
class LiveServer {
 public:
  explicit LiveServer(Answers answers)
      : answers_(std::move(answers)), server_([this](const auto& request, fakeapi::Reply& reply) {
          const auto found = answers_.find(request.target.substr(0, request.target.find('?')));
          if (found == answers_.end()) {
            reply.send(403, "{}");
          } else if (found->second.empty()) {
            reply.hold();
          } else {
            reply.send(200, found->second);
          }
        }) {
    kubeconfig_ = folder_.write("config", base::replace_all(kKubeconfig, "URL", server_.url()));
  }

  /// Returns the words for a question that is asked with the kubeconfig of this server.
  Texts words(LiveQuestion question) const {
    question.flags.push_back("--kubeconfig=" + kubeconfig_);
    Texts words;
    for (const Candidate& one : live_words(question)) {
      words.push_back(one.word);
    }
    return words;
  }
  std::vector<Candidate> candidates(LiveQuestion question) const {
    question.flags.push_back("--kubeconfig=" + kubeconfig_);
    return live_words(question);
  }
  Texts asked() const {
    Texts targets;
    for (const auto& request : server_.requests()) {
      targets.push_back(request.target);
    }
    return targets;
  }

 private:
  const Answers answers_;
  base::TemporaryDirectory folder_;
  std::string kubeconfig_;
  fakeapi::FakeServer server_;
};

const std::string kShops = "/apis/example.com/v1/namespaces/team/shops";

}  // namespace

TEST_CASE("Kinds of the category are offered, with the group where two have the same plural") {
  const LiveServer server(Answers{{"/apis", kServed}});
  CHECK(server.words({Live::kCustomResources, {}, {}, ""}) ==
        Texts{"shops", "tenants", "mills.example.com"});
  CHECK(server.words({Live::kCustomResources, {}, {"shop/one"}, ""}).size() == 3);
  CHECK(server.asked() == Texts{"/apis", "/apis"});
}

TEST_CASE("Names are offered behind a kind, by two requests") {
  const LiveServer server(Answers{{"/apis", kServed}, {kShops, list_of({"one", "two"})}});
  const auto [arguments, typed, words] =
      GENERATE(table<Texts, std::string, Texts>({{Texts{}, "shop/", {"shop/one", "shop/two"}},
                                                 {{"Shop/one"}, "sh/t", {"sh/one", "sh/two"}},
                                                 {{"shops"}, "", {"one", "two"}},
                                                 {{"shops.example.com", "one"}, "", {"two"}}}));
  CAPTURE(typed);
  CHECK(server.words({Live::kCustomResources, {}, arguments, typed}) == words);
  CHECK(server.asked() == Texts{"/apis", kShops + "?limit=500"});
}

TEST_CASE("Names are those of the place that the flags name") {
  const LiveServer server(
      Answers{{"/apis", kServed},
              {"/apis/example.com/v1/namespaces/far/shops", list_of({"three"})},
              {"/apis/example.com/v1/namespaces/default/shops", list_of({"four"})},
              {"/apis/example.com/v1/tenants", list_of({"five"})}});
  const auto [flags, kind, words] = GENERATE(table<Texts, std::string, Texts>(
      {{{"--namespace=far", "--output=json", "--watch"}, "shop", {"three"}},
       {{"--namespace=far", "--namespace=", "--context=kubernetes-admin@two_b"}, "shop", {"four"}},
       {{"--all-namespaces"}, "shop", {}},
       {{"--all-namespaces=no"}, "shop", {}},
       {{"--all-namespaces"}, "tenant", {"five"}},
       {{"--help", "--context=none"}, "tenant", {}},
       {Texts{}, "deployments", {}},
       {Texts{}, "all", {}},
       {Texts{}, "sh ops", {}}}));
  CAPTURE(flags, kind);
  CHECK(server.words({Live::kCustomResources, flags, {kind}, ""}) == words);
}

TEST_CASE("Namespaces are offered by one request, and contexts by none") {
  const LiveServer server(Answers{{"/api/v1/namespaces", list_of({"default", "team"})}});
  CHECK(server.words({Live::kNamespaces, {}, {}, ""}) == Texts{"default", "team"});
  CHECK(server.words({Live::kContexts, {"--context=none"}, {}, ""}) ==
        Texts{"one", "kubernetes-admin@two_b", "arn:aws:eks:cluster/three"});
  CHECK(server.asked() == Texts{"/api/v1/namespaces?limit=500"});
}

TEST_CASE("Revisions are offered with their charts, the newest first") {
  const LiveServer server(
      Answers{{"/apis", kServed},
              {kShops + "/one", R"({"status":{"history":[{"revision":10,"chart":"`reboot`"},
                            {"revision":"9"},{"revision":8,"chart":"shop-1.0.0"},{"revision":7}]}})"}});
  const auto found = server.candidates({Live::kRevisions, {}, {"shop/one"}, ""});
  REQUIRE(found.size() == 4);
  CHECK((found[0].word == "10" && found[0].help.empty()));
  CHECK((found[1].word == "8" && found[1].help == "shop-1.0.0"));
  CHECK((found[2].word == "7" && found[2].help.empty()));
  CHECK((found[3].word == "previous" && !found[3].help.empty()));
  CHECK(server.asked() == Texts{"/apis", kShops + "/one"});
  for (const Texts& arguments : {Texts{}, {"shop"}, {"shop", "one", "two"}, {"shop", "gone"}}) {
    CHECK(server.words({Live::kRevisions, {}, arguments, ""}).empty());
  }
}

TEST_CASE("Awaited are the newest revision and the next one") {
  const auto [history, words] = GENERATE(table<std::string, Texts>(
      {{R"([{"revision":2,"chart":"shop-1.0.0"},{"revision":3,"chart":"shop-1.1.0"}])", {"3", "4"}},
       {R"([{"revision":9223372036854775807}])", {"9223372036854775807"}},
       {R"([{"revision":"3"}])", {"1"}},
       {"{}", {"1"}}}));
  const LiveServer server(
      Answers{{"/apis", kServed}, {kShops + "/one", R"({"status":{"history":)" + history + "}}"}});
  CHECK(server.words({Live::kAwaitedRevisions, {}, {"shop/one"}, ""}) == words);
  CHECK(server.words({Live::kAwaitedRevisions, {}, {"shop/gone"}, ""}).empty());
  CHECK(server.words({Live::kAwaitedRevisions, {}, {"shop"}, ""}).empty());
}

TEST_CASE("A word that may mean something to a shell is left out") {
  const LiveServer server(Answers{
      {"/api/v1/namespaces",
       list_of({"a", "$(reboot)", "`reboot`", "-rf", ":files", "a b", "a;b", "a\\nb", "a\\tb", "~",
                "a*", "a'", "a\\u001b[31m", "\\u00e4", "", std::string(600, 'a'), "b"})}});
  CHECK(server.words({Live::kNamespaces, {}, {}, ""}) == Texts{"a", "b"});
}

TEST_CASE("No more than 500 words are offered") {
  const LiveServer server(Answers{{"/api/v1/namespaces", list_of(Texts(501, "a"))}});
  CHECK(server.words({Live::kNamespaces, {}, {}, ""}).size() == kLiveWordsMax);
}

TEST_CASE("Nothing is offered where the cluster refuses, answers nonsense, or takes too long") {
  const LiveServer server(Answers{{"/apis", kServed}, {"/api/v1/namespaces", "{"}, {kShops, ""}});
  CHECK(server.words({Live::kNamespaces, {}, {}, ""}).empty());
  CHECK(server.words({Live::kCustomResources, {"--namespace=secret"}, {"shop"}, ""}).empty());
  CHECK(live_words({Live::kNamespaces, {"--kubeconfig=/none"}, {}, ""}).empty());
  CHECK(live_words({Live::kContexts, {"--kubeconfig=/none"}, {}, ""}).empty());
  const auto began = std::chrono::steady_clock::now();
  CHECK(server.words({Live::kCustomResources, {}, {"shop"}, ""}).empty());
  CHECK(std::chrono::steady_clock::now() - began < std::chrono::seconds(10));
}

}  // namespace chartwright::cmd
