// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "base/clock.h"
#include "external/external_record.h"

namespace chartwright::external {

/// The copy of the records beside the status, as this process has read or written it last.
struct Copy {
  Records records;
  bool is_readable = true;
  bool is_vouched_for = false;  ///< The signature of the record holds: nobody else has written it.
  std::set<std::string> ours;   ///< Externals whose records are of this process.
};

/// The members of Secrets with which an external was last reached. A deletion may find the Secrets
/// gone: a namespace that is deleted takes them along at once, and accepts no new ones.
struct Credentials {
  std::string server;  ///< Where they were sent, and where alone they may be sent again.
  std::string trust;   ///< A digest of the authorities that it was verified by.
  /// The keys are a Secret and a key of its data.
  std::map<std::pair<std::string, std::string>, std::string> members;
};

/// The memory of the externals of a custom resource between runs. Lost at a restart, which
/// costs time and calls only.
struct Memory {
  std::set<std::string> unsent;  ///< Those with an intent of which no create was sent.
  /// When a search for an interrupted create first found nothing.
  std::map<std::string, base::MonotonicTime> nothing_since;
  /// The key is the name of an external. Never written anywhere.
  std::map<std::string, Credentials> credentials;
  std::string settled;  ///< Names the inputs of the last run that succeeded; empty: none did.
  base::MonotonicTime due = {};  ///< When that run has to be repeated.
  std::optional<Copy> copy;      ///< nullopt: neither read nor written yet.
  bool is_let_go = false;        ///< The copy was deleted, since the custom resource goes.
  bool was_looked_at = false;    ///< It is noted which records the status may have lost.
};

}  // namespace chartwright::external
