// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"
#include "bundle/watch.h"
#include "cli/command.h"
#include "generate/access.h"
#include "generate/manifests.h"
#include "generate/role.h"

namespace chartwright::cmd {

/// The project that a command works on: the kinds of a watches.yaml with the views beside it, one
/// chart with its kind, or a folder of views.
struct ProjectFlags {
  std::string group;
  std::string version = "v1alpha1";
  std::string kind;
  std::string views;
  bool reviews_access = false;
  generate::Naming naming;
  /// The flags that were given, where that matters: others keep what an earlier run was given.
  struct Given {
    bool version = false;
    bool name = false;
    bool ns = false;
    bool watched = false;
    bool views = false;
    bool reviews_access = false;
    bool monitor = false;
    bool image = false;
    bool tag = false;
    bool base_image = false;
  };
  Given given = {};
};

struct Project {
  std::vector<bundle::Watch> watches;
  generate::ServedViews served;
};

/// Declares --group, --version and --kind.
void declare_kind_flags(FlagSet& flags, ProjectFlags& into);
/// Declares --name, --namespace and --watch-namespaces.
void declare_naming_flags(FlagSet& flags, ProjectFlags& into);
/// Declares --views.
void declare_views_flag(FlagSet& flags, ProjectFlags& into);
/// Declares --monitor.
void declare_monitor_flag(FlagSet& flags, ProjectFlags& into);

/// Returns what is at `path`: a chart's folder or archive, whose kind the flags give, a watches
/// file with the folder views/ beside it, or a folder of views. Kinds of a project of operator-sdk
/// have its names (kinds/sdk_project.h). Errors: kInvalidArgument for flags
/// that are missing, of no use, or not valid as names in the API; kNotFound for dependencies of a
/// chart that charts/ lacks; those of bundle::load_watches,
/// bundle::load_bundle and views::load_views.
base::Result<Project> load_project(const std::string& path, const ProjectFlags& flags);

/// Takes what no flag gives from the manifests in `folder`, if an earlier run has written any for a
/// project like that at `path`. Errors: those of recorded_flags and base::read_file.
base::Status recall_flags(const std::string& path, const std::string& folder, ProjectFlags& flags);

/// Returns the folder of views beside a watches file, which need not be there.
std::string views_beside(const std::string& watches_file);

/// The kinds of paths that commands take.
enum class PathKind : uint8_t {
  kChart,    ///< An archive, a folder with anything of a chart, or one that nothing is known of.
  kProject,  ///< A folder with a watches file, and nothing of a chart.
  kViews,    ///< Any other folder with YAML files.
  kFile,     ///< Any other file, such as a watches file; it need not be there.
};
struct ClassifiedPath {
  PathKind kind;
  std::string path;  ///< The path of the watches file, if the kind is kProject.
};
ClassifiedPath classify(const std::string& path);

/// Checks the names that the flags give. Error: kInvalidArgument.
base::Status check_naming(const generate::Naming& naming);
/// Checks what a flag gives as the name of an image, with or without a tag. Error:
/// kInvalidArgument.
base::Status check_image(const std::string& flag, const std::string& image);
/// Checks a path that is to be copied by a Dockerfile, where other characters mean something else.
/// Error: kInvalidArgument.
base::Status check_copied(const std::string& path);

/// Makes the folders of the file `path`, which is below `root`. `root` may be a link, but none of
/// them: it could lead elsewhere. Error: kForbidden.
base::Status make_folders(const std::string& root, const std::string& path);

/// Whether files that were written by hand are replaced.
enum class Overwrite : uint8_t { kNo, kYes };

/// Writes the manifests of an operator below `folder`, and reports each file. Files that exist and
/// were not generated are kept, with a warning. Links below it are not followed. Errors: those of
/// generate::manifests_of, kForbidden.
base::Status write_project(const Project& project, const generate::Naming& naming,
                           const std::string& folder, Overwrite overwrite, Streams& streams);

/// Writes generated files in the same way.
base::Status write_generated(const std::vector<generate::GeneratedFile>& files,
                             const std::string& folder, Overwrite overwrite, Streams& streams);

/// Returns the error with its place in front of the message, as configuration files have it.
base::Error with_place(const base::Error& error);

/// Prints notes about generated rules as warnings.
void print_notes(const std::vector<generate::AccessNote>& notes, Streams& streams);

}  // namespace chartwright::cmd
