// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace chartwright::base {

/// Gives back the resident pages of code and constants that the process has mapped from files. What
/// is used again comes back from the page cache, a few microseconds a page; what only starting
/// needed (relocation tables, initialisers, symbol names: some 9 MB with libcurl's dependencies)
/// stays away. For moments when something has been set up. Thread-safe; pages that can be written
/// are not touched, but breakpoints that a debugger has set in the code are lost with their pages.
void release_file_pages();

/// Gives back what this thread's stack has left behind below the caller: one deep render touches
/// megabytes that no other needs. A quarter of a megabyte stays, which is what renders usually
/// take. Does nothing where the stack is not known.
void release_unused_stack();

}  // namespace chartwright::base
