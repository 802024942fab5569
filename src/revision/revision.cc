// SPDX-License-Identifier: Apache-2.0
#include "revision/revision.h"

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "base/memory_limit.h"
#include "record/gzip.h"
#include "record/record_outcome.h"
#include "release/small_writes.h"
#include "revision/keyed_digest.h"
#include "revision/record_signature.h"
#include "revision/spec_origin.h"
#include "value/compare.h"
#include "value/json.h"

namespace chartwright::release {
namespace {

using base::Error;
using base::ErrorCode;
using value::Value;

// A Secret holds 1 MiB; base64 inside it takes another third.
constexpr size_t kRecordBytesMax = size_t{1} << 20;
// A status and a description that a record may get later, such as the reason of a failure.
constexpr size_t kRoomForOutcome = size_t{8} << 10;
constexpr size_t kUnpackedBytesMax = size_t{64} << 20;
constexpr size_t kNotesBytesMax = record::kInfoBytesMax / 8;  // A byte takes six in JSON at most.
constexpr int kAppendTries = 5;
// Helm keeps ten revisions unless it is told otherwise; older ones stay as they are.
constexpr size_t kClaimsMax = 20;
// Anyone who may write Secrets can write damaged ones, but not have them all read.
constexpr size_t kDamagedMax = 20;

constexpr size_t base64_size(size_t bytes) { return (bytes + 2) / 3 * 4; }

Value text(std::string_view s) { return Value::string(s); }

Value record_json(const Revision& revision, const Owner& owner) {
  Value info = Value::dict({{"first_deployed", text(base::format_rfc3339(revision.first_deployed))},
                            {"last_deployed", text(base::format_rfc3339(revision.last_deployed))},
                            {"deleted", text("")},
                            {"description", text(revision.description)},
                            {"status", text(to_string(revision.status))}});
  if (!revision.notes.empty()) {
    info.mutable_dict().set("notes", text(revision.notes));
  }
  return Value::dict({{"name", text(record_name(owner.name))},
                      {"info", info},
                      {"config", revision.config},
                      {"manifest", text(revision.manifest)},
                      {"hooks", hooks_to_record(revision.hooks)},
                      {"version", Value::integer(revision.number)},
                      {"namespace", text(owner.release_namespace())}});
}

// Returns the record's JSON up to the files of the chart, which come last.
base::Result<std::string> begin_record(const Revision& revision, const Owner& owner) {
  CW_TRY(std::string json, value::to_json(record_json(revision, owner), value::JsonEscape::kNone));
  CW_TRY(const std::string metadata,
         value::to_json(revision.chart_metadata, value::JsonEscape::kNone));
  const Value values = revision.chart_values.is_nil() ? Value::dict() : revision.chart_values;
  CW_TRY(const std::string chart_values, value::to_json(values, value::JsonEscape::kNone));
  json.pop_back();
  json.append(R"(,"chart":{"metadata":)").append(metadata);
  json.append(R"(,"values":)").append(chart_values).append(",");
  // Otherwise it could not be read again, or not be given its outcome.
  const bool has_long_notes = revision.notes.size() > kNotesBytesMax;
  if (!has_long_notes && json.size() + record::end_without_files().size() <= kUnpackedBytesMax) {
    return json;
  }
  const size_t most = has_long_notes ? kNotesBytesMax : kUnpackedBytesMax;
  return Error(ErrorCode::kBudget, "revision " + std::to_string(revision.number) +
                                       " is too large to be recorded: " +
                                       (has_long_notes ? "its notes have" : "it has") +
                                       " more than " + std::to_string(most) + " bytes");
}

// Returns a record, in base64, with as many files of the chart as fit beside the key.
base::Result<std::string> pack(const Revision& revision, const Owner& owner, size_t bytes_max) {
  CW_TRY(std::string json, begin_record(revision, owner));
  CW_TRY(const std::string begin, record::gzip(json));
  const std::vector<std::string> none;
  for (const std::string& end : revision.chart_files ? revision.chart_files->choices : none) {
    const size_t rest = revision.key.size() + revision.signature.size();
    if (base64_size(begin.size() + end.size()) + rest <= bytes_max) {
      return base::base64_encode(begin + end);
    }
  }
  CW_TRY(const std::string whole, record::gzip(json.append(record::end_without_files())));
  return base::base64_encode(whole);
}

Value record_labels(const Revision& revision, const Owner& owner) {
  const auto created =
      std::chrono::duration_cast<std::chrono::seconds>(revision.last_deployed.time_since_epoch());
  return Value::dict({{"createdAt", text(std::to_string(created.count()))},
                      {"name", text(record_name(owner.name))},
                      {"owner", text("helm")},
                      {"status", text(to_string(revision.status))},
                      {"version", text(std::to_string(revision.number))}});
}

// Returns the number of a revision if it is plausible: records may have been written by others.
std::optional<int> revision_number(const Value& record) {
  const Value* v = record.find("version");
  if (v == nullptr || !v->is_float() || !(v->as_float() >= 1) ||
      !(v->as_float() <= static_cast<double>(kRevisionNumberMax))) {
    return std::nullopt;
  }
  const int number = static_cast<int>(v->as_float());
  return v->as_float() == number ? std::optional(number) : std::nullopt;
}

// A record, and the files of its chart.
struct Unpacked {
  Value record;
  std::shared_ptr<const record::PackedChart> chart_files;
};

// Reads a compressed record. The rest of one that pack() wrote is taken as it is.
base::Result<Unpacked> decompress(std::string_view packed) {
  CW_TRY(record::GzipMember begin, record::gunzip_member(packed, kUnpackedBytesMax));
  Unpacked unpacked;
  if (begin.size < packed.size()) {
    auto record = value::parse_json(begin.text + std::string(record::end_without_files()),
                                    value::Numbers::kFloat64);
    if (record.ok()) {
      auto files = std::make_shared<record::PackedChart>();
      files->choices.emplace_back(packed.substr(begin.size));
      return Unpacked{*std::move(record), std::move(files)};
    }
    CW_TRY(begin.text, record::gunzip(packed, kUnpackedBytesMax));
  }
  CW_TRY(unpacked.record, value::parse_json(begin.text, value::Numbers::kFloat64));
  return unpacked;
}

base::Result<std::string> packed_in(const Value& secret) {
  CW_TRY(const std::string once, base::base64_decode(secret.string_at({"data", "release"})));
  return base::base64_decode(once);
}

base::Result<Unpacked> unpack(const Value& secret) {
  CW_TRY(const std::string packed, packed_in(secret));
  Unpacked unpacked;
  if (packed.starts_with("\x1f\x8b")) {
    CW_TRY(unpacked, decompress(packed));
  } else {  // Helm still reads uncompressed records of older versions; so do we.
    CW_TRY(unpacked.record, value::parse_json(packed, value::Numbers::kFloat64));
  }
  if (const Value* chart = unpacked.record.find("chart"); chart && !unpacked.chart_files) {
    CW_TRY(unpacked.chart_files, record::pack_chart(*chart));
  }
  return unpacked;
}

// A signature is in hex. Anything longer was not written by us.
std::string signature_in(const Value& secret) {
  auto signature = base::base64_decode(secret.string_at({"data", "signature"}));
  return signature.ok() && signature->size() == 2 * kKeyBytes ? *std::move(signature)
                                                              : std::string();
}

// Returns the key if it is one of ours, otherwise "".
std::string key_in(const Value& secret) {
  auto key = base::base64_decode(secret.string_at({"data", "key"}));
  return key.ok() && key->size() == kKeyBytes ? *std::move(key) : std::string();
}

Value member_or_nil(const Value& record, std::initializer_list<std::string_view> path) {
  const Value* v = record.find_path(path);
  return v == nullptr ? Value() : *v;
}

// Two releases of one name would number and supersede the records of each other.
Error name_is_taken(const kube::ObjectRef& secret, const std::string& by) {
  return Error(ErrorCode::kOwnership, "the name of the release is taken: Secret " + secret.ns +
                                          "/" + secret.name + " is a record of " + by);
}

Error not_ours(const Value& secret) {
  return Error(ErrorCode::kOwnership, std::string(kube::name_of(secret)) + " is not ours");
}

Error no_record() { return Error(ErrorCode::kParse, "not a Helm release record"); }

base::Result<Value> encode(const Revision& revision, const Owner& owner, size_t bytes_max) {
  CW_TRY(const std::string packed, pack(revision, owner, bytes_max));
  const size_t bytes = packed.size() + revision.key.size() + revision.signature.size();
  if (bytes > bytes_max) {
    return Error(ErrorCode::kBudget, "revision " + std::to_string(revision.number) +
                                         " does not fit a Secret: " + std::to_string(bytes) +
                                         " bytes compressed, at most " + std::to_string(bytes_max));
  }
  Value metadata = Value::dict({{"labels", record_labels(revision, owner)},
                                {"name", text(record_secret_name(owner.name, revision.number))},
                                {"namespace", text(owner.release_namespace())},
                                {"ownerReferences", Value::list({owner_reference(owner)})}});
  if (Value annotations = spec_annotations(revision.spec); !annotations.is_nil()) {
    metadata.mutable_dict().set("annotations", std::move(annotations));
  }
  Value data = Value::dict({{"release", text(base::base64_encode(packed))}});
  if (!revision.key.empty()) {
    data.mutable_dict().set("key", text(base::base64_encode(revision.key)));
  }
  if (!revision.signature.empty()) {
    data.mutable_dict().set("signature", text(base::base64_encode(revision.signature)));
  }
  return Value::dict({{"apiVersion", text("v1")},
                      {"kind", text("Secret")},
                      {"metadata", metadata},
                      {"type", text("helm.sh/release.v1")},
                      {"data", data}});
}

bool has_deployed(const std::vector<Revision>& revisions) {
  return std::ranges::any_of(
      revisions, [](const Revision& one) { return one.status == RevisionStatus::kDeployed; });
}

bool has_same_content(const Revision& stored, const Revision& wanted) {
  return stored.manifest == wanted.manifest && stored.hooks == wanted.hooks &&
         stored.status == wanted.status;
}

}  // namespace

base::Result<Value> encode_revision(const Revision& revision, const Owner& owner,
                                    const base::Signer* signer) {
  if (signer == nullptr) {
    return encode(revision, owner, kRecordBytesMax - kRoomForOutcome);
  }
  Revision with_signature = revision;
  CW_TRY(with_signature.signature, record_signature(revision, *signer));
  return encode(with_signature, owner, kRecordBytesMax - kRoomForOutcome);
}

base::Result<Revision> decode_revision(const Value& secret) {
  const uint64_t refusals = base::MemoryLimit::refusals();
  auto read = unpack(secret);
  if (!read.ok() && read.error().code() == ErrorCode::kBudget &&
      refusals == base::MemoryLimit::refusals()) {
    return Error(ErrorCode::kParse, read.error().message());  // No such record is written.
  }
  CW_TRY(const Unpacked unpacked, std::move(read));
  const Value& record = unpacked.record;
  Revision revision;
  const auto number = revision_number(record);
  const Value* manifest = record.find("manifest");
  if (!number || manifest == nullptr || !manifest->is_string()) {
    return no_record();
  }
  revision.number = *number;
  revision.manifest = manifest->as_string();
  CW_TRY(revision.status, parse_status(record.string_at({"info", "status"})));
  if (const Value* hooks = record.find("hooks")) {
    revision.hooks = hooks_from_record(*hooks);
  }
  revision.description = record.string_at({"info", "description"});
  revision.notes = record.string_at({"info", "notes"});
  const Value* config = record.find("config");  // Helm leaves an empty one out.
  revision.config = config == nullptr || config->is_nil() ? Value::dict() : *config;
  revision.chart_metadata = member_or_nil(record, {"chart", "metadata"});
  revision.chart_values = member_or_nil(record, {"chart", "values"});
  revision.chart_files = unpacked.chart_files;
  auto time = [&record](std::string_view key) {
    return base::parse_rfc3339(record.string_at({"info", key})).value_or({});
  };
  revision.first_deployed = time("first_deployed");
  revision.last_deployed = time("last_deployed");
  revision.key = key_in(secret);
  revision.signature = signature_in(secret);
  revision.spec = spec_origin_in(secret);
  return revision;
}

base::Error unreadable_now(base::Error error, std::string_view what) {
  if (error.code() != ErrorCode::kBudget) {
    return error;
  }
  std::string help = error.help();
  return Error(ErrorCode::kBudget, std::string(what) + " cannot be read now: " + error.message())
      .with_http(0, std::string(kUnreadableNow))
      .with_help(std::move(help));
}

RevisionStore::RevisionStore(kube::Client& client, const kube::Call& call, const Owner& owner,
                             const base::Signer* signer, Decode decode)
    : client_(client), call_(call), owner_(owner), signer_(signer), decode_(std::move(decode)) {}

kube::ObjectRef RevisionStore::ref(int number) const {
  return {kube::Gvk{"", "v1", "Secret"}, owner_.release_namespace(),
          record_secret_name(owner_.name, number)};
}

base::Result<Revision> RevisionStore::decoded(const Value& secret) const {
  auto revision = decode_(secret);
  if (revision.ok() || revision.error().code() != ErrorCode::kBudget) {
    return revision;
  }
  const auto packed = packed_in(secret);
  if (packed.ok() && record::unpacks_beyond(*packed, kUnpackedBytesMax)) {
    return Error(ErrorCode::kParse, "the record is larger than any that is written");
  }
  return unreadable_now(std::move(revision).error(),
                        "the record " + std::string(kube::name_of(secret)));
}

base::Result<Finding<Revision>> RevisionStore::find(int number) {
  auto secret = client_.get(ref(number), call_);
  if (!secret.ok() && secret.error().code() == ErrorCode::kNotFound) {
    return Finding<Revision>::absent(std::move(secret).error());
  }
  CW_TRY(const Value found, std::move(secret));
  auto revision = decoded(found);
  if (!revision.ok() && revision.error().code() == ErrorCode::kParse) {
    return Finding<Revision>::absent(std::move(revision).error());
  }
  CW_TRY(Revision read, std::move(revision));
  return Finding<Revision>(std::move(read));
}

base::Result<Revision> RevisionStore::load(int number) {
  CW_TRY(Finding<Revision> finding, find(number));
  return std::move(finding).required();
}

base::Result<int> RevisionStore::append(Revision revision) {
  CW_TRY(Value secret, encode_revision(revision, owner_, signer_));
  return append(EncodedRevision{std::move(revision), std::move(secret)}, 0);
}

base::Result<int> RevisionStore::append(EncodedRevision encoded, int deployed) {
  Revision& revision = encoded.revision;
  CW_TRY(const bool as_we_left_it, is_deployed(deployed));
  if (!as_we_left_it) {
    // Helm deletes old records: a free number does not show that nobody has used it.
    CW_TRY(std::vector<ListedRecord> records, list());
    if (!records.empty() && records.front().number > revision.number) {
      CW_TRY_VOID(pass_over(encoded, std::move(records)));
    }
  }
  for (int i = 0; i < kAppendTries; ++i) {
    auto created = client_.create(encoded.secret, short_reply(), call_);
    if (created.ok()) {
      return revision.number;
    }
    if (created.error().code() != ErrorCode::kAlreadyExists) {
      return std::move(created).error();
    }
    auto existing = client_.get(ref(revision.number), call_);
    if (!existing.ok() && existing.error().code() == ErrorCode::kNotFound) {
      continue;  // It was deleted meanwhile: the number is free again.
    }
    CW_TRY(const Value taken, std::move(existing));
    CW_TRY(const Finding<Revision> stored, read_if_ours(taken));
    if (stored.found() && has_same_content(stored.thing(), revision)) {
      const Value& wanted = *encoded.secret.find("data");
      if (!value::json_equal(taken.find("data") == nullptr ? Value() : *taken.find("data"),
                             wanted)) {
        // A key of a process that has ended is not needed; a key of another writer would be known
        // to that writer, who may have changed the rest, too.
        CW_TRY_VOID(set_data(revision.number, taken, wanted));
      }
      return revision.number;
    }
    CW_TRY(std::vector<ListedRecord> records, list());
    CW_TRY_VOID(pass_over(encoded, std::move(records)));
  }
  return Error(ErrorCode::kConflict, "somebody else keeps adding revisions of " + owner_.name);
}

base::Result<bool> RevisionStore::is_deployed(int number) {
  if (number == 0) {
    return true;
  }
  CW_TRY(std::optional<Value> secret, owned(number));
  const auto status = secret ? kube::label_of(*secret, "status") : std::nullopt;
  if (status != to_string(RevisionStatus::kDeployed)) {
    return false;
  }
  read_.emplace(number, *std::move(secret));
  return true;
}

// Concludes the records that have taken the number of the revision, or a later one.
base::Status RevisionStore::pass_over(EncodedRevision& encoded, std::vector<ListedRecord> records) {
  Revision& revision = encoded.revision;
  const std::string_view chart = revision.chart_metadata.string_at({"name"});
  CW_TRY_VOID(check_name(records));
  size_t claims = 0;
  int last = revision.number;
  for (ListedRecord& record : records) {
    last = std::max(last, record.number);
    if (record.holder == Holder::kNobody && ++claims <= kClaimsMax) {
      CW_TRY_DISCARD(read_or_claim(record, chart));
    }
    if (record.number >= revision.number && record.holder == Holder::kUs) {
      CW_TRY_VOID(supersede(record.number));
      passed_over_.push_back(record.number);
    }
  }
  revision.number = last + 1;
  CW_TRY(encoded.secret, encode_revision(revision, owner_, signer_));
  return {};
}

base::Result<std::vector<ListedRecord>> RevisionStore::list() {
  auto records = list_records(client_, call_, owner_);
  if (!records.ok()) {
    return unreadable_now(std::move(records).error(), "the records of " + owner_.name);
  }
  return records;
}

base::Status RevisionStore::check_name(const std::vector<ListedRecord>& records) const {
  for (const ListedRecord& record : records) {
    if (record.holder == Holder::kOther) {
      return name_is_taken(record.ref, record.controller + "; rename one of the two");
    }
  }
  return {};
}

base::Result<Finding<Revision>> RevisionStore::read_or_claim(ListedRecord& record,
                                                             std::string_view chart) {
  auto secret = client_.get(record.ref, call_);
  if (!secret.ok() && secret.error().code() == ErrorCode::kNotFound) {
    return Finding<Revision>::absent(std::move(secret).error());
  }
  CW_TRY(const Value found, std::move(secret));
  record.holder = holder_of(found, owner_);
  if (record.holder == Holder::kOther) {
    return name_is_taken(record.ref, describe_owner(found) + "; rename one of the two");
  }
  if (record.holder == Holder::kPredecessor) {
    return Finding<Revision>::absent(not_ours(found));
  }
  auto revision = decoded(found);
  // The other requests about the revision go by the name of the Secret.
  const bool is_damaged = revision.ok() ? revision->number != record.number
                                        : revision.error().code() == ErrorCode::kParse;
  if (is_damaged) {
    return Finding<Revision>::absent(no_record());
  }
  CW_TRY(Revision read, std::move(revision));
  if (record.holder == Holder::kNobody) {
    CW_TRY_VOID(claim(found, read, chart));
    if (read.chart_metadata.string_at({"name"}) != chart) {
      return Finding<Revision>::absent(not_ours(found));
    }
    record.holder = Holder::kUs;
  }
  return Finding<Revision>(std::move(read));
}

// Records of another chart that have ended stay as they are.
base::Status RevisionStore::claim(const Value& secret, const Revision& revision,
                                  std::string_view chart) {
  const std::string_view theirs = revision.chart_metadata.string_at({"name"});
  if (theirs == chart) {
    Value metadata = Value::dict({{"ownerReferences", Value::list({owner_reference(owner_)})}});
    CW_TRY_DISCARD(merge(revision.number, secret, Value::dict({{"metadata", metadata}})));
    return {};
  }
  if (!theirs.empty() && outcome_of_abandoned(revision.status)) {
    return name_is_taken(kube::ref_of(secret), "a release of the chart " + std::string(theirs) +
                                                   "; uninstall it, or rename the custom resource");
  }
  return {};
}

base::Result<std::vector<Revision>> RevisionStore::load_all(size_t limit, std::string_view chart) {
  CW_TRY(std::vector<ListedRecord> records, list());
  CW_TRY_VOID(check_name(records));
  std::vector<Revision> revisions;
  size_t claims = 0;
  size_t damaged = 0;
  for (ListedRecord& record : records) {
    const bool is_claimed = record.holder == Holder::kNobody && ++claims <= kClaimsMax;
    const bool is_ours = record.holder == Holder::kUs && revisions.size() < limit;
    if (!is_claimed && !is_ours) {
      continue;
    }
    auto read = read_or_claim(record, chart);
    if (!read.ok() && read.error().reason() == kUnreadableNow && has_deployed(revisions)) {
      break;  // Only history, to which nobody can roll back then.
    }
    CW_TRY(Finding<Revision> finding, std::move(read));
    const bool is_damaged = !finding.found() && finding.proof().code() == ErrorCode::kParse;
    if (is_damaged && ++damaged == kDamagedMax) {
      return unreadable_now(
          Error(ErrorCode::kBudget, std::to_string(damaged) + " of the newest are damaged"),
          "the records of " + owner_.name);
    }
    if (finding.found() && revisions.size() < limit) {
      revisions.push_back(std::move(finding.thing()));
    }
  }
  return revisions;
}

base::Result<std::optional<Revision>> RevisionStore::pending_after(int number) {
  CW_TRY(const std::vector<ListedRecord> records, list());
  for (const ListedRecord& record : records) {
    const auto status = parse_status(record.status);
    if (record.number <= number || !status.ok() || !is_pending(*status) ||
        record.holder != Holder::kUs) {
      continue;
    }
    CW_TRY(const std::optional<Value> secret, owned(record.number));
    if (!secret) {
      continue;
    }
    CW_TRY(Finding<Revision> finding, read_if_ours(*secret));
    if (!finding.found() || !is_pending(finding.thing().status) || finding.thing().key.empty()) {
      continue;
    }
    CW_TRY(const bool is_ours, is_signed(finding.thing()));
    if (is_ours) {
      return std::optional(std::move(finding.thing()));
    }
  }
  return std::optional<Revision>();
}

base::Result<std::optional<Value>> RevisionStore::owned(int number) {
  if (read_ && read_->first == number) {
    return std::optional<Value>(std::exchange(read_, std::nullopt)->second);
  }
  auto secret = client_.get(ref(number), call_);
  if (!secret.ok()) {
    if (secret.error().code() == ErrorCode::kNotFound) {
      return std::optional<Value>();
    }
    return std::move(secret).error();
  }
  // The name has nothing but the number; Helm and custom resources of other kinds use it as well.
  return kube::is_owned_by(*secret, owner_.uid) ? std::optional(*std::move(secret)) : std::nullopt;
}

base::Result<Finding<Revision>> RevisionStore::read_if_ours(const Value& secret) {
  if (!kube::is_owned_by(secret, owner_.uid)) {
    return Finding<Revision>::absent(not_ours(secret));
  }
  auto revision = decoded(secret);
  if (!revision.ok() && revision.error().code() == ErrorCode::kParse) {
    return Finding<Revision>::absent(std::move(revision).error());
  }
  CW_TRY(Revision read, std::move(revision));
  return Finding<Revision>(std::move(read));
}

base::Status RevisionStore::supersede(int number, const std::string& why) {
  CW_TRY_DISCARD(change(number, [&why](RevisionStatus& status, std::string& description) {
    const auto outcome = outcome_of_abandoned(status);
    if (outcome == RevisionStatus::kFailed) {
      description = why;
    }
    status = outcome.value_or(status);
    return outcome.has_value();
  }));
  return {};
}

base::Result<bool> RevisionStore::conclude(int number, RevisionStatus status,
                                           const std::string& description) {
  return change(number, [&](RevisionStatus& known_status, std::string& known_description) {
    const bool differs = known_status != status || known_description != description;
    known_status = status;
    known_description = description;
    return differs;
  });
}

// A record that was made unreadable must not prevent new ones.
base::Result<bool> RevisionStore::change(
    int number, const std::function<bool(RevisionStatus&, std::string&)>& edit) {
  CW_TRY(const std::optional<Value> secret, owned(number));
  const auto packed = secret ? packed_in(*secret) : base::Result<std::string>(no_record());
  if (!packed.ok()) {
    return false;
  }
  RevisionStatus status{};
  const record::RecordLimits limits{kUnpackedBytesMax, kRecordBytesMax - key_in(*secret).size(),
                                    record::end_without_files()};
  auto edited = record::edit_outcome(*packed, limits,
                                     [&](record::RecordedOutcome& out) -> base::Result<bool> {
                                       CW_TRY(status, parse_status(out.status));
                                       const bool differs = edit(status, out.description);
                                       out.status = to_string(status);
                                       return differs;
                                     });
  if (!edited.ok() && edited.error().code() == ErrorCode::kParse) {
    return false;
  }
  CW_TRY(const std::optional<std::string> record, std::move(edited));
  if (!record) {
    return true;
  }
  return store_outcome(number, *secret, *record, status);
}

base::Result<bool> RevisionStore::store_outcome(int number, const Value& secret,
                                                const std::string& record, RevisionStatus status) {
  const std::string encoded = base::base64_encode(base::base64_encode(record));
  const Value labels = Value::dict({{"status", text(to_string(status))}});
  auto merged = merge(number, secret,
                      Value::dict({{"data", Value::dict({{"release", text(encoded)}})},
                                   {"metadata", Value::dict({{"labels", labels}})}}));
  if (!merged.ok() && merged.error().code() == ErrorCode::kNotFound) {
    return false;  // It was deleted meanwhile.
  }
  CW_TRY_DISCARD(std::move(merged));
  return true;
}

base::Result<bool> RevisionStore::sign(const Revision& known) {
  if (signer_ == nullptr) {
    return false;
  }
  CW_TRY(const std::optional<Value> secret, owned(known.number));
  if (!secret) {
    return false;
  }
  CW_TRY(Finding<Revision> stored, read_if_ours(*secret));
  if (!stored.found() || stored.thing().manifest != known.manifest ||
      stored.thing().hooks != known.hooks) {
    return false;
  }
  Revision confirmed = std::move(stored.thing());
  confirmed.key = known.key;
  confirmed.reach = known.reach;
  if (known.reach == Reach::kEverything) {
    confirmed.config = known.config;
    confirmed.notes = known.notes;
  }
  CW_TRY(confirmed.signature, record_signature(confirmed, *signer_));
  CW_TRY(const Value encoded, encode(confirmed, owner_, kRecordBytesMax));
  CW_TRY_VOID(set_data(known.number, *secret, *encoded.find("data")));
  return true;
}

base::Result<bool> RevisionStore::is_signed(const Revision& revision) const {
  if (signer_ == nullptr) {
    return true;
  }
  CW_TRY(const std::optional<Reach> reach, verified_reach(revision, *signer_));
  return reach.has_value();
}

base::Status RevisionStore::set_data(int number, const Value& secret, Value data) {
  CW_TRY_DISCARD(
      merge(number, secret, Value::dict({{"data", std::move(data)}, {"metadata", Value::dict()}})));
  return {};
}

base::Result<Value> RevisionStore::merge(int number, const Value& secret, Value change) {
  // Restricts the patch to the version whose owner was checked.
  value::Dict& metadata = change.find("metadata")->mutable_dict();
  metadata.set("resourceVersion", text(kube::resource_version_of(secret)));
  metadata.set("uid", text(kube::uid_of(secret)));
  return client_.patch(ref(number), {kube::PatchType::kMerge, change}, short_reply(), call_);
}

base::Status RevisionStore::remove(int number) {
  CW_TRY(const std::optional<Value> secret, owned(number));
  if (!secret) {
    return {};
  }
  kube::DeleteOptions options;
  options.uid = kube::uid_of(*secret);
  options.resource_version = kube::resource_version_of(*secret);
  auto status = client_.remove(ref(number), options, call_);
  if (!status.ok() && status.error().code() == ErrorCode::kNotFound) {
    return {};
  }
  return status;
}

}  // namespace chartwright::release
