// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "external/surroundings.h"
#include "subject/subject.h"

namespace chartwright::op {

/// The copy of the ids and intents of externals, in a Secret beside the custom resource: a status
/// may be wiped, or left out of a backup. Anyone who may write Secrets can write it, so that it
/// only makes more careful, unless its signature holds. Blocks.
class ExternalCopy {
 public:
  /// Both must outlive it.
  ExternalCopy(const Subject& subject, external::Memory& memory)
      : subject_(subject), memory_(memory) {}

  /// Writes the records, unless the copy surprises with a record of `external`. For a new custom
  /// resource that is one request, which tells as well that there was no copy. Errors: those of the
  /// client and of the signer.
  base::Result<external::Copied> write(const std::string& external, external::Surprise surprise);
  /// Returns what a copy whose signature holds has of an external. Errors: as write.
  base::Result<std::optional<external::Record>> vouched(const std::string& external);
  /// Brings the copy up to date, where there is something to remember, or was. Errors: as write.
  base::Status follow();
  /// Deletes it, once in a process. Errors: those of the client.
  base::Status remove();

 private:
  kube::ObjectRef ref() const;
  external::Records wanted() const;
  base::Result<value::Value> object(const external::Records& records) const;
  base::Status read();
  base::Result<bool> create();
  base::Status store();
  base::Result<bool> replace();
  void note_written(external::Records records);

  const Subject& subject_;
  external::Memory& memory_;
};

}  // namespace chartwright::op
