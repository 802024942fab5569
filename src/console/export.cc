// SPDX-License-Identifier: Apache-2.0
// `chartwright export`: manifests from which custom resources, and what is theirs, come back.
#include <utility>

#include "console/commands.h"
#include "console/output.h"
#include "console/tree_reader.h"
#include "console/wanted.h"
#include "kube/api_status.h"
#include "kube/list_refs.h"
#include "release/owner.h"
#include "report/export_object.h"
#include "report/revisions.h"
#include "revision/listed_record.h"
#include "value/json.h"
#include "yaml/yaml.h"

namespace chartwright::cmd {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

/// Each costs a request, and a status may name any number.
constexpr size_t kExportedRecordsMax = 256;
const kube::Gvk kSecretKind{"", "v1", "Secret"};

struct ExportFlags {
  PlaceFlags place;
  std::vector<std::string> arguments;
  std::string selector;
  bool without_secrets = false;
  bool new_volumes = false;
  bool paused = false;
  OutputFlag output{{"yaml", "json"}, "yaml (documents), or json (a List)"};
};

/// Prints objects one by one, so that an export of any size takes the memory of one.
class Printer {
 public:
  Printer(const OutputFlag& output, const Streams& streams)
      : is_json_(output.word == "json"), streams_(streams) {}

  base::Status print(const Value& object) {
    std::string text;
    if (is_json_) {
      CW_TRY(text, value::to_json(object, value::JsonEscape::kNone));
      streams_.out(printed_++ == 0 ? kHead : ",\n");
    } else {
      CW_TRY(text, yaml::to_yaml(object));
      streams_.out(printed_++ == 0 ? "" : "---\n");
    }
    streams_.out(text);
    return {};
  }
  void end() {
    if (is_json_) {
      streams_.out(printed_ == 0 ? kHead : "");
      streams_.out("]}\n");
    }
  }

 private:
  static constexpr std::string_view kHead =
      "{\"apiVersion\":\"v1\",\"kind\":\"List\",\"items\":[\n";

  const bool is_json_;
  const Streams& streams_;
  size_t printed_ = 0;
};

/// Exports custom resources, each after its claims, its Secrets and its records.
class Exporter {
 public:
  Exporter(const ExportFlags& flags, Connection& connection, const Streams& streams)
      : flags_(flags),
        connection_(connection),
        streams_(streams),
        printer_(flags.output, streams) {}

  /// Errors: those of printing. An object that cannot be read is told of, and makes the export
  /// incomplete.
  base::Status add(const kube::ObjectRef& ref) {
    const auto cr = connection_.client().get(ref, connection_.call());
    if (!cr.ok()) {
      miss(ref, cr.error().message());
      return {};
    }
    CW_TRY_VOID(add_belongings(*cr));
    if (!flags_.without_secrets) {
      CW_TRY_VOID(add_records(*cr));
    }
    Value kept = exported(*cr, volumes());
    return printer_.print(flags_.paused ? with_pause(kept) : kept);
  }
  void end() { printer_.end(); }
  bool is_complete() const { return is_complete_; }

 private:
  release::Owner owner_of(const Value& cr) const {
    const kube::ObjectRef ref = kube::ref_of(cr);
    return {ref.gvk, ref.ns, ref.name, std::string(kube::uid_of(cr)), connection_.ns()};
  }
  Volumes volumes() const { return flags_.new_volumes ? Volumes::kNew : Volumes::kKept; }
  void miss(const kube::ObjectRef& of, const std::string& gap) {
    print_gaps(of, {gap}, streams_);
    is_complete_ = false;
  }
  /// Adds the claims and Secrets that the tree of a custom resource has.
  base::Status add_belongings(const Value& cr) {
    const release::Owner owner = owner_of(cr);
    const TreeReport report = read_tree(cr, connection_);
    for (const std::string& gap : report.gaps) {
      miss(owner.ref(), gap);
    }
    for (const TreeNode& node : report.tree.nodes()) {
      const bool is_secret = kube::is_secret(node.ref.gvk);
      const bool is_claim =
          node.ref.gvk.group_kind() == kube::GroupKind{"", "PersistentVolumeClaim"};
      const bool is_seen = node.relation != Relation::kPatched && !node.uid.empty();
      if (is_seen && (is_claim || (is_secret && !flags_.without_secrets))) {
        CW_TRY_VOID(add_object(node, owner));
      }
    }
    return {};
  }
  /// Adds an object, unless it says itself that it is another's: anyone who may write a status
  /// could name any Secret in it.
  base::Status add_object(const TreeNode& node, const release::Owner& owner) {
    const auto object = connection_.client().get(node.ref, connection_.call());
    if (!object.ok()) {
      miss(owner.ref(), node.ref.to_string() + " could not be read: " + object.error().message());
      return {};
    }
    const bool is_ours = release::claim_on(*object, owner) == release::Claim::kOurs;
    if (node.relation == Relation::kChild && !is_ours) {
      miss(owner.ref(), node.ref.to_string() + " does not belong to it, and is left out");
      return {};
    }
    return printer_.print(exported(*object, volumes()));
  }
  /// The records of one that is in no namespace are in that of its operator.
  base::Status add_records(const Value& cr) {
    const release::Owner owner = owner_of(cr);
    const kube::ObjectRef ref = owner.ref();
    const std::string& ns = owner.release_namespace();
    const RevisionReport revisions = revisions_of(cr, kExportedRecordsMax);
    if (ns.empty() && !revisions.revisions.empty()) {
      miss(ref, "its records are in the namespace of the operator, to be named by -n");
      return {};
    }
    if (cr.items_at({"status", "history"}).size() > kExportedRecordsMax) {
      miss(ref,
           "only the " + std::to_string(kExportedRecordsMax) + " newest records were looked for");
    }
    for (const RevisionLine& line : revisions.revisions) {
      if (line.status == "pending") {
        continue;  // An attempt is made anew.
      }
      const std::string name =
          release::record_secret_name(owner.name, static_cast<int>(line.revision));
      const auto secret = connection_.client().get({kSecretKind, ns, name}, connection_.call());
      if (secret.ok() && release::holder_of(*secret, owner) == release::Holder::kUs) {
        CW_TRY_VOID(printer_.print(exported(*secret, volumes())));
      } else if (!secret.ok() && kube::lacks_right(secret.error())) {
        miss(ref, "no right to get Secrets in " + ns + ", which have its records");
        return {};
      } else if (!secret.ok() && secret.error().code() != ErrorCode::kNotFound) {
        miss(ref, "its records could not be read: " + secret.error().message());
        return {};
      }
    }
    return {};
  }

  const ExportFlags& flags_;
  Connection& connection_;
  const Streams& streams_;
  Printer printer_;
  bool is_complete_ = true;
};

base::Result<std::vector<kube::ObjectRef>> refs_of(const Wanted& wanted, const ExportFlags& flags,
                                                   Connection& connection) {
  const kube::ResourceMapping& mapping = wanted.kind.mapping;
  const std::string ns = mapping.scope == kube::Scope::kCluster ? "" : connection.ns();
  std::vector<kube::ObjectRef> refs;
  if (!wanted.names.empty()) {
    CW_TRY_VOID(check_namespace(wanted.kind, connection.ns()));
    for (const std::string& name : wanted.names) {
      refs.push_back({mapping.gvk, ns, name});
    }
    return refs;
  }
  return kube::list_refs(connection.client(), mapping.gvk, {ns, flags.selector, ""},
                         connection.call());
}

class ExportCommand final : public Command {
 public:
  std::string_view name() const override { return "export"; }
  std::string_view summary() const override {
    return "Print custom resources, their claims, Secrets and records, as kubectl create takes "
           "them";
  }
  void declare(FlagSet& flags) override {
    declare_place_flags(flags, flags_.place);
    flags.text(flags_.selector,
               {"selector", 'l', "with kinds: only custom resources with these labels"});
    flags.boolean(flags_.without_secrets,
                  {"without-secrets", '\0',
                   "leave out Secrets: generated passwords, and the records of revisions"});
    flags.boolean(flags_.new_volumes,
                  {"new-volumes", '\0', "do not bind claims to the volumes that they have now"});
    flags.boolean(flags_.paused,
                  {"paused", '\0', "pause the custom resources, to go on once all is restored"});
    declare_output_flag(flags, flags_.output);
    flags.arguments(flags_.arguments, "KIND NAME|KIND/NAME",
                    "a kind, and names of custom resources; default: all kinds in the category "
                    "chartwright",
                    kTakesCustomResources);
  }
  base::Result<int> run(Streams& streams) override {
    CW_TRY_VOID(check_output(flags_.output));
    if (streams.out_is_terminal && !flags_.without_secrets) {
      return Error(ErrorCode::kInvalidArgument,
                   "the export has Secrets, which belong on no terminal: redirect it to a file, or "
                   "give --without-secrets");
    }
    CW_TRY(const auto connection, Connection::open(flags_.place));
    CW_TRY(const auto served, served_kinds(connection->transport(), connection->call()));
    CW_TRY(const auto wanted, wanted_of(served, flags_.arguments));
    Exporter exporter(flags_, *connection, streams);
    for (const Wanted& one : wanted) {
      if (!one.names.empty() && !flags_.selector.empty()) {
        return Error(ErrorCode::kInvalidArgument, "--selector cannot be used beside names");
      }
      CW_TRY(const auto refs, refs_of(one, flags_, *connection));
      for (const kube::ObjectRef& ref : refs) {
        CW_TRY_VOID(exporter.add(ref));
      }
    }
    exporter.end();
    return exporter.is_complete() ? kExitOk : kExitError;
  }

 private:
  ExportFlags flags_;
};

}  // namespace

std::unique_ptr<Command> make_export_command() { return std::make_unique<ExportCommand>(); }

}  // namespace chartwright::cmd
