// SPDX-License-Identifier: Apache-2.0
// `chartwright get`: custom resources with what is wrong with them.
#include <algorithm>

#include "base/strings.h"
#include "console/commands.h"
#include "console/connection.h"
#include "console/summary.h"
#include "console/table.h"
#include "console/wanted.h"
#include "go/quote.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

constexpr size_t kProblemRunes = 60;

enum class Form : uint8_t { kTable, kWide, kJson, kYaml, kName };

struct GetOptions {
  PlaceFlags place;
  std::vector<std::string> arguments;
  std::string selector;
  std::string output = "table";
  bool problem = false;
};

base::Result<Form> form_of(const std::string& output) {
  constexpr std::array<std::pair<std::string_view, Form>, 5> kForms = {{{"table", Form::kTable},
                                                                        {"wide", Form::kWide},
                                                                        {"json", Form::kJson},
                                                                        {"yaml", Form::kYaml},
                                                                        {"name", Form::kName}}};
  const auto* found =
      std::ranges::find_if(kForms, [&](const auto& one) { return one.first == output; });
  if (found == kForms.end()) {
    return Error(ErrorCode::kInvalidArgument,
                 "--output: " + go::quote(output) + " is not table, wide, json, yaml or name");
  }
  return found->second;
}

bool comes_before(const Summary& a, const Summary& b) {
  const auto key = [](const Summary& one) {
    return std::tie(one.ref.ns, one.ref.gvk.kind, one.ref.gvk.group, one.ref.name);
  };
  return key(a) < key(b);
}

class GetCommand final : public Command {
 public:
  std::string_view name() const override { return "get"; }
  std::string_view summary() const override {
    return "List custom resources, and what is wrong with each";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, options_.place);
    flags.text(options_.selector,
               {"selector", 'l', "list only what has these labels, such as app=shop"});
    flags.boolean(options_.problem, {"problem", '\0', "list only what has a problem"});
    flags.text(options_.output, {.name = "output",
                                 .letter = 'o',
                                 .help = "table, wide (whole messages), json, yaml or name",
                                 .takes = {.words = {"table", "wide", "json", "yaml", "name"}}});
    flags.arguments(options_.arguments, "KIND NAME|KIND/NAME",
                    "a kind, and names of custom resources; default: all kinds in the category "
                    "chartwright",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY(const Form form, form_of(options_.output));
    CW_TRY(const auto connection, Connection::open(options_.place));
    CW_TRY(const auto served, served_kinds(connection->transport(), connection->call()));
    CW_TRY(const auto wanted, wanted_of(served, options_.arguments));
    CW_TRY_VOID(check_names(wanted, connection->ns()));
    if (wanted.empty()) {
      streams.err("No kind of this cluster is in the category chartwright.\n");
      return kExitOk;
    }
    bool complete = true;
    for (const Wanted& one : wanted) {
      complete = collect(one, *connection, streams) && complete;
    }
    std::ranges::sort(found_, comes_before);
    const bool has_several = wanted.size() > 1;
    CW_TRY_VOID(print(form, has_several, *connection, streams));
    return complete ? kExitOk : kExitError;
  }

 private:
  base::Status check_names(const std::vector<Wanted>& wanted, const std::string& ns) const {
    for (const Wanted& one : wanted) {
      if (!one.names.empty() && !options_.selector.empty()) {
        return Error(ErrorCode::kInvalidArgument, "--selector cannot be used beside names");
      }
      if (!one.names.empty()) {
        CW_TRY_VOID(check_namespace(one.kind, ns));
      }
    }
    return {};
  }
  /// Adds what there is of a kind. Reports whether it could be read, and tells why not.
  bool collect(const Wanted& wanted, Connection& connection, Streams& streams) {
    if (wanted.names.empty()) {
      const base::Status listed = list(wanted.kind, connection);
      if (!listed.ok()) {
        print_error(listed.error(), streams);
      }
      return listed.ok();
    }
    bool complete = true;
    for (const std::string& name : wanted.names) {
      const auto& mapping = wanted.kind.mapping;
      const bool is_cluster_wide = mapping.scope == kube::Scope::kCluster;
      auto object = connection.client().get(
          {mapping.gvk, is_cluster_wide ? "" : connection.ns(), name}, connection.call());
      if (object.ok()) {
        add(*object);
      } else {
        print_error(object.error(), streams);
        complete = false;
      }
    }
    return complete;
  }
  base::Status list(const ServedKind& kind, Connection& connection) {
    kube::ListOptions options;
    if (kind.mapping.scope == kube::Scope::kNamespaced) {
      options.selection.ns = connection.ns();
    }
    options.selection.label_selector = options_.selector;
    options.resource_version = "0";
    options.bytes_max = kube::kCacheListBytes;
    CW_TRY(const kube::ListPage page,
           connection.client().list(kind.mapping.gvk, options, connection.call()));
    for (const Value& object : page.items) {
      add(object);
    }
    return {};
  }
  void add(const Value& object) {
    Summary summary = summary_of(object);
    if (!options_.problem || summary.problem) {
      found_.push_back(std::move(summary));
    }
  }

  base::Status print(Form form, bool has_several, Connection& connection, Streams& streams) const {
    switch (form) {
      case Form::kTable:
      case Form::kWide:
        print_table(form == Form::kWide, has_several, connection, streams);
        return {};
      case Form::kName:
        for (const Summary& one : found_) {
          streams.tell(name_text(one.ref) + "\n");
        }
        return {};
      case Form::kJson:
      case Form::kYaml:
        break;
    }
    std::vector<Value> items;
    std::ranges::transform(found_, std::back_inserter(items),
                           [](const Summary& summary) { return to_value(summary); });
    CW_TRY(const std::string text,
           document_of(std::move(items), form == Form::kJson ? DataForm::kJson : DataForm::kYaml));
    streams.out(text);
    return {};
  }
  void print_table(bool is_wide, bool has_several, Connection& connection, Streams& streams) const {
    if (found_.empty()) {
      streams.err(std::string("No custom resources ") +
                  (options_.problem ? "with a problem " : "") + "found" +
                  (connection.ns().empty() ? "" : " in namespace " + connection.ns()) + ".\n");
      return;
    }
    std::vector<std::string> header = {"NAME", "READY", "REV", "CHART", "AGE", "PROBLEM"};
    if (connection.ns().empty()) {
      header.insert(header.begin(), "NAMESPACE");
    }
    if (is_wide) {
      header.emplace_back("SINCE");
    }
    Table table(header);
    const base::WallTime now = connection.clock().wall();
    for (const Summary& one : found_) {
      const std::string kind = base::to_lower_ascii(one.ref.gvk.kind) + "/";
      std::vector<std::string> row = {(has_several ? kind : "") + one.ref.name,
                                      one.ready,
                                      one.revision > 0 ? std::to_string(one.revision) : "",
                                      one.chart,
                                      age_text(one.created, now),
                                      problem_text(one, is_wide)};
      if (connection.ns().empty()) {
        row.insert(row.begin(), one.ref.ns);
      }
      if (is_wide) {
        row.push_back(one.problem ? age_text(one.problem->since, now) : "");
      }
      table.add(std::move(row));
    }
    streams.tell(table.text());
  }
  static std::string problem_text(const Summary& one, bool is_wide) {
    if (!one.problem) {
      return "";
    }
    const std::string text =
        one.problem->reason + (one.problem->message.empty() ? "" : ": " + one.problem->message);
    return is_wide ? text : cut_to(text, kProblemRunes);
  }

  GetOptions options_;
  std::vector<Summary> found_;
};

}  // namespace

std::unique_ptr<Command> make_get_command() { return std::make_unique<GetCommand>(); }

}  // namespace chartwright::cmd
