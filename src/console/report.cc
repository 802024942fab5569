// SPDX-License-Identifier: Apache-2.0
// `chartwright report`: a zip with what a maintainer asks for, without the contents of Secrets.
#include <sys/stat.h>

#include <algorithm>
#include <utility>

#include "archive/zip.h"
#include "base/file.h"
#include "base/printable.h"
#include "console/commands.h"
#include "console/report_draft.h"
#include "console/report_reader.h"
#include "console/wanted.h"
#include "value/json.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;

constexpr std::string_view kFolder = "chartwright-report/";

constexpr std::string_view kNotes = R"(
Values of Secrets and ConfigMaps are replaced by their sizes, and *** stands where another text
quotes a Secret of this report, or where a name or the content says that it is a credential. A
password under a name that tells nothing, in an argument of a program, or in a log, is shown, unless
it is in one of these Secrets. Look through the files before you send them.

errors.txt        what could not be read or was cut, and why
resources.txt     the custom resources, and what is wrong with each
events.txt        the Events about them, their children and pods, and about the operators
resources/        each custom resource: its state, why it is not ready, its tree and history, its
                  children, and its pods that are not ready
operators/        the Deployments of operators, their pods and logs
crds/             the CRDs of the kinds
)";

struct ReportFlags {
  PlaceFlags place;
  std::vector<std::string> arguments;
  std::vector<std::string> operators;
  std::string output;
  bool force = false;
  bool logs = false;
};

/// Returns "20261130T014800Z".
std::string compact(std::string_view rfc3339) {
  std::string text;
  std::ranges::copy_if(rfc3339, std::back_inserter(text),
                       [](char c) { return c != '-' && c != ':'; });
  return text;
}

bool exists(const std::string& path) {
  struct stat info {};
  return ::lstat(path.c_str(), &info) == 0;
}

Error taken(const std::string& path) {
  return {ErrorCode::kAlreadyExists, path + " exists: give another name, or --force"};
}

/// Returns the version that the server says it has.
std::string server_version(ReportDraft& draft) {
  kube::Request request;
  request.target = "/version";
  Connection& connection = draft.connection();
  const auto response = connection.transport().perform(std::move(request), connection.call());
  if (response.ok() && response->status == 200) {
    const auto answer = value::parse_json(response->body, value::Numbers::kInt64);
    if (answer.ok()) {
      return base::printable(answer->string_at({"gitVersion"}));
    }
  }
  draft.files().gap("the version of the server could not be read" +
                    (response.ok() ? "" : ": " + response.error().message()));
  return "unknown";
}

class ReportCommand final : public Command {
 public:
  std::string_view name() const override { return "report"; }
  std::string_view summary() const override {
    return "Collect what a maintainer asks for in a zip, without the contents of Secrets";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, flags_.place);
    flags.text(flags_.output, {.name = "output",
                               .letter = 'o',
                               .help = "the file to write, or - for standard output",
                               .takes = kTakesFile,
                               .default_text = "chartwright-report-TIME.zip"});
    flags.boolean(flags_.force, {"force", '\0', "replace a file that exists"});
    flags.boolean(flags_.logs,
                  {"logs", '\0', "with the logs of pods of custom resources that are not ready"});
    flags.texts(flags_.operators,
                {.name = "operator",
                 .help = "the Deployment of an operator, as NAMESPACE/NAME; may be repeated",
                 .default_text = "all that can be found"});
    flags.arguments(flags_.arguments, "KIND NAME|KIND/NAME",
                    "a kind, and names of custom resources; default: all kinds in the category "
                    "chartwright",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    base::SystemClock clock;
    const base::WallTime now = clock.wall();
    const std::string time = base::format_rfc3339(now);
    const std::string path =
        flags_.output.empty() ? "chartwright-report-" + compact(time) + ".zip" : flags_.output;
    CW_TRY_VOID(check_output_file(path, streams));
    CW_TRY_VOID(check_operator_names(flags_.operators));
    CW_TRY(const auto connection, Connection::open(flags_.place));
    CW_TRY(const auto wanted, wanted_kinds(*connection));
    ReportDraft draft(*connection);
    ReportReader reader(draft, flags_.logs ? PodLogs::kYes : PodLogs::kNo,
                        [&streams](const kube::ObjectRef& ref) {
                          if (streams.err_is_terminal) {
                            streams.err("Reading " + ref.to_string() + "\n");
                          }
                        });
    for (const Wanted& one : wanted) {
      reader.add(one);
    }
    if (wanted.empty()) {
      draft.files().gap("no kind of this cluster is in the category chartwright: name KIND/NAME");
    }
    reader.add_list();
    const size_t operators = add_operators(draft, flags_.operators);
    draft.add_events();
    const std::string counts = counts_of(reader.summaries().size(), operators);
    draft.files().add({"report.txt"}, head(time, counts, draft) + std::string(kNotes));
    CW_TRY_VOID(write(path, now, draft, streams));
    if (path != "-") {
      streams.err("Wrote " + path + ": " + counts + ".\n");
    }
    if (!draft.files().gaps().empty()) {
      streams.err("Not all could be read: errors.txt in the report says what, and why.\n");
    }
    return reader.is_complete() ? kExitOk : kExitError;
  }

 private:
  base::Status check_output_file(const std::string& path, const Streams& streams) const {
    if (path == "-" && streams.out_is_terminal) {
      return Error(ErrorCode::kInvalidArgument,
                   "a zip belongs on no terminal: redirect it, or name a file by --output");
    }
    if (path != "-" && !flags_.force && exists(path)) {
      return taken(path);
    }
    return {};
  }
  base::Result<std::vector<Wanted>> wanted_kinds(Connection& connection) const {
    CW_TRY(const auto served, served_kinds(connection.transport(), connection.call()));
    CW_TRY(auto wanted, wanted_of(served, flags_.arguments));
    for (const Wanted& one : wanted) {
      if (!one.names.empty()) {
        CW_TRY_VOID(check_namespace(one.kind, connection.ns()));
      }
    }
    return wanted;
  }
  static std::string counts_of(size_t resources, size_t operators) {
    return std::to_string(resources) +
           (resources == 1 ? " custom resource, " : " custom resources, ") +
           std::to_string(operators) + (operators == 1 ? " operator" : " operators");
  }
  static std::string head(const std::string& time, const std::string& counts, ReportDraft& draft) {
    const std::string& ns = draft.connection().ns();
    return "Report of chartwright " CW_VERSION ", made at " + time +
           "\nKubernetes: " + server_version(draft) +
           "\nNamespace:  " + (ns.empty() ? "all" : base::printable(ns)) +
           "\nContent:    " + counts + "\n";
  }
  base::Status write(const std::string& path, base::WallTime now, ReportDraft& draft,
                     Streams& streams) const {
    archive::Files files;
    for (auto& [name, text] : draft.take()) {
      files.emplace(std::string(kFolder) + name, std::move(text));
    }
    CW_TRY(const std::string zip, archive::zip_of(files, now));
    if (path == "-") {
      streams.out(zip);
      return {};
    }
    const auto overwrite = flags_.force ? base::Overwrite::kYes : base::Overwrite::kNo;
    base::Status written = base::write_private_file(path, zip, overwrite);
    if (!written.ok() && written.error().code() == ErrorCode::kAlreadyExists) {
      return taken(path);
    }
    return written;
  }

  ReportFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_report_command() { return std::make_unique<ReportCommand>(); }

}  // namespace chartwright::cmd
