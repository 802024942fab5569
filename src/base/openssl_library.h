// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace chartwright::base {

/// Returns the address of a function of libcrypto or libssl. The libraries are opened when they are
/// first needed: loading and relocating them takes a third of the time and a sixth of the memory of
/// a command that needs neither. The shipped binary calls every OpenSSL function through a stub
/// (openssl_stubs.S.in), so only a program's first call of each function gets here. If a library or
/// a function is missing, prints an error and exits as the dynamic loader does. Thread-safe.
void* openssl_function(const char* name);

}  // namespace chartwright::base
