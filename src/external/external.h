// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "base/faults.h"
#include "base/result.h"
#include "helm/render/operator_template.h"
#include "helm/render/renderable_chart.h"
#include "value/path.h"

namespace chartwright::external {

/// A text of a file that may be a template.
struct Expression {
  std::string text;
  std::optional<helm::OperatorTemplate> parsed;  ///< nullopt: `text` is the result.
};

/// A template in a file, for checks without data.
struct WrittenTemplate {
  helm::OperatorTemplate text;
  base::SourcePos pos;
  std::string path;  ///< "create.capture"
};

/// A member of a Secret in the namespace of the custom resource. Where the name renders to
/// nothing, there is none.
struct SecretMember {
  Expression secret;
  std::string key;
};

struct BasicAuth {
  Expression secret;
  std::string username_key;
  std::string password_key;
};

struct Tls {
  std::optional<SecretMember> ca;      ///< Empty: the system's trust store.
  std::optional<Expression> identity;  ///< Secret with tls.crt and tls.key, for us as client.
  Expression server_name;              ///< To verify; empty: that of the URL.
};

struct HttpDriver {
  Expression base_url;
  std::optional<SecretMember> bearer;
  std::optional<BasicAuth> basic;
  bool plaintext = false;  ///< Credentials may be sent without TLS.
  Tls tls;
  /// The path of the text that says what is wrong, in the reply to a call that is refused; none: it
  /// is not shown.
  std::optional<value::Path> error_field;
};

struct GrpcDriver {
  Expression address;
  std::optional<SecretMember> bearer;
  std::optional<BasicAuth> basic;
  bool plaintext = false;
  Tls tls;
  std::string descriptors;      ///< A FileDescriptorSet; empty: the server's reflection.
  bool shows_messages = false;  ///< Those of the server's errors.
};

/// A call as the file has it: "PUT /pets/{{ .id }}" or "petstore.PetStore/AddPets", and its body.
struct CallTemplate {
  Expression call;
  std::optional<Expression> body;
  /// The path of the list in the reply; none: the reply is the list.
  std::optional<value::Path> items;
};

/// One file of operator/externals/.
struct External {
  std::string name;
  std::string file;
  std::variant<HttpDriver, GrpcDriver> driver;
  CallTemplate observe;
  std::optional<Expression> select;  ///< None: the reply of `observe` is the object.
  Expression id;                     ///< The id of an `.item` that a search has found.
  CallTemplate create;
  Expression capture;
  std::optional<Expression> adopt;
  bool keeps_sent = false;  ///< `adopt` reads `.sent`, the body of the create.
  CallTemplate search;      ///< Lists what `adopt` is asked about.
  std::optional<CallTemplate> update;
  std::optional<Expression> up_to_date;
  std::optional<CallTemplate> remove;  ///< Missing only with the policy Orphan.
  Expression resync;
  Expression timeout;
  Expression deletion_policy;
  std::vector<WrittenTemplate> templates;  ///< All that the file has.
  std::set<std::string> uses;  ///< Names of the externals whose captures its templates read.
};

/// The files below operator/, by their path in that folder.
using OperatorFiles = std::map<std::string, std::string>;

/// Reads the files of externals/ in `files`. The result is ordered so that each external comes
/// after those that it uses. `folder` begins the names of files in errors. Errors: kParse and
/// kInvalidArgument with file:line:column, what is wrong and what would be right: unknown keys,
/// wrong types, duplicate names, cycles, templates that do not parse, descriptors that are not
/// there.
base::Result<std::vector<External>> load_externals(
    const std::shared_ptr<const helm::RenderableChart>& chart, const OperatorFiles& files,
    const std::string& folder);
/// Like the overload above, with a fault for each wrong file; none is returned then.
std::vector<External> load_externals(const std::shared_ptr<const helm::RenderableChart>& chart,
                                     const OperatorFiles& files, const std::string& folder,
                                     base::Faults& faults);

}  // namespace chartwright::external
