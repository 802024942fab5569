// SPDX-License-Identifier: Apache-2.0
#include "test/helm/render/helm_case.h"

#include <algorithm>
#include <map>

#include "base/check.h"
#include "base/file.h"
#include "base/strings.h"
#include "base/thread.h"
#include "helm/render/rendering.h"
#include "helm/values/dependencies.h"
#include "helm/values/strvals.h"

namespace chartwright::helm {
namespace {

/// A host without clock and randomness, so that no case depends on them.
class FixedHost final : public tmpl::Host {
 public:
  base::WallTime now() override { return {}; }
  base::Status random(std::span<uint8_t> out) override {
    std::fill(out.begin(), out.end(), uint8_t{0});
    return {};
  }
};

using Sets = std::map<std::string, std::vector<std::string>, std::less<>>;

base::Status failed(base::Status status, std::string_view flag) {
  return status.ok() ? status
                     : base::Status(std::move(status).error().wrap("failed parsing " +
                                                                   std::string(flag) + " data"));
}

base::Status apply_set(std::string_view flag, const std::string& line, ValuesRule rule,
                       value::Value& values) {
  if (flag == "--set-json") {
    return parse_set_json(line, values, rule);
  }
  if (flag == "--set-literal") {
    return parse_set_literal(line, values, rule);
  }
  return parse_set(line, flag == "--set" ? SetMode::kTyped : SetMode::kString, values, rule);
}

base::Status apply_sets(const Sets& sets, HelmCase& to) {
  for (const char* flag : {"--set-json", "--set", "--set-string", "--set-literal"}) {
    const auto found = sets.find(flag);
    const std::vector<std::string> lines =
        found != sets.end() ? found->second : std::vector<std::string>();
    for (size_t i = 0; i < lines.size(); ++i) {
      CW_TRY_VOID(failed(apply_set(flag, lines[i], to.profile.values, to.inputs.values), flag));
      value::Value alone = value::Value::dict();
      const std::string number =
          lines.size() > 1 ? " (number " + std::to_string(i + 1) + ")" : std::string();
      if (apply_set(flag, lines[i], to.profile.values, alone).ok()) {
        to.layers.push_back({flag + number, std::move(alone), "", ""});
      }
    }
  }
  return {};
}

base::Status apply_flag(const std::string& flag, const std::string& value, HelmCase& to) {
  if (flag == "-n" || flag == "--namespace") {
    to.inputs.release.namespace_name = value;
  } else if (flag == "--kube-version") {
    auto parsed = parse_kube_version(value, to.profile);
    if (!parsed.ok()) {
      return std::move(parsed).error().wrap("invalid kube version '" + value + "'");
    }
    to.inputs.capabilities.kube_version = *parsed;
  } else if (flag == "-a" || flag == "--api-versions") {
    std::vector<value::Value> all = to.inputs.capabilities.api_versions.as_list().items;
    all.push_back(value::Value::string(value));
    to.inputs.capabilities.api_versions = value::Value::list(std::move(all), value::kStringList);
  } else if (flag == "--is-upgrade") {
    to.inputs.release.action = ReleaseAction::kUpgrade;
  } else if (flag == "--include-crds") {
    to.print.crds = PrintCrds::kInclude;
  } else if (flag == "--skip-tests") {
    to.print.hooks = PrintHooks::kNoTests;
  } else if (flag == "--no-hooks") {
    to.print.hooks = PrintHooks::kNone;
  } else if (flag == "--skip-schema-validation") {
    to.inputs.schema_check = SchemaCheck::kSkip;
  } else {
    return base::Error(base::ErrorCode::kInvalidArgument, "cases do not know the flag " + flag);
  }
  return {};
}

/// Runs `f` on a stack of the size that the product uses for renders.
template <typename F>
void on_render_stack(F f) {
  base::Thread("render", base::kRenderStackBytes, f).join();
}

base::Status check_chart(const Chart& chart, const Profile& profile) {
  if (!chart.metadata.type.empty() && chart.metadata.type != "application") {
    return base::Error(base::ErrorCode::kInvalidArgument,
                       chart.metadata.type + " charts are not installable");
  }
  if (auto status = check_dependencies_present(chart); !status.ok()) {
    const bool is_helm_4 = profile.functions == FunctionRule::kHelm4;
    return std::move(status).error().wrap(
        is_helm_4 ? "an error occurred while checking for chart dependencies. You may need to run "
                    "'helm dependency build' to fetch missing dependencies"
                  : "An error occurred while checking for chart dependencies. You may need to run "
                    "`helm dependency build` to fetch missing dependencies");
  }
  return {};
}

}  // namespace

base::Status apply_flags(const std::string& lines, HelmCase& to) {
  Sets sets;
  for (std::string_view line : base::split(base::trim(lines), '\n')) {
    const size_t space = line.find(' ');
    const std::string flag(line.substr(0, space));
    const std::string value(space == std::string_view::npos ? "" : line.substr(space + 1));
    if (flag.starts_with("--set")) {
      sets[flag].push_back(value);
    } else if (flag.starts_with("-")) {
      CW_TRY_VOID(apply_flag(flag, value, to));
    } else if (!flag.empty()) {
      to.inputs.release.name = line;
    }
  }
  return apply_sets(sets, to);
}

base::Result<std::string> print_case(const HelmCase& c) {
  CW_TRY_VOID(check_chart(c.loaded->chart(), c.profile));
  base::Result<Rendered> rendered = Rendered();
  on_render_stack([&] {
    FixedHost host;
    const base::SystemClock clock;
    rendered = render(*c.loaded, c.inputs, {host, clock, nullptr, c.limits});
  });
  if (!rendered.ok()) {
    return rendered.error();
  }
  return rendered_text(manifests_text(*rendered, c.print), hooks_text(*rendered, c.print));
}

base::Result<std::string> render_case_file(const HelmCase& c, const std::string& path) {
  CW_TRY(const PreparedChart prepared, prepare(*c.loaded, c.inputs));
  base::Result<std::map<std::string, std::string>> files = std::map<std::string, std::string>();
  on_render_stack([&] {
    FixedHost host;
    const base::SystemClock clock;
    files = render_templates(*c.loaded, prepared, c.inputs, {host, clock, nullptr, c.limits});
  });
  if (!files.ok()) {
    return files.error();
  }
  return files->at(path);
}

std::string read_test_file(const std::string& path) {
  auto text = base::read_file(path, size_t{64} << 20);
  CW_CHECK(text.ok());
  return std::move(text).value();
}

}  // namespace chartwright::helm
