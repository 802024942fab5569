// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace chartwright::base {

/// The address of a function of libcrypto or libssl, which are opened when they are first needed:
/// loading and relocating them takes a third of the time and a sixth of the memory of a command
/// that needs neither. What ships calls every function of theirs by way of this one
/// (openssl_stubs.S.in), so that only a program's first call of each comes here. Thread-safe. Where
/// a library or function is missing, says so and ends the process as the dynamic loader does.
void* openssl_function(const char* name);

}  // namespace chartwright::base
