// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <catch2/catch.hpp>
#include <string>
#include <utility>
#include <vector>

#include "base/digest.h"
#include "operator/reconcile.h"
#include "revision/keyed_digest.h"
#include "test/operator/world.h"

namespace chartwright::op::testing {

using Calls = std::vector<std::string>;
using Overrides = std::vector<std::pair<std::string, std::string>>;

inline const std::string kGet = "get Widget.example.com shop/w";
inline const std::string kStatus = "apply-status Widget.example.com shop/w";
inline const std::string kApply = "apply ConfigMap shop/w";

inline std::string of_record(const std::string& verb, int revision) {
  return verb + " Secret shop/sh.helm.release.v1.w.v" + std::to_string(revision);
}
inline std::string create(int revision) { return of_record("create", revision); }
inline std::string get(int revision) { return of_record("get", revision); }
inline std::string patch(int revision) { return of_record("patch", revision); }

inline bool has(const Calls& calls, const std::string& call) {
  return std::find(calls.begin(), calls.end(), call) != calls.end();
}

/// Revisions in these colors, one after the other.
struct Painted : World {
  explicit Painted(Overrides overrides = {}, const Calls& colors = {"red", "green", "blue"}) {
    watch.override_values = std::move(overrides);
    for (const std::string& color : colors) {
      paint(color);
    }
    converge();
  }
  void paint(const std::string& color) {
    spec(R"({"color":")" + color + R"("})");
    converge();
  }
};

inline const Overrides kSecret = {{"extra", "hunter2"}};

/// With overrides and without.
inline Overrides some_overrides() { return GENERATE(Overrides(), kSecret); }

inline release::Revision record(const World& world, int number) {
  return CW_MUST(release::decode_revision(*world.api.find(world.secret(number))));
}

/// Changes a record. Its signature stays, and so holds only if what is signed does.
inline void put_record(World& world, const release::Revision& revision) {
  const release::Owner owner{world.watch.gvk, "shop", "w", std::string(kube::uid_of(world.cr()))};
  world.api.put(CW_MUST(release::encode_revision(revision, owner)));
}

/// Writes a record as the operator does.
inline void put_signed_record(World& world, const release::Revision& revision) {
  const release::Owner owner{world.watch.gvk, "shop", "w", std::string(kube::uid_of(world.cr()))};
  const auto signer = CW_MUST(base::Signer::make(world.master_key, owner.uid));
  world.api.put(CW_MUST(release::encode_revision(revision, owner, &signer)));
}

/// Changes a record as anyone can who may write Secrets: another manifest, under the record's own
/// key.
inline void forge(World& world, int number) {
  release::Revision revision = record(world, number);
  revision.manifest =
      "apiVersion: v1\nkind: ConfigMap\nmetadata: {name: forged}\ndata: {color: forged}\n";
  put_record(world, revision);
}

/// Of a revision in status.history.
inline std::string digest(const World& world, int number) {
  const value::Value status = world.status();
  for (const value::Value& item : status.find("history")->as_list().items) {
    if (item.find("revision")->as_int() == number) {
      return std::string(item.string_at({"digest"}));
    }
  }
  return "none";
}

inline std::string inputs(const World& world) {
  return std::string(world.status().string_at({"inputs"}));
}

/// The key of the inputs, which is never in a status of a release with overrides.
inline std::string unkeyed_inputs(World& world) {
  bundle::ReleaseInputs inputs;
  inputs.name = "w";
  inputs.ns = "shop";
  inputs.config = CW_MUST(release_config(world.cr(), world.watch));
  return bundle::Renderer(helm::Capabilities::offline(), world.clock)
      .inputs_key(world.watch.bundle, inputs);
}

inline void remove_key(World& world, int number) {
  release::Revision revision = record(world, number);
  revision.key.clear();
  put_record(world, revision);
}

/// Makes the status and all records what a Chartwright without signatures leaves.
inline void make_unsigned(World& world) {
  value::Value object = world.cr();
  const value::Value& status = *object.find("status");
  for (const value::Value& item : status.find("history")->as_list().items) {
    release::Revision revision = record(world, static_cast<int>(item.find("revision")->as_int()));
    revision.signature.clear();
    put_record(world, revision);
  }
  status.mutable_dict().erase("signature");
  world.api.put(object);
}

/// No digest in the status can be tested without the key, which the records have.
inline void check_keyed(World& world, const std::vector<int>& numbers) {
  const std::string status = CW_MUST(value::to_json(world.status()));
  for (const int number : numbers) {
    CAPTURE(number);
    const release::Revision revision = record(world, number);
    CHECK(revision.key.size() == release::kKeyBytes);
    CHECK(digest(world, number) == CW_MUST(release::keyed_digest(revision.key, revision.manifest)));
    CHECK(status.find(base::sha256_hex(revision.manifest)) == std::string::npos);
  }
  if (world.watch.override_values.empty()) {
    CHECK(inputs(world) == "sha256:" + unkeyed_inputs(world));
  } else {
    CHECK(inputs(world) == CW_MUST(release::keyed_digest(record(world, numbers.front()).key,
                                                         unkeyed_inputs(world))));
    CHECK(status.find(unkeyed_inputs(world)) == std::string::npos);
  }
}

/// A reconcile later there is nothing left to do. A new process only reads the key, where it is
/// needed.
inline void check_at_rest(World& world) {
  world.converge();
  world.converge();
  CHECK(world.calls().empty());
  world.restart();
  world.converge();
  const auto newest = static_cast<int>(world.revision());
  CHECK(world.calls() == (world.watch.override_values.empty() ? Calls() : Calls{get(newest)}));
  world.converge();
  CHECK(world.calls().empty());
}

}  // namespace chartwright::op::testing
