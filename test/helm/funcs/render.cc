// SPDX-License-Identifier: Apache-2.0
#include "test/helm/funcs/render.h"

#include <memory>

#include "base/clock.h"
#include "base/strings.h"
#include "helm/funcs/caches.h"
#include "helm/funcs/registry.h"
#include "test/helm/funcs/fixed_host.h"
#include "tmpl/template.h"

namespace chartwright::helm::funcs {
namespace {

constexpr const char* kTemplateName = "case/templates/case.yaml";

std::shared_ptr<const tmpl::FunctionMap> sprig() {
  auto functions = std::make_shared<tmpl::FunctionMap>();
  register_sprig(*functions);
  return functions;
}

}  // namespace

std::string render(const Rendering& rendering, tmpl::Host& host) {
  static const std::shared_ptr<const tmpl::FunctionMap> functions = sprig();
  tmpl::Template templates(functions, kTemplateName);
  const base::Status parsed = templates.parse(kTemplateName, rendering.text);
  if (!parsed.ok()) {
    return "error: " + parsed.error().message();
  }
  const base::SystemClock clock;
  base::Budget budget(rendering.limits, clock);
  tmpl::WrittenDicts written;
  const value::Value dot = value::Value::dict({{"Values", rendering.values}});
  Caches caches;
  State state(caches);
  std::string out;
  const base::Status done = templates.execute(
      kTemplateName, dot, {tmpl::MissingKey::kZero, budget, written, host, &state}, out);
  return done.ok() ? base::replace_all(out, "<no value>", "") : "error: " + done.error().message();
}

std::string render(const std::string& text) {
  FixedHost host;
  return render(Rendering{text}, host);
}

}  // namespace chartwright::helm::funcs
