// SPDX-License-Identifier: Apache-2.0
#include "external/external.h"

#include <algorithm>
#include <string_view>

#include "base/ascii.h"
#include "base/strings.h"
#include "external/method_check.h"
#include "external/order.h"
#include "external/reads.h"
#include "external/settings.h"
#include "go/quote.h"
#include "yaml/document.h"

namespace chartwright::external {
namespace {

using yaml::DocumentNode;
using yaml::MapReader;

constexpr std::string_view kFolder = "externals/";
constexpr size_t kNameBytesMax = 63;

bool is_name(std::string_view text) {
  const auto fits = [](char c) {
    return base::is_ascii_letter(c) || base::is_ascii_digit(c) || c == '_' || c == '-';
  };
  return !text.empty() && text.size() <= kNameBytesMax && base::is_ascii_letter(text.front()) &&
         std::all_of(text.begin(), text.end(), fits);
}

/// Reads one file.
class FileReader {
 public:
  FileReader(const std::shared_ptr<const helm::RenderableChart>& chart, const OperatorFiles& files,
             const ReadFinder& reads, std::string file)
      : chart_(chart), files_(files), reads_(reads), file_(std::move(file)) {}

  base::Result<External> read(const DocumentNode& root);
  /// The captures that the expressions read, for Order. Those that operator/values.yaml makes a
  /// value of do not count for the external itself: it need not have an id to have that value.
  const std::vector<Mention>& mentions() const { return mentions_; }

 private:
  base::Result<Expression> expression(const DocumentNode& node);
  base::Status note_reads(const DocumentNode& node, const helm::OperatorTemplate& text);
  base::Result<Expression> required(MapReader& map, std::string_view key);
  base::Result<Expression> with_default(MapReader& map, std::string_view key,
                                        const std::string& fallback);
  base::Result<std::optional<Expression>> optional(MapReader& map, std::string_view key);
  base::Result<std::string> text_or(MapReader& map, std::string_view key,
                                    const std::string& fallback);
  base::Result<bool> flag(MapReader& map, std::string_view key);

  base::Status read_driver(const DocumentNode& node, External& external);
  base::Result<HttpDriver> read_http(const DocumentNode& node);
  base::Result<GrpcDriver> read_grpc(const DocumentNode& node);
  base::Result<std::string> read_descriptors(const DocumentNode& node) const;
  base::Result<std::optional<SecretMember>> read_member(MapReader& map, std::string_view key,
                                                        const std::string& member);
  base::Result<std::optional<BasicAuth>> read_basic(MapReader& map);
  template <typename Driver>
  base::Status read_credentials(MapReader& map, Driver& driver);
  base::Result<Tls> read_tls(MapReader& map);

  base::Status read_call(MapReader& map, CallTemplate& call);
  base::Result<std::optional<CallTemplate>> optional_call(MapReader& map, std::string_view key);
  base::Status check_call(const DocumentNode& node) const;
  base::Status read_observe(MapReader& map, External& external);
  base::Status read_create(MapReader& map, External& external);
  base::Status read_settings(MapReader& map, External& external);

  const std::shared_ptr<const helm::RenderableChart>& chart_;
  const OperatorFiles& files_;
  const ReadFinder& reads_;
  const std::string file_;
  std::string name_;
  bool is_grpc_ = false;
  std::vector<Mention> mentions_;
  std::vector<WrittenTemplate> templates_;
};

base::Result<Expression> FileReader::expression(const DocumentNode& node) {
  if (node.kind == DocumentNode::Kind::kMap || node.kind == DocumentNode::Kind::kList) {
    return yaml::document_error(node,
                                "expected a text, which may be a template; write a document as a "
                                "block of text, after \"|\"");
  }
  Expression read;
  CW_TRY(read.text, yaml::document_text(node));
  if (read.text.find("{{") == std::string::npos) {
    return read;
  }
  read.parsed.emplace(chart_, file_ + ":" + node.path, read.text);
  if (auto parsed = read.parsed->parse(); !parsed.ok()) {
    return yaml::invalid_node(node, parsed.error().message());
  }
  if (node.pos.line > 0) {  // Not a default.
    templates_.push_back({*read.parsed, node.pos, node.path});
  }
  CW_TRY_VOID(note_reads(node, *read.parsed));
  return read;
}

base::Status FileReader::note_reads(const DocumentNode& node, const helm::OperatorTemplate& text) {
  CW_TRY(const Reads reads, reads_.reads_of(text));
  if (reads.any) {
    return yaml::invalid_node(node,
                              "depends on externals that cannot be told: write .External.NAME");
  }
  for (const Reads::Name& read : reads.names) {
    if (read.value.empty() || read.name != name_) {
      mentions_.push_back({read.name, node, read.value});
    }
  }
  return {};
}

base::Result<Expression> FileReader::required(MapReader& map, std::string_view key) {
  CW_TRY(const DocumentNode* node, map.require(key));
  return expression(*node);
}

base::Result<Expression> FileReader::with_default(MapReader& map, std::string_view key,
                                                  const std::string& fallback) {
  if (const DocumentNode* node = map.find(key)) {
    return expression(*node);
  }
  DocumentNode standard;
  standard.kind = DocumentNode::Kind::kScalar;
  standard.path = key;
  standard.text = fallback;
  return expression(standard);
}

base::Result<std::optional<Expression>> FileReader::optional(MapReader& map, std::string_view key) {
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return std::optional<Expression>();
  }
  CW_TRY(Expression read, expression(*node));
  return std::optional<Expression>(std::move(read));
}

base::Result<std::string> FileReader::text_or(MapReader& map, std::string_view key,
                                              const std::string& fallback) {
  const DocumentNode* node = map.find(key);
  return node == nullptr ? base::Result<std::string>(fallback) : yaml::document_text(*node);
}

base::Result<bool> FileReader::flag(MapReader& map, std::string_view key) {
  const DocumentNode* node = map.find(key);
  return node == nullptr ? base::Result<bool>(false) : yaml::document_bool(*node);
}

base::Result<std::optional<SecretMember>> FileReader::read_member(MapReader& map,
                                                                  std::string_view key,
                                                                  const std::string& member) {
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return std::optional<SecretMember>();
  }
  SecretMember read;
  CW_TRY(MapReader inner, MapReader::open(*node));
  CW_TRY(read.secret, required(inner, "secret"));
  CW_TRY(read.key, text_or(inner, "key", member));
  CW_TRY_VOID(inner.finish());
  return std::optional<SecretMember>(std::move(read));
}

base::Result<std::optional<BasicAuth>> FileReader::read_basic(MapReader& map) {
  const DocumentNode* node = map.find("basic");
  if (node == nullptr) {
    return std::optional<BasicAuth>();
  }
  BasicAuth read;
  CW_TRY(MapReader inner, MapReader::open(*node));
  CW_TRY(read.secret, required(inner, "secret"));
  CW_TRY(read.username_key, text_or(inner, "usernameKey", "username"));
  CW_TRY(read.password_key, text_or(inner, "passwordKey", "password"));
  CW_TRY_VOID(inner.finish());
  return std::optional<BasicAuth>(std::move(read));
}

base::Result<Tls> FileReader::read_tls(MapReader& map) {
  Tls tls;
  const DocumentNode* node = map.find("tls");
  if (node == nullptr) {
    return tls;
  }
  CW_TRY(MapReader inner, MapReader::open(*node));
  CW_TRY(tls.ca, read_member(inner, "ca", "ca.crt"));
  if (const DocumentNode* identity = inner.find("clientCertificate")) {
    CW_TRY(MapReader members, MapReader::open(*identity));
    CW_TRY(tls.identity, required(members, "secret"));
    CW_TRY_VOID(members.finish());
  }
  CW_TRY(tls.server_name, with_default(inner, "serverName", ""));
  CW_TRY_VOID(inner.finish());
  return tls;
}

template <typename Driver>
base::Status FileReader::read_credentials(MapReader& map, Driver& driver) {
  CW_TRY(driver.bearer, read_member(map, "bearer", "token"));
  const DocumentNode* basic = map.find("basic");
  CW_TRY(driver.basic, read_basic(map));
  if (driver.bearer && driver.basic) {
    return yaml::invalid_node(*basic, "there is \"bearer\" too; a call has one of them");
  }
  return {};
}

// A Secret that a template names may be none, and a text that is a template is checked by each run.
bool has_named_secret(const std::optional<SecretMember>& bearer,
                      const std::optional<BasicAuth>& basic) {
  const Expression* secret = nullptr;
  if (bearer) {
    secret = &bearer->secret;
  } else if (basic) {
    secret = &basic->secret;
  }
  return secret != nullptr && !secret->parsed && !base::trim(secret->text).empty();
}

base::Status at_node(const DocumentNode& node, const base::Status& checked) {
  if (!checked.ok()) {
    return yaml::invalid_node(node, checked.error().message());
  }
  return {};
}

base::Result<std::optional<value::Path>> optional_path(MapReader& map, std::string_view key) {
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return std::optional<value::Path>();
  }
  CW_TRY(const std::string text, yaml::document_text(*node));
  auto path = value::Path::parse(text);
  if (!path.ok()) {
    return yaml::document_error(*node, path.error().message());
  }
  return std::optional<value::Path>(*std::move(path));
}

base::Result<HttpDriver> FileReader::read_http(const DocumentNode& node) {
  HttpDriver http;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(http.base_url, required(map, "baseURL"));
  CW_TRY_VOID(read_credentials(map, http));
  CW_TRY(http.tls, read_tls(map));
  CW_TRY(http.plaintext, flag(map, "plaintext"));
  CW_TRY(http.error_field, optional_path(map, "errorField"));
  CW_TRY_VOID(map.finish());
  if (!http.base_url.parsed) {
    const DocumentNode& url = *node.find("baseURL");
    CW_TRY_VOID(at_node(url, check_base_url(base::trim(http.base_url.text))));
    if (!http.plaintext && has_named_secret(http.bearer, http.basic)) {
      CW_TRY_VOID(at_node(url, check_for_credentials(base::trim(http.base_url.text))));
    }
  }
  return http;
}

base::Result<GrpcDriver> FileReader::read_grpc(const DocumentNode& node) {
  GrpcDriver grpc;
  CW_TRY(MapReader map, MapReader::open(node));
  CW_TRY(grpc.address, required(map, "address"));
  if (!grpc.address.parsed) {
    CW_TRY_VOID(at_node(*node.find("address"), check_grpc_address(base::trim(grpc.address.text))));
  }
  CW_TRY_VOID(read_credentials(map, grpc));
  CW_TRY(grpc.tls, read_tls(map));
  CW_TRY(const DocumentNode* descriptors, map.require("descriptors"));
  CW_TRY(grpc.descriptors, read_descriptors(*descriptors));
  CW_TRY(grpc.plaintext, flag(map, "plaintext"));
  CW_TRY(grpc.shows_messages, flag(map, "errorMessages"));
  CW_TRY_VOID(map.finish());
  if (grpc.plaintext && (grpc.bearer || grpc.basic)) {
    return yaml::invalid_node(
        *node.find("plaintext"),
        "with \"bearer\" or \"basic\" the connection must be TLS: gRPC sends no "
        "credentials in the clear");
  }
  return grpc;
}

base::Result<std::string> FileReader::read_descriptors(const DocumentNode& node) const {
  CW_TRY(const std::string name, yaml::document_string(node));
  if (name == "reflection") {
    return std::string();
  }
  const auto found = files_.find(std::string(kFolder) + name);
  if (found != files_.end() && !yaml::has_yaml_name(name)) {
    return found->second.empty()
               ? base::Result<std::string>(yaml::invalid_node(
                     node, "operator/externals/" + name +
                               " is empty; write it with protoc --include_imports "
                               "--descriptor_set_out"))
               : found->second;
  }
  std::vector<std::string_view> others = {"reflection"};
  for (const auto& [path, text] : files_) {
    if (path.starts_with(kFolder) && !yaml::has_yaml_name(path)) {
      others.push_back(std::string_view(path).substr(kFolder.size()));
    }
  }
  const std::string_view near = base::nearest(name, others);
  return yaml::invalid_node(
      node, "there is no file operator/externals/" + name +
                (near.empty() ? "; name a descriptor set there, or say \"reflection\""
                              : ", did you mean " + go::quote(std::string(near)) + "?"));
}

base::Status FileReader::read_driver(const DocumentNode& node, External& external) {
  CW_TRY(MapReader map, MapReader::open(node));
  const DocumentNode* http = map.find("http");
  const DocumentNode* grpc = map.find("grpc");
  CW_TRY_VOID(map.finish());
  if ((http == nullptr) == (grpc == nullptr)) {
    return yaml::invalid_node(node, "expected either \"http\" or \"grpc\"");
  }
  is_grpc_ = grpc != nullptr;
  if (is_grpc_) {
    CW_TRY(external.driver, read_grpc(*grpc));
  } else {
    CW_TRY(external.driver, read_http(*http));
  }
  return {};
}

// Checks the first word, if it is not a template.
base::Status FileReader::check_call(const DocumentNode& node) const {
  CW_TRY(const std::string text, yaml::document_text(node));
  const std::string first = text.substr(0, std::min(text.find_first_of(" {"), text.size()));
  if (first.empty()) {
    return {};  // A template; or nothing, which the call will say.
  }
  if (is_grpc_) {
    if (text.find("{{") != std::string::npos || is_grpc_method(text)) {
      return {};
    }
    return yaml::invalid_node(
        node, go::quote(text) + " is not a method, such as \"petstore.PetStore/AddPets\"");
  }
  const bool has_path = text.size() > first.size() + 1 && text[first.size()] == ' ' &&
                        (text[first.size() + 1] == '/' || text[first.size() + 1] == '{');
  if (!http_method(first) || !has_path) {
    return yaml::invalid_node(
        node, go::quote(text) +
                  " is not a method (GET, POST, PUT, PATCH, DELETE) and a path, such "
                  "as \"PUT /pets/{{ .id }}\"");
  }
  return {};
}

base::Status FileReader::read_call(MapReader& map, CallTemplate& call) {
  CW_TRY(const DocumentNode* node, map.require("call"));
  CW_TRY(call.call, expression(*node));
  CW_TRY_VOID(check_call(*node));
  CW_TRY(call.body, optional(map, "body"));
  return {};
}

base::Result<std::optional<CallTemplate>> FileReader::optional_call(MapReader& map,
                                                                    std::string_view key) {
  const DocumentNode* node = map.find(key);
  if (node == nullptr) {
    return std::optional<CallTemplate>();
  }
  CallTemplate call;
  CW_TRY(MapReader inner, MapReader::open(*node));
  CW_TRY_VOID(read_call(inner, call));
  CW_TRY_VOID(inner.finish());
  return std::optional<CallTemplate>(std::move(call));
}

base::Status FileReader::read_observe(MapReader& map, External& external) {
  CW_TRY(const DocumentNode* node, map.require("observe"));
  CW_TRY(MapReader inner, MapReader::open(*node));
  CW_TRY_VOID(read_call(inner, external.observe));
  CW_TRY(external.observe.items, optional_path(inner, "items"));
  CW_TRY(external.select, optional(inner, "select"));
  CW_TRY(external.id, with_default(inner, "id", "{{ .item.id }}"));
  CW_TRY_VOID(inner.finish());
  if (external.observe.items && !external.select) {
    return yaml::invalid_node(*node->find("items"),
                              "\"items\" needs \"select\", which tells which one it is");
  }
  return {};
}

base::Status FileReader::read_create(MapReader& map, External& external) {
  CW_TRY(const DocumentNode* node, map.require("create"));
  CW_TRY(MapReader inner, MapReader::open(*node));
  CW_TRY_VOID(read_call(inner, external.create));
  CW_TRY(external.capture, required(inner, "capture"));
  CW_TRY(external.adopt, optional(inner, "adopt"));
  external.keeps_sent = external.adopt && external.adopt->text.find(".sent") != std::string::npos;
  CW_TRY_VOID(inner.finish());
  const DocumentNode* search = map.find("search");
  if (search != nullptr) {
    CW_TRY(MapReader list, MapReader::open(*search));
    CW_TRY_VOID(read_call(list, external.search));
    CW_TRY(external.search.items, optional_path(list, "items"));
    CW_TRY_VOID(list.finish());
    return {};
  }
  external.search = external.observe;
  if (external.adopt && !external.select) {
    return yaml::invalid_node(
        *node->find("adopt"),
        "\"adopt\" needs a list to choose from: \"search\", or \"observe\" with "
        "\"select\"");
  }
  return {};
}

base::Status FileReader::read_settings(MapReader& map, External& external) {
  CW_TRY(external.resync, with_default(map, "resync", "60s"));
  CW_TRY(external.timeout, with_default(map, "timeout", "5s"));
  CW_TRY(external.deletion_policy, with_default(map, "deletionPolicy", "Delete"));
  const auto check = [&map](std::string_view key, const Expression& written,
                            const auto& read) -> base::Status {
    const DocumentNode* node = map.find(key);
    if (node == nullptr || written.parsed || read.ok()) {
      return {};
    }
    return yaml::invalid_node(*node, read.error().message());
  };
  CW_TRY_VOID(check("resync", external.resync, parse_resync(external.resync.text)));
  CW_TRY_VOID(check("timeout", external.timeout, parse_timeout(external.timeout.text)));
  CW_TRY_VOID(check("deletionPolicy", external.deletion_policy,
                    parse_policy(external.deletion_policy.text)));
  return {};
}

base::Result<External> FileReader::read(const DocumentNode& root) {
  External external;
  external.file = file_;
  CW_TRY(MapReader map, MapReader::open(root));
  CW_TRY(const DocumentNode* name, map.require("name"));
  CW_TRY(external.name, yaml::document_string(*name));
  if (!is_name(external.name)) {
    return yaml::invalid_node(
        *name, go::quote(external.name) +
                   " is not a name: a letter, then letters, digits, \"_\" and \"-\", "
                   "at most 63 in all");
  }
  name_ = external.name;
  CW_TRY(const DocumentNode* driver, map.require("driver"));
  CW_TRY_VOID(read_driver(*driver, external));
  CW_TRY_VOID(read_observe(map, external));
  CW_TRY_VOID(read_create(map, external));
  CW_TRY(external.update, optional_call(map, "update"));
  CW_TRY(external.up_to_date, optional(map, "upToDate"));
  CW_TRY(external.remove, optional_call(map, "delete"));
  CW_TRY_VOID(read_settings(map, external));
  CW_TRY_VOID(map.finish());
  if (!external.remove && external.deletion_policy.text != "Orphan") {
    return yaml::invalid_node(
        root,
        "missing key \"delete\"; without it, say \"deletionPolicy: Orphan\": the object "
        "stays when the custom resource is deleted");
  }
  if (const auto* grpc = std::get_if<GrpcDriver>(&external.driver);
      grpc != nullptr && !grpc->descriptors.empty()) {
    CW_TRY_VOID(check_methods(root, grpc->descriptors));
  }
  external.templates = std::move(templates_);
  return external;
}

/// Puts each external after those that it uses.
base::Result<std::vector<External>> sorted_by(const Order& order, std::vector<External> externals) {
  CW_TRY(const std::vector<size_t> positions, order.sorted());
  std::vector<External> sorted;
  for (const size_t position : positions) {
    sorted.push_back(std::move(externals[position]));
    sorted.back().uses = order.uses(position);
  }
  return sorted;
}

/// The externals of a folder as they are read.
struct Reading {
  const std::shared_ptr<const helm::RenderableChart>& chart;
  const OperatorFiles& files;
  const ReadFinder& reads;
  Order order = {};
  std::vector<External> externals = {};

  base::Status read(const std::string& text, const std::string& file) {
    CW_TRY(const DocumentNode root, yaml::parse_document(text, file));
    FileReader reader(chart, files, reads, file);
    CW_TRY(External external, reader.read(root));
    CW_TRY_VOID(order.add(external.name, *root.find("name"), reader.mentions()));
    externals.push_back(std::move(external));
    return {};
  }
};

}  // namespace

std::vector<External> load_externals(const std::shared_ptr<const helm::RenderableChart>& chart,
                                     const OperatorFiles& files, const std::string& folder,
                                     base::Faults& faults) {
  const auto is_external = [](const std::string& path) {
    return path.starts_with(kFolder) && yaml::has_yaml_name(path);
  };
  if (std::ranges::none_of(files, is_external, &OperatorFiles::value_type::first)) {
    return {};
  }
  std::optional<helm::OperatorTemplate> values;
  if (const auto text = files.find("values.yaml"); text != files.end()) {
    values.emplace(chart, folder + text->first, text->second);
  }
  const ReadFinder reads(*chart, values ? &*values : nullptr);
  const size_t before = faults.all().size();
  Reading reading{chart, files, reads};
  for (const auto& [path, text] : files) {
    if (is_external(path)) {
      faults.add(reading.read(text, folder + path));
    }
  }
  if (faults.all().size() > before) {
    return {};  // The others may use these.
  }
  auto sorted = sorted_by(reading.order, std::move(reading.externals));
  if (!sorted.ok()) {
    faults.add(std::move(sorted).error());
    return {};
  }
  return *std::move(sorted);
}

base::Result<std::vector<External>> load_externals(
    const std::shared_ptr<const helm::RenderableChart>& chart, const OperatorFiles& files,
    const std::string& folder) {
  base::Faults faults;
  std::vector<External> externals = load_externals(chart, files, folder, faults);
  CW_TRY_VOID(faults.status());
  return externals;
}

}  // namespace chartwright::external
