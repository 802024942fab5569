// SPDX-License-Identifier: Apache-2.0
#include "helm/render/engine.h"
#include "helm/version/profile.h"

#include <catch2/catch.hpp>

#include "base/thread.h"
#include "helm/render/operator_template.h"
#include "test/base/manual_clock.h"
#include "test/helm/render/helm_case.h"

// Tests that case files cannot express: the cluster, budgets, help, and templates outside of
// templates/.
namespace chartwright::helm {
namespace {

using value::Value;

class ZeroHost final : public tmpl::Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> out) override {
    std::fill(out.begin(), out.end(), uint8_t{0});
    return {};
  }
};

/// A cluster with the Secret "known". Requests for "denied" are forbidden.
class OneSecret final : public ClusterReader {
 public:
  base::Result<Value> get(const LookupKey& key) override {
    asked.push_back(std::string(key.api_version) + "|" + std::string(key.kind) + "|" +
                    std::string(key.namespace_name) + "|" + std::string(key.name));
    if (key.name == "denied") {
      return base::Error(base::ErrorCode::kForbidden, "secrets \"denied\" is forbidden");
    }
    if (key.name != "known") {
      return base::Error(base::ErrorCode::kNotFound, "not found");
    }
    return Value::dict({{"data", Value::dict({{"k", Value::string("v")}})}});
  }
  base::Result<Value> list(const LookupKey& key) override {
    asked.push_back(std::string(key.kind) + " list");
    return Value::dict({{"items", Value::list({Value::dict({{"n", Value::string("one")}})})}});
  }
  std::vector<std::string> asked;
};

/// A slow cluster that answers every request with an error, by default kNotFound.
class SlowCluster final : public ClusterReader {
 public:
  explicit SlowCluster(base::ManualClock& clock,
                       base::Error answer = base::Error(base::ErrorCode::kNotFound, "not found"),
                       base::Duration pause = std::chrono::seconds(10))
      : clock_(clock), answer_(std::move(answer)), pause_(pause) {}
  base::Result<Value> get(const LookupKey& key) override { return list(key); }
  base::Result<Value> list(const LookupKey& /*key*/) override {
    clock_.advance(pause_);
    return answer_;
  }

 private:
  base::ManualClock& clock_;
  const base::Error answer_;
  const base::Duration pause_;
};

std::shared_ptr<const RenderableChart> chart_of(std::vector<File> files) {
  files.push_back({"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"});
  auto loaded = RenderableChart::from_files(std::move(files));
  REQUIRE(loaded.ok());
  return *loaded;
}

struct World {
  ZeroHost host;
  base::SystemClock system_clock;
  const base::Clock* clock = &system_clock;
  ClusterReader* cluster = nullptr;
  base::BudgetLimits limits = {};
};

base::Result<Rendered> render_with(const RenderableChart& loaded, World& world) {
  base::Result<Rendered> rendered = Rendered();
  base::Thread("render", base::kRenderStackBytes, [&] {
    rendered =
        render(loaded, RenderInputs(), {world.host, *world.clock, world.cluster, world.limits});
  }).join();
  return rendered;
}

base::Error error_of(const RenderableChart& loaded, World& world) {
  auto rendered = render_with(loaded, world);
  REQUIRE_FALSE(rendered.ok());
  return std::move(rendered).error();
}

}  // namespace

TEST_CASE("Lookup reads the cluster through the reader") {
  OneSecret cluster;
  World world;
  world.cluster = &cluster;
  const auto loaded =
      chart_of({{"templates/a.yaml",
                 "a: {{ (lookup \"v1\" \"Secret\" \"ns\" \"known\").data.k }}\n"
                 "b: {{ if not (lookup \"v1\" \"Secret\" \"ns\" \"gone\") }}none{{ end }}\n"
                 "c: {{ range (lookup \"v1\" \"Secret\" \"\" \"\").items }}{{ .n }}{{ end }}\n"}});
  const auto rendered = render_with(*loaded, world);
  REQUIRE(rendered.ok());
  CHECK(rendered->manifests.at(0).content == "a: v\nb: none\nc: one");
  CHECK(cluster.asked ==
        std::vector<std::string>{"v1|Secret|ns|known", "v1|Secret|ns|gone", "Secret list"});
}

TEST_CASE("An error of the reader ends the render") {
  OneSecret cluster;
  World world;
  world.cluster = &cluster;
  const auto loaded =
      chart_of({{"templates/a.yaml", "a: {{ lookup \"v1\" \"Secret\" \"ns\" \"denied\" }}\n"}});
  CHECK(error_of(*loaded, world).message() ==
        "template: c/templates/a.yaml:1:6: executing \"c/templates/a.yaml\" at <lookup \"v1\" "
        "\"Secret\" \"ns\" \"denied\">: error calling lookup: secrets \"denied\" is forbidden");
}

TEST_CASE("A render that waits for its cluster again and again ends") {
  base::ManualClock clock;
  SlowCluster cluster(clock);
  World world;
  world.clock = &clock;
  world.cluster = &cluster;
  const auto asking = [](const std::string& times) {
    return chart_of(
        {{"templates/a.yaml", "a: {{ range " + times +
                                  " }}{{ lookup \"v1\" \"Secret\" \"ns\" \"x\" }}"
                                  "{{ lookup \"v1\" \"Secret\" \"\" \"\" }}{{ end }}\n"}});
  };
  CHECK(render_with(*asking("1"), world).ok());
  const base::Error error = error_of(*asking("1000000"), world);
  CHECK(error.code() == base::ErrorCode::kTimeout);  // A retry may find the server faster.
  CHECK(error.message().ends_with(
      "error calling lookup: render budget exceeded: more than 30s of waiting"));
}

TEST_CASE("A lookup that the server lets time out keeps its class, and so is tried again") {
  base::ManualClock clock;
  SlowCluster cluster(clock, base::Error(base::ErrorCode::kTimeout, "no answer within 30s"),
                      std::chrono::seconds(31));
  World world;
  world.clock = &clock;
  world.cluster = &cluster;
  const base::Error error = error_of(
      *chart_of({{"templates/a.yaml", "{{ lookup \"v1\" \"Secret\" \"ns\" \"x\" }}"}}), world);
  CHECK(error.code() == base::ErrorCode::kTimeout);
  CHECK(error.message().ends_with("error calling lookup: no answer within 30s"));
}

TEST_CASE("A render that keeps what it looks up ends before memory does") {
  class WideCluster final : public ClusterReader {
   public:
    base::Result<Value> get(const LookupKey& /*key*/) override { return Value::dict(); }
    base::Result<Value> list(const LookupKey& /*key*/) override {
      std::vector<Value> items;
      for (int i = 0; i < 16; ++i) {
        items.push_back(Value::dict({{"data", Value::string(text_)}}));
      }
      return Value::dict({{"items", Value::list(std::move(items))}});
    }

   private:
    const std::string text_ = std::string(size_t{1} << 20, 'x');
  };
  WideCluster cluster;
  World world;
  world.cluster = &cluster;
  const auto loaded =
      chart_of({{"templates/a.yaml",
                 "{{ $all := list }}{{ range until 100 }}"
                 "{{ $all = append $all (lookup \"v1\" \"Secret\" \"\" \"\") }}{{ end }}"}});
  const base::Error error = error_of(*loaded, world);
  CHECK(error.code() == base::ErrorCode::kBudget);
  CHECK(error.message().find("error calling lookup: render budget exceeded: more than 536870912 "
                             "bytes of memory") != std::string::npos);
}

TEST_CASE("Template errors carry position, code and the source line") {
  World world;
  const auto loaded = chart_of({{"templates/a.yaml", "a: 1\n\tb: {{ .Values.x.y.z }}\n"}});
  const base::Error error = error_of(*loaded, world);
  CHECK(error.code() == base::ErrorCode::kTemplate);
  REQUIRE(error.pos());
  CHECK(error.pos()->file == "c/templates/a.yaml");
  CHECK(error.pos()->line == 2);
  CHECK(error.help() ==
        "c/templates/a.yaml:2:15\n2 | \tb: {{ .Values.x.y.z }}\n  | \t             ^\n"
        "note: x is not set");
}

TEST_CASE("Help shows every include on the way to an error") {
  World world;
  const auto loaded = chart_of(
      {{"templates/a.yaml", "a: {{ include \"h\" . }}\n"},
       {"templates/_h.tpl", "{{ define \"h\" }}\n{{ required \"need\" .Values.x }}{{ end }}"}});
  const base::Error error = error_of(*loaded, world);
  CHECK(error.message() == "execution error at (c/templates/a.yaml:1:6): need");
  CHECK(error.help() ==
        "c/templates/_h.tpl:2:4\n2 | {{ required \"need\" .Values.x }}{{ end }}\n  |    ^\n"
        "note: x is not set\n"
        "called at c/templates/a.yaml:1:7\n1 | a: {{ include \"h\" . }}\n  |       ^");
}

TEST_CASE("Parse errors carry position, code and the source line") {
  World world;
  const auto loaded = chart_of({{"templates/a.yaml", "a: 1\nb: {{ nope }}\n"}});
  const base::Error error = error_of(*loaded, world);
  CHECK(error.code() == base::ErrorCode::kParse);
  CHECK(error.message() == "parse error at (c/templates/a.yaml:2): function \"nope\" not defined");
  CHECK(error.help().starts_with("c/templates/a.yaml:2:7\n2 | b: {{ nope }}\n  |       ^"));
}

TEST_CASE("A chart that never ends is stopped by its budget") {
  const std::vector<std::string> hostile = {
      "{{ range until 1000000 }}{{ range until 1000000 }}x{{ end }}{{ end }}",
      "{{ repeat 1000000000 \"x\" }}",
      "{{ define \"a\" }}{{ template \"a\" . }}{{ end }}{{ template \"a\" . }}",
      "{{ $t := \"{{ tpl .t . }}\" }}{{ tpl $t (dict \"t\" $t) }}",
      "{{ range until 1000 }}{{ until 1000000 | len }}{{ end }}",
  };
  for (const std::string& text : hostile) {
    INFO(text);
    World world;
    world.limits.steps_max = 1'000'000;
    world.limits.output_bytes_max = size_t{1} << 20;
    world.limits.memory_bytes_max = size_t{64} << 20;
    const auto loaded = chart_of({{"templates/a.yaml", text}});
    CHECK(error_of(*loaded, world).code() == base::ErrorCode::kBudget);
  }
}

TEST_CASE("One chart renders again and again to the same text") {
  const auto loaded =
      chart_of({{"values.yaml", "a: {b: 1}\n"},
                {"templates/a.yaml", "a: {{ $_ := set .Values.a \"b\" 2 }}{{ .Values.a.b }}\n"},
                {"templates/b.yaml", "b: {{ .Values.a.b }}\n"}});
  World world;
  const auto first = render_with(*loaded, world);
  const auto second = render_with(*loaded, world);
  REQUIRE(first.ok());
  REQUIRE(second.ok());
  REQUIRE(first->manifests.size() == 2);
  // b.yaml is executed first and does not see the value that a.yaml sets. A later render does not
  // see it either.
  CHECK(first->manifests[1].content == "b: 1");
  CHECK(second->manifests[1].content == "b: 1");
}

TEST_CASE("A field that a template writes into .Chart is gone with its render") {
  World world;
  // Only Helm 4 has a map there. A chart that contains itself must not outlive the render.
  auto loaded = RenderableChart::from_files(
      {{"Chart.yaml", "apiVersion: v2\nname: c\nversion: 0.1.0\n"},
       {"templates/a.yaml",
        "{{ $before := len .Chart }}{{ $_ := set .Chart \"chart\" .Chart }}"
        "added: {{ sub (len .Chart) $before }}"}},
      *find_profile("4.3"));
  REQUIRE(loaded.ok());
  for (int i = 0; i < 2; ++i) {
    const auto rendered = render_with(**loaded, world);
    INFO((rendered.ok() ? "" : rendered.error().message()));
    REQUIRE(rendered.ok());
    CHECK(rendered->manifests.at(0).content == "added: 1");
  }
}

// The messages are those of Helm 3.22's log.
TEST_CASE("A missing table of import-values is reported by the first key that is not one") {
  const std::string imports =
      "apiVersion: v2\nname: c\nversion: 0.1.0\ndependencies:\n- {name: sub, version: 0.1.0, "
      "repository: '', import-values: [x, {child: x.y, parent: z}, {child: t.y, parent: z}]}\n";
  const auto loaded = RenderableChart::from_files(
      {{"Chart.yaml", imports},
       {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 0.1.0\n"},
       {"charts/sub/values.yaml", "t: {y: 1}\n"}});
  REQUIRE(loaded.ok());
  World world;
  const auto rendered = render_with(**loaded, world);
  REQUIRE(rendered.ok());
  CHECK(rendered->warnings ==
        Warnings{
            "dependencies.go:287: Warning: ImportValues missing table: \"exports\" is not a table",
            "dependencies.go:270: Warning: ImportValues missing table from chart sub: \"x\" is not "
            "a table",
            "dependencies.go:270: Warning: ImportValues missing table from chart sub: \"y\" is not "
            "a table"});
}

TEST_CASE("Renders on several threads share one chart") {
  const auto loaded =
      chart_of({{"values.yaml", "a: {b: 1}\n"},
                {"templates/_h.tpl", "{{ define \"h\" }}{{ .Values.a.b }}{{ end }}"},
                {"templates/a.yaml", "a: {{ include \"h\" . }}\n"}});
  std::vector<std::string> results(4);
  {
    std::vector<base::Thread> threads;
    for (std::string& result : results) {
      threads.emplace_back("render", base::kRenderStackBytes, [&loaded, &result] {
        for (int i = 0; i < 50; ++i) {
          ZeroHost host;
          const base::SystemClock clock;
          const auto rendered = render(*loaded, RenderInputs(), {host, clock, nullptr, {}});
          result = rendered.ok() ? rendered->manifests.at(0).content : "failed";
        }
      });
    }
  }
  CHECK(results == std::vector<std::string>(4, "a: 1"));
}

TEST_CASE("Texts of the operator folder see named templates and the caller's data") {
  const auto loaded = chart_of({{"templates/_h.tpl", "{{ define \"h\" }}<{{ . }}>{{ end }}"}});
  World world;
  const RenderContext context{world.host, *world.clock, nullptr, {}};
  const Value data = Value::dict({{"CR", Value::dict({{"name", Value::string("x")}})}});
  const auto render = [&](std::string text) {
    return OperatorTemplate(loaded, "operator/status.yaml", std::move(text)).render(data, context);
  };
  CHECK(CW_MUST(render("n: {{ include \"h\" .CR.name }}{{ .Live }}")) == "n: <x>");
  const auto failed = render("a\n{{ .CR.a.b.c }}");
  REQUIRE_FALSE(failed.ok());
  CHECK(failed.error().message() ==
        "template: operator/status.yaml:2:6: executing \"operator/status.yaml\" at <.CR.a.b.c>: "
        "nil pointer evaluating interface {}.b");
  CHECK(failed.error().help().starts_with("operator/status.yaml:2:7\n2 | {{ .CR.a.b.c }}"));
}

TEST_CASE("Texts of the operator folder see the named templates of dependencies") {
  const auto loaded = chart_of(
      {{"charts/lib/Chart.yaml", "apiVersion: v2\nname: lib\nversion: 0.1.0\ntype: library\n"},
       {"charts/lib/templates/_h.tpl", "{{ define \"h\" }}lib{{ end }}"},
       {"charts/lib/templates/not-parsed.yaml", "{{ define \"n\" }}{{ end }}"},
       {"charts/sub/Chart.yaml", "apiVersion: v2\nname: sub\nversion: 0.1.0\n"},
       {"charts/sub/templates/_o.tpl",
        "{{ define \"o\" }}sub{{ end }}{{ define \"p\" }}sub{{ end }}"},
       {"templates/_p.tpl", "{{ define \"p\" }}parent{{ end }}"}});
  World world;
  const RenderContext context{world.host, *world.clock, nullptr, {}};
  const OperatorTemplate text(loaded, "operator/status.yaml",
                              "{{ include \"h\" . }} {{ include \"o\" . }} {{ include \"p\" . }}");
  CHECK(CW_MUST(text.render(Value(), context)) == "lib sub parent");
  const auto names = CW_MUST(text.callable());
  CHECK(std::count(names.begin(), names.end(), "o") == 1);
  CHECK(std::count(names.begin(), names.end(), "n") == 0);
}

TEST_CASE("Texts of the operator folder that do not parse are told with their place") {
  const auto loaded = chart_of({{"templates/_h.tpl", "{{ define \"h\" }}theirs{{ end }}"}});
  World world;
  const RenderContext context{world.host, *world.clock, nullptr, {}};
  const auto broken =
      OperatorTemplate(loaded, "operator/status.yaml", "a: 1\n{{ if }}").render(Value(), context);
  REQUIRE_FALSE(broken.ok());
  CHECK(broken.error().code() == base::ErrorCode::kParse);
  CHECK_THAT(broken.error().message(), Catch::Matchers::Contains("operator/status.yaml:2"));
}

TEST_CASE("A template that one text of the operator folder defines is not seen by another") {
  const auto loaded = chart_of({{"templates/_h.tpl", "{{ define \"h\" }}chart{{ end }}"}});
  World world;
  const RenderContext context{world.host, *world.clock, nullptr, {}};
  const OperatorTemplate one(loaded, "one", "{{ define \"h\" }}mine{{ end }}{{ include \"h\" . }}");
  const OperatorTemplate other(loaded, "other", "{{ include \"h\" . }}");
  CHECK(CW_MUST(one.render(Value(), context)) == "mine");
  CHECK(CW_MUST(other.render(Value(), context)) == "chart");
}

}  // namespace chartwright::helm
