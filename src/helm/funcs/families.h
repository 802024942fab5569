// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "helm/funcs/bind.h"
#include "helm/version/semver.h"

// One function per family of Sprig functions; registry.cc collects them.
namespace chartwright::helm::funcs {

void add_strings(Table& table);
void add_words(Table& table);
void add_defaults(Table& table);
void add_lists(Table& table);
void add_dicts(Table& table);
void add_math(Table& table);
void add_sequences(Table& table);
void add_encoding(Table& table);
void add_json(Table& table);
void add_reflection(Table& table);
void add_paths(Table& table);
void add_regex(Table& table);
void add_versions(Table& table);
/// The functions that behave differently with an earlier semver, as that release has them.
void add_versions_of(SemverRelease release, Table& table);
void add_dates(Table& table);
void add_urls(Table& table);
void add_random(Table& table);
void add_crypto(Table& table);
void add_certificates(Table& table);

}  // namespace chartwright::helm::funcs
