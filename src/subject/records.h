// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "revision/revision.h"
#include "subject/render_queue.h"
#include "subject/subject.h"

namespace chartwright::op {

/// Returns the digest of a revision, as status.history has it. Errors: those of
/// release::text_of_release and release::keyed_digest.
base::Result<std::string> digest_of(const std::string& key, const std::string& manifest,
                                    const std::vector<release::Hook>& hooks);

/// Returns the digest that earlier versions made, in which tests count. Errors: as digest_of.
base::Result<std::string> former_digest_of(const std::string& key, const std::string& manifest,
                                           const std::vector<release::Hook>& hooks);

/// Returns the digests that the record of a revision may be known by: digest_of and
/// former_digest_of. Errors: as digest_of.
base::Result<std::vector<std::string>> digests_of(const release::Revision& revision);

/// Checks that the record of a revision has the content that `known`, its digest in status.history,
/// was made of. Errors: kOwnership if it has not, or this cannot be told; those of digest_of.
base::Status check_digest(const release::Revision& revision, std::string_view known);

/// Reports whether an error of that code proves that there is no such record, so that another try
/// cannot bring it back. That there was no memory to read it (kBudget) proves nothing.
bool is_lost(base::ErrorCode code);

/// The error of a revision whose record is believed for one namespace alone, and that has objects
/// outside of it.
base::Error beyond_reach(const Subject& subject, int number);

/// Reads the records of revisions. A record may be changed by anyone who may write Secrets, so it
/// is decoded and parsed as a render is: in turn and within limits. Blocks.
class Records {
 public:
  /// Both must outlive it.
  Records(const Subject& subject, RenderQueue& renders) : subject_(subject), renders_(renders) {}

  /// Returns the store of the records, which does not verify those it loads. It must not outlive
  /// this.
  release::RevisionStore store();
  /// Returns a revision whose record is the one that the status knows, without the CRDs of crds/.
  /// Absent: kOwnership where the status does not have the digest of its manifest, and as
  /// find_signed. Errors: as there.
  base::Result<release::Finding<release::Revision>> find(int number);
  /// Like `find`, where an absent record is an error.
  base::Result<release::Revision> load(int number);
  /// Returns a revision whose record we have signed; nothing in it is believed beyond its reach.
  /// Absent: kOwnership where no signature of ours verifies, and as RevisionStore::find. Errors: as
  /// there.
  base::Result<release::Finding<release::Revision>> find_signed(int number);
  /// Returns how far a record may be believed; nullopt: not at all. Errors: those of
  /// release::verified_reach.
  base::Result<std::optional<release::Reach>> reach_of(const release::Revision& revision) const;
  /// Returns the objects of a stored manifest. Errors: kParse, kBudget (unreadable_now).
  base::Result<std::vector<value::Value>> parse(const std::string& manifest);

 private:
  std::string_view known_digest(int number) const;

  const Subject& subject_;
  RenderQueue& renders_;
};

}  // namespace chartwright::op
