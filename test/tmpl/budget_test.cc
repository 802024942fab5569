// SPDX-License-Identifier: Apache-2.0
#include "base/budget.h"

#include <catch2/catch.hpp>
#include <string>

#include "base/check.h"
#include "base/thread.h"
#include "go/format.h"
#include "test/base/manual_clock.h"
#include "test/tmpl/fixture.h"
#include "tmpl/execution.h"
#include "tmpl/parser.h"

namespace chartwright::tmpl {
namespace {

using base::ErrorCode;
using value::Value;

std::string repeat(std::string_view text, int count) {
  std::string out;
  for (int i = 0; i < count; ++i) {
    out += text;
  }
  return out;
}

// Checks that the execution failed with kBudget and `message`, preceded by the template's position.
void check_exceeded(const Outcome& outcome, const std::string& message) {
  REQUIRE(!outcome.status.ok());
  CHECK(outcome.status.error().code() == ErrorCode::kBudget);
  CHECK(outcome.status.error().message() == message);
  CHECK(outcome.status.error().pos().has_value());
}

// Functions that take one second: `work` of CPU time of the thread, `suffer` of elapsed time only.
Function work(base::ManualClock& clock) {
  return {"work", {}, false, [&clock](CallContext&, std::span<const Value>) {
            clock.work(std::chrono::seconds(1));
            return base::Result<Value>(Value());
          }};
}
Function suffer(base::ManualClock& clock) {
  return {"suffer", {}, false, [&clock](CallContext&, std::span<const Value>) {
            clock.advance(std::chrono::seconds(1));
            return base::Result<Value>(Value());
          }};
}
// A function that waits ten seconds for a cluster to answer.
Function ask(base::ManualClock& clock) {
  return {"ask", {}, false, [&clock](CallContext& context, std::span<const Value>) {
            const base::MonotonicTime began = context.budget.now();
            clock.advance(std::chrono::seconds(10));
            const base::Status charged = context.budget.charge_wait(began);
            return charged.ok() ? base::Result<Value>(Value()) : charged.error();
          }};
}

Function inclusion() {
  return {"include",
          {Param::kString, Param::kAny},
          false,
          [](CallContext& context, std::span<const Value> arguments) -> base::Result<Value> {
            CW_TRY(std::string text, context.execution.run(arguments[0].as_string(), arguments[1]));
            return Value::string(std::move(text));
          }};
}

// A map that contains itself. The destructor breaks the cycle, which reference counting cannot
// free.
class Cycle {
 public:
  Cycle() { dict_.mutable_dict().set("self", dict_); }
  ~Cycle() { dict_.mutable_dict().erase("self"); }
  Cycle(const Cycle&) = delete;
  Cycle& operator=(const Cycle&) = delete;
  const Value& value() const { return dict_; }

 private:
  Value dict_ = Value::dict();
};

// A list that prints 2^n members.
Value doubling(int n) {
  Value list = Value::list({Value::integer(1)});
  for (int i = 0; i < n; ++i) {
    list = Value::list({list, list});
  }
  return list;
}

}  // namespace

TEST_CASE("Steps are bounded") {
  Fixture fixture;
  fixture.limits.steps_max = 100;
  check_exceeded(fixture.run("a\n{{range 1000000}}x{{end}}"),
                 "template: case:2:17: executing \"case\" at <x>: render budget exceeded: more "
                 "than 100 evaluation steps");
  CHECK(fixture.run("{{range 10}}x{{end}}").text() == "xxxxxxxxxx");
}

TEST_CASE("A range over the largest integer ends") {
  Fixture fixture;
  fixture.limits.steps_max = 10000;
  CHECK(fixture.run("{{range 9223372036854775807}}{{end}}").status.error().code() ==
        ErrorCode::kBudget);
}

TEST_CASE("Output is bounded") {
  Fixture fixture;
  fixture.limits.output_bytes_max = 10;
  const Outcome outcome = fixture.run("{{range 20}}ab{{end}}");
  check_exceeded(outcome,
                 "template: case:1:12: executing \"case\" at <ab>: render budget exceeded: more "
                 "than 10 bytes of output");
  CHECK(outcome.out == "ababababab");
}

TEST_CASE("An error names the limit that counts, not the budget's own") {
  Fixture fixture;
  const base::MemoryLimit outer(1 << 20);
  check_exceeded(
      fixture.run("{{printf \"%2000000d\" 1 | len}}"),
      "template: case:1:2: executing \"case\" at <printf \"%2000000d\" 1>: error calling "
      "printf: render budget exceeded: more than 1048576 bytes of memory");
}

TEST_CASE("The text that functions build is bounded") {
  Fixture fixture;
  fixture.limits.memory_bytes_max = 100'000;
  check_exceeded(fixture.run("{{printf \"%200000d\" 1 | len}}"),
                 "template: case:1:2: executing \"case\" at <printf \"%200000d\" 1>: error calling "
                 "printf: render budget exceeded: more than 100000 bytes of memory");
  check_exceeded(fixture.run("{{$x := \"0123456789\"}}{{range 100}}{{$x = print $x $x}}{{end}}"),
                 "template: case:1:42: executing \"case\" at <print $x $x>: error calling print: "
                 "render budget exceeded: more than 100000 bytes of memory");
}

TEST_CASE("The text that no function builds is bounded, too") {
  Fixture fixture;
  fixture.limits.memory_bytes_max = 100'000;
  // The executor stores the variables of the range body.
  std::string text = "{{range 1}}";
  for (int i = 0; i < 3000; ++i) {
    text += "{{$v" + std::to_string(i) + " := 1}}";
  }
  const Outcome outcome = fixture.run(text + "{{end}}");
  REQUIRE(!outcome.status.ok());
  CHECK(outcome.status.error().message().ends_with(
      "render budget exceeded: more than 100000 bytes of memory"));
  CHECK(outcome.status.error().pos().has_value());
}

TEST_CASE("Memory that is given back may be used again") {
  Fixture fixture;
  fixture.limits.memory_bytes_max = 100'000;
  CHECK(fixture.run("{{range 100}}{{if printf \"%20000d\" 1}}{{end}}{{end}}").text().empty());
}

TEST_CASE("The bytes that functions read and build are steps") {
  Fixture fixture;
  fixture.limits.steps_max = 10'000;
  check_exceeded(
      fixture.run("{{$x := printf \"%100000d\" 1}}{{range 100}}{{if eq $x \"\"}}{{end}}{{end}}"),
      "template: case:1:47: executing \"case\" at <eq $x \"\">: error calling eq: render budget "
      "exceeded: more than 10000 evaluation steps");
}

// Renders with a clock that only the functions above advance.
base::Status run_timed(const std::string& text) {
  base::ManualClock clock;
  const auto functions = std::make_shared<FunctionMap>();
  functions->add(work(clock));
  functions->add(suffer(clock));
  functions->add(ask(clock));
  Template templates(functions);
  CW_CHECK(templates.parse("t", text).ok());
  base::Budget budget({}, clock);
  WrittenDicts written;
  StillHost host;
  std::string out;
  return templates.execute("t", {}, {MissingKey::kDefault, budget, written, host, nullptr}, out);
}

TEST_CASE("CPU time is bounded") {
  CHECK(run_timed("{{range 30}}{{work}}{{end}}{{range 10000}}{{end}}").ok());
  const auto status = run_timed("{{range 31}}{{work}}{{end}}{{range 10000}}{{end}}");
  REQUIRE(!status.ok());
  CHECK(status.error().code() == ErrorCode::kBudget);
  CHECK(status.error().message().ends_with("render budget exceeded: more than 30s of CPU time"));
}

TEST_CASE("Time in which others have the processor is not charged") {
  CHECK(run_timed("{{range 29}}{{work}}{{suffer}}{{end}}{{range 100000}}{{end}}").ok());
  CHECK(!run_timed("{{range 29}}{{work}}{{suffer}}{{end}}{{range 10000}}{{end}}{{work}}{{work}}"
                   "{{range 10000}}{{end}}")
             .ok());
}

TEST_CASE("Waiting is bounded apart from working") {
  CHECK(
      run_timed("{{range 3}}{{ask}}{{end}}{{range 30}}{{work}}{{end}}{{range 10000}}{{end}}").ok());
  const auto status = run_timed("{{range 4}}{{ask}}{{end}}");
  REQUIRE(!status.ok());
  CHECK(status.error().code() == ErrorCode::kTimeout);
  CHECK(status.error().message().ends_with("render budget exceeded: more than 30s of waiting"));
}

TEST_CASE("A large charge of steps does not wrap round") {
  base::SystemClock clock;
  base::Budget budget({}, clock);
  CHECK(budget.charge_steps(10).ok());
  CHECK(!budget.charge_steps(~uint64_t{0}).ok());
  CHECK(!budget.charge_step().ok());
}

TEST_CASE("Charges add up to their limits exactly") {
  base::SystemClock clock;
  base::BudgetLimits limits;
  limits.memory_bytes_max = 1000;
  limits.output_bytes_max = 10;
  base::Budget budget(limits, clock);
  CHECK(budget.charge_alloc(1000).ok());
  CHECK(budget.charge_alloc(1000).ok());  // A charge alone uses no memory.
  CHECK(!budget.charge_alloc(1001).ok());
  CHECK(!budget.charge_alloc(~size_t{0}).ok());
  CHECK(budget.charge_output(10).ok());
  CHECK(!budget.charge_output(1).ok());
  CHECK(!budget.charge_output(~size_t{0}).ok());
}

TEST_CASE("A value that holds itself prints up to a limit") {
  Fixture fixture;
  const Cycle cycle;
  for (const char* text :
       {"{{.}}", "{{print .}}", "{{printf \"%v\" .}}", "{{html .}}", "{{println .}}"}) {
    const Outcome outcome = fixture.run(text, cycle.value());
    REQUIRE(!outcome.status.ok());
    CHECK(outcome.status.error().code() == ErrorCode::kBudget);
    CHECK(outcome.status.error().message().ends_with("value nested deeper than 1000 levels"));
  }
  CHECK(go::format_value(cycle.value()).size() < 200'000);
}

TEST_CASE("A value that shares its members prints up to a limit") {
  Fixture fixture;
  fixture.limits.memory_bytes_max = 100'000;
  CHECK(fixture.run("{{len .}}{{print .}}", doubling(60)).status.error().code() ==
        ErrorCode::kBudget);
  CHECK(fixture.run("{{printf \"%1000d\" .}}", doubling(60)).status.error().code() ==
        ErrorCode::kBudget);
  CHECK(fixture.run("{{print .}}", doubling(3)).text() ==
        "[[[[1] [1]] [[1] [1]]] [[[1] [1]] [[1] [1]]]]");
}

TEST_CASE("Recursion of templates ends at the limit on a render thread's stack") {
  base::Thread thread("deep", base::kRenderStackBytes, [] {
    Fixture fixture;
    const Outcome outcome =
        fixture.run("{{define \"a\"}}{{template \"a\" .}}{{end}}{{template \"a\"}}");
    check_exceeded(
        outcome,
        "template: case:1:25: executing \"a\" at <{{template \"a\" .}}>: exceeded maximum "
        "template depth (1200)");
    fixture.functions->add(inclusion());
    const Outcome nested =
        fixture.run("{{define \"a\"}}{{include \"a\" .}}{{end}}{{include \"a\" .}}");
    REQUIRE(!nested.status.ok());
    CHECK(nested.status.error().code() == ErrorCode::kBudget);
    CHECK(nested.status.error().message().ends_with(
        "executing \"a\" at <include \"a\" .>: error calling include: exceeded maximum template "
        "depth (1200)"));
  });
}

TEST_CASE("Deep expressions are evaluated on a render thread's stack") {
  base::Thread thread("deep", base::kRenderStackBytes, [] {
    Fixture fixture;
    const auto parens = [](std::string_view inside, int n) {
      return repeat("(", n) + std::string(inside) + repeat(")", n);
    };
    CHECK(fixture.run("{{" + parens("1", kParenDepthMax) + "}}").text() == "1");
    const std::string branches =
        repeat("{{with 1}}", kControlDepthMax) + "{{.}}" + repeat("{{end}}", kControlDepthMax);
    CHECK(fixture.run(branches).text() == "1");
    CHECK(fixture.run("{{" + repeat("print (", 5000) + "1" + repeat(")", 5000) + "}}").text() ==
          "1");
    // Each of the nested templates adds its own parentheses; the limit applies to the sum.
    fixture.functions->add(inclusion());
    const Outcome outcome = fixture.run("{{define \"a\"}}{{" + parens("include \"a\" .", 400) +
                                        "}}{{end}}{{include \"a\" .}}");
    REQUIRE(!outcome.status.ok());
    CHECK(outcome.status.error().code() == ErrorCode::kBudget);
    CHECK(outcome.status.error().message().ends_with("exceeded maximum evaluation depth (10240)"));
  });
}

}  // namespace chartwright::tmpl
