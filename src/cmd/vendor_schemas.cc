// SPDX-License-Identifier: Apache-2.0
#include <filesystem>
#include <map>

#include "base/file.h"
#include "cli/environment.h"
#include "cmd/commands.h"
#include "go/path.h"
#include "helm/render/chart_schemas.h"
#include "helm/render/renderable_chart.h"
#include "host/remote_schemas.h"
#include "project/project.h"

namespace chartwright::cmd {
namespace {

namespace fs = std::filesystem;
using base::Error;
using base::ErrorCode;

constexpr std::string_view kFolder = "operator";

/// Remembers what another source has loaded.
class Recorder final : public helm::SchemaSource {
 public:
  explicit Recorder(base::Clock& clock) : remote_(clock, ca_file_of_environment()) {}

  base::Result<std::string> load(const std::string& url) const override {
    CW_TRY(std::string text, remote_.load(url));
    const base::MutexLock lock(mutex_);
    return texts_.insert_or_assign(url, std::move(text)).first->second;
  }

  std::map<std::string, std::string> texts() const {
    const base::MutexLock lock(mutex_);
    return texts_;
  }

 private:
  const host::RemoteSchemas remote_;
  mutable base::Mutex mutex_;
  mutable std::map<std::string, std::string> texts_ CW_GUARDED_BY(mutex_);  ///< Documents by URL.
};

/// Compiles the schemas of a chart and of all that it depends on, which loads what they refer to.
base::Status compile_all(const helm::RenderableChart& loaded, const helm::Chart& chart) {
  if (chart.content->schema) {
    if (auto schema = loaded.schema(*chart.content); !schema.ok()) {
      return std::move(schema).error().wrap(chart.name() + "/values.schema.json");
    }
  }
  for (const helm::Chart& sub : chart.dependencies) {
    CW_TRY_VOID(compile_all(loaded, sub));
  }
  return {};
}

base::Status write_schemas(const std::string& chart,
                           const std::map<std::string, std::string>& texts, Streams& streams) {
  for (const auto& [url, text] : texts) {
    const fs::path below = fs::path(kFolder) / helm::vendored_path(url);
    const fs::path path = fs::path(chart) / below;
    const auto present = base::read_file(path.string(), host::RemoteSchemas::kBytesMax);
    if (present.ok() && *present == text) {
      streams.tell("unchanged " + path.string() + "\n");
      continue;
    }
    CW_TRY_VOID(make_folders(chart, below));
    CW_TRY_VOID(base::replace_file(path.string(), text));
    streams.tell("wrote " + path.string() + "\n");
  }
  if (texts.empty()) {
    streams.tell("no schema of " + chart + " refers to another document\n");
  }
  return {};
}

base::Status vendor(const std::string& chart, Streams& streams) {
  std::error_code error;
  if (!fs::is_directory(chart, error)) {
    return Error(ErrorCode::kInvalidArgument,
                 chart + " is not a chart folder; unpack an archive first");
  }
  base::SystemClock clock;
  const auto recorder = std::make_shared<Recorder>(clock);
  using Vendored = helm::SchemaSources::Vendored;
  CW_TRY(const auto loaded, helm::RenderableChart::load(chart, helm::default_profile(),
                                                        {Vendored::kIgnored, recorder}));
  CW_TRY_VOID(compile_all(*loaded, loaded->chart()));
  CW_TRY_VOID(write_schemas(chart, recorder->texts(), streams));
  // A .helmignore can hide the folder from the operator.
  CW_TRY(const auto vendored, helm::RenderableChart::load(chart));
  return compile_all(*vendored, vendored->chart());
}

class VendorSchemasCommand final : public Command {
 public:
  std::string_view name() const override { return "vendor-schemas"; }
  std::string_view summary() const override {
    return "Store what a chart's schemas refer to in its folder operator/schemas";
  }

  void declare(FlagSet& flags) override {
    flags.arguments(charts_, "CHART", "chart folder; default: the current folder",
                    Takes{Takes::Paths::kFolders});
  }

  base::Result<int> run(Streams& streams) override {
    if (charts_.size() > 1) {
      return Error(ErrorCode::kInvalidArgument, "vendor-schemas takes one chart");
    }
    const std::string chart = go::clean_path(charts_.empty() ? "." : charts_.front());
    CW_TRY_VOID(on_render_stack([&] { return vendor(chart, streams); }));
    return kExitOk;
  }

 private:
  std::vector<std::string> charts_;
};

}  // namespace

std::unique_ptr<Command> make_vendor_schemas_command() {
  return std::make_unique<VendorSchemasCommand>();
}

}  // namespace chartwright::cmd
