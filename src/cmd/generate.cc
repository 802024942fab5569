// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/strings.h"
#include "cmd/commands.h"
#include "generate/crd.h"
#include "generate/docs.h"
#include "generate/kind_names.h"
#include "generate/manifests.h"
#include "project/project.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

struct GenerateOptions : ProjectFlags {
  std::vector<std::string> arguments;  ///< WHAT [PATH]
  std::string output_dir;              ///< Empty: standard output.
  bool force = false;
};

/// Views have neither CRDs nor custom resources. Error: kInvalidArgument.
base::Status check_has_kinds(const Project& project) {
  if (!project.watches.empty()) {
    return {};
  }
  return Error(ErrorCode::kInvalidArgument,
               project.served.folder +
                   " is a folder of views, which are served without a CRD: generate rbac, "
                   "user-roles or manifests");
}

base::Status print_roles(const Project& project, const GenerateOptions& options, Streams& streams) {
  CW_TRY(const generate::Access access, generate::access_of(project.watches, project.served));
  print_notes(access.notes, streams);
  streams.out(generate::role_yaml(access, options.naming));
  return {};
}

base::Status print_user_roles(const Project& project, const GenerateOptions& options,
                              Streams& streams) {
  CW_TRY(const generate::Access access, generate::access_of(project.watches, project.served));
  streams.out(generate::user_roles_yaml(access, project.served, options.naming));
  return {};
}

base::Status print_crds(const Project& project, const GenerateOptions& /*options*/,
                        Streams& streams) {
  CW_TRY_VOID(check_has_kinds(project));
  print_notes(generate::name_clashes(project.watches), streams);
  std::string separator;
  for (const bundle::Watch& watch : project.watches) {
    CW_TRY(const generate::GeneratedCrd crd, generate::crd_of(watch));
    for (const generate::SchemaNote& note : crd.notes) {
      streams.err("note: " + note.place + ": " + note.text + "\n");
    }
    streams.out(separator + crd.text);
    separator = "---\n";
  }
  return {};
}

base::Status print_manifests(const Project& project, const GenerateOptions& options,
                             Streams& streams) {
  if (!options.output_dir.empty()) {
    return write_project(project, options.naming, options.output_dir,
                         options.force ? Overwrite::kYes : Overwrite::kNo, streams);
  }
  CW_TRY(const generate::Manifests manifests,
         generate::manifests_of(project.watches, project.served, options.naming));
  print_notes(manifests.notes, streams);
  std::string separator;
  for (const generate::GeneratedFile& file : manifests.files) {
    if (generate::is_applied(file)) {
      streams.out(separator + file.text);
      separator = "---\n";
    }
  }
  return {};
}

base::Status print_docs(const Project& project, const GenerateOptions& options, Streams& streams) {
  CW_TRY_VOID(check_has_kinds(project));
  CW_TRY(const generate::Docs docs, generate::docs_of(project.watches));
  print_notes(docs.notes, streams);
  if (options.output_dir.empty()) {
    streams.out(docs.page);
    return {};
  }
  return write_generated(docs.files, options.output_dir,
                         options.force ? Overwrite::kYes : Overwrite::kNo, streams);
}

/// One thing that can be generated.
struct Product {
  std::string_view name;
  base::Status (*print)(const Project&, const GenerateOptions&, Streams&);
};
constexpr Product kProducts[] = {{"rbac", print_roles},
                                 {"user-roles", print_user_roles},
                                 {"crd", print_crds},
                                 {"manifests", print_manifests},
                                 {"docs", print_docs}};

std::vector<std::string_view> product_names() {
  std::vector<std::string_view> names;
  std::transform(std::begin(kProducts), std::end(kProducts), std::back_inserter(names),
                 [](const Product& product) { return product.name; });
  return names;
}

base::Result<const Product*> find_product(const std::string& name) {
  for (const Product& product : kProducts) {
    if (product.name == name) {
      return &product;
    }
  }
  const std::vector<std::string_view> names = product_names();
  const std::string_view near = base::nearest(name, names);
  return Error(
      ErrorCode::kInvalidArgument,
      "nothing can be generated as \"" + name + "\"" +
          (near.empty() ? ": it is one of " + base::join({names.begin(), names.end()}, ", ")
                        : ", did you mean \"" + std::string(near) + "\"?"));
}

base::Status generate_product(GenerateOptions options, Streams& streams) {
  if (options.arguments.empty() || options.arguments.size() > 2) {
    return Error(ErrorCode::kInvalidArgument,
                 "expected what to generate and a chart or a watches file, for example: "
                 "chartwright generate rbac watches.yaml");
  }
  CW_TRY(const Product* product, find_product(options.arguments.front()));
  const std::string path = options.arguments.size() > 1 ? options.arguments[1] : "watches.yaml";
  if (product->print == print_manifests && !options.output_dir.empty()) {
    CW_TRY_VOID(recall_flags(path, options.output_dir, options));
  }
  CW_TRY_VOID(check_naming(options.naming));
  CW_TRY(const Project project, load_project(path, options));
  return product->print(project, options, streams);
}

class GenerateCommand final : public Command {
 public:
  std::string_view name() const override { return "generate"; }
  std::string_view summary() const override {
    return "Print the CRD, the roles, the manifests or the documentation of a chart as an operator";
  }

  void declare(FlagSet& flags) override {
    declare_kind_flags(flags, options_);
    declare_naming_flags(flags, options_);
    declare_views_flag(flags, options_);
    declare_monitor_flag(flags, options_);
    flags.boolean(options_.reviews_access,
                  {"subject-access-review",
                   '\0',
                   "the server of the views asks the API server about each request's user",
                   {},
                   {},
                   &options_.given.reviews_access});
    flags.text(
        options_.output_dir,
        {"output-dir", '\0',
         "writes manifests (with kustomizations) or docs to files in this folder", kTakesFolder});
    flags.boolean(options_.force, {"force", '\0', "replace files that were written by hand"});
    const std::vector<std::string_view> names = product_names();
    flags.arguments(
        options_.arguments, "WHAT [CHART|WATCHES|VIEWS]",
        "rbac, user-roles, crd, manifests or docs; and a chart's folder or archive, a watches file "
        "(default: watches.yaml), or a folder of views",
        {Takes::Paths::kFiles, {names.begin(), names.end()}});
  }

  base::Result<int> run(Streams& streams) override {
    const auto done = on_render_stack([&] { return generate_product(options_, streams); });
    if (!done.ok()) {
      return with_place(done.error());
    }
    return kExitOk;
  }

 private:
  GenerateOptions options_;
};

}  // namespace

std::unique_ptr<Command> make_generate_command() { return std::make_unique<GenerateCommand>(); }

}  // namespace chartwright::cmd
