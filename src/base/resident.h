// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace chartwright::base {

/// Gives back the resident pages of code and constants that the process has mapped from files. What
/// is used again comes back from the page cache, a few microseconds a page; what only starting
/// needed (relocation tables, initialisers, symbol names: some 9 MB with libcurl's dependencies)
/// stays away. For moments when something has been set up. Thread-safe; pages that can be written
/// are not touched, but breakpoints that a debugger has set in the code are lost with their pages.
void release_file_pages();

}  // namespace chartwright::base
