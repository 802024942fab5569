// SPDX-License-Identifier: Apache-2.0
#include "helm/render/manifest.h"

#include <algorithm>
#include <array>
#include <climits>

#include "base/strings.h"
#include "go/path.h"
#include "go/quote.h"
#include "helm/render/simple_head.h"
#include "helm/version/log_line.h"
#include "tmpl/output_trace.h"

namespace chartwright::helm {
namespace {

constexpr std::string_view kHookAnnotation = "helm.sh/hook";
constexpr std::string_view kWeightAnnotation = "helm.sh/hook-weight";
constexpr std::string_view kDeleteAnnotation = "helm.sh/hook-delete-policy";
constexpr std::string_view kOutputLogAnnotation = "helm.sh/hook-output-log-policy";

constexpr std::array kInstallOrder = {
    "PriorityClass",
    "Namespace",
    "NetworkPolicy",
    "ResourceQuota",
    "LimitRange",
    "PodSecurityPolicy",
    "PodDisruptionBudget",
    "ServiceAccount",
    "Secret",
    "SecretList",
    "ConfigMap",
    "StorageClass",
    "PersistentVolume",
    "PersistentVolumeClaim",
    "CustomResourceDefinition",
    "ClusterRole",
    "ClusterRoleList",
    "ClusterRoleBinding",
    "ClusterRoleBindingList",
    "Role",
    "RoleList",
    "RoleBinding",
    "RoleBindingList",
    "Service",
    "DaemonSet",
    "Pod",
    "ReplicationController",
    "ReplicaSet",
    "Deployment",
    "HorizontalPodAutoscaler",
    "StatefulSet",
    "Job",
    "CronJob",
    "IngressClass",
    "Ingress",
    "APIService",
};
constexpr int kUnknownRank = static_cast<int>(kInstallOrder.size());

constexpr std::array kEvents = {"pre-install",  "post-install",  "pre-delete",
                                "post-delete",  "pre-upgrade",   "post-upgrade",
                                "pre-rollback", "post-rollback", "test"};

bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

/// A match of `(?:^|\s*\n)---\s*`; `begin` is npos if there is none.
struct Separator {
  size_t begin = std::string_view::npos;
  size_t end = 0;
};

Separator find_separator(std::string_view text, size_t from) {
  for (size_t at = text.find("---", from); at != std::string_view::npos;
       at = text.find("---", at + 1)) {
    if (at != 0 && (at == from || text[at - 1] != '\n')) {
      continue;  // the newline before it is missing or belongs to the previous separator
    }
    Separator found{at, at + 3};
    while (found.begin > from && is_space(text[found.begin - 1])) {
      --found.begin;
    }
    while (found.end < text.size() && is_space(text[found.end])) {
      ++found.end;
    }
    return found;
  }
  return {};
}

std::vector<std::string> annotation_list(const Head& head, std::string_view annotation) {
  std::vector<std::string> values;
  if (const std::string* text = head.annotation(annotation)) {
    for (std::string_view part : base::split(*text, ',')) {
      values.push_back(base::to_lower_ascii(base::trim(part)));
    }
  }
  return values;
}

/// Adds the document as a hook, or a warning if it names an unknown event.
void add_hook(const std::string& path, const std::string& content, const Head& head,
              const Profile& profile, SortedManifests& into) {
  Hook hook{path, content, head.kind, head.name, {}, 0, {}, {}};
  for (std::string& event : annotation_list(head, kHookAnnotation)) {
    if (event == "test-success") {
      event = "test";
    }
    if (std::find(kEvents.begin(), kEvents.end(), event) == kEvents.end()) {
      const std::string& events = *head.annotation(kHookAnnotation);
      into.warnings.push_back(
          log_line({{"manifest_sorter.go", 199, 199},
                    "info: skipping unknown hook: " + go::quote(events),
                    {{"INFO", "skipping unknown hooks", {{"hookTypes", events}}}}},
                   profile));
      return;
    }
    hook.events.push_back(std::move(event));
  }
  if (const std::string* weight = head.annotation(kWeightAnnotation)) {
    const int64_t number = base::parse_int(*weight).value_or(0);
    hook.weight = number < INT_MIN || number > INT_MAX ? 0 : static_cast<int>(number);
  }
  hook.delete_policies = annotation_list(head, kDeleteAnnotation);
  hook.output_log_policies = annotation_list(head, kOutputLogAnnotation);
  into.hooks.push_back(std::move(hook));
}

/// Rewords an error in document `index` of a file, with its position from the start of the file.
base::Error in_file(base::Error error, const std::string& path, std::string_view text,
                    const std::vector<std::string>& documents, size_t index) {
  std::optional<base::SourcePos> pos = error.pos();
  error = std::move(error).wrap("YAML parse error on " + path);
  if (!pos || pos->line <= 0) {
    return error;
  }
  size_t start = 0;
  for (size_t i = 0; i <= index; ++i) {
    start = text.find(documents[i], start + (i > 0 ? documents[i - 1].size() : 0));
  }
  const base::SourcePos first = tmpl::source_pos(path, text, start);
  if (pos->line == 1 && pos->column > 0) {
    pos->column += first.column - 1;
  }
  return std::move(error).at({path, pos->line + first.line - 1, pos->column});
}

/// Reports whether a block scalar, whose lines are indented, may extend to the end of the document.
bool may_end_in_block(const std::string& document) {
  const size_t end = document.find_last_not_of(" \t\r\n");
  if (end == std::string::npos) {
    return false;
  }
  const size_t line = document.rfind('\n', end) + 1;  // 0 in the first line.
  // Two searches for one character each are much faster than one search for both.
  return (document[line] == ' ' || document[line] == '\t') &&
         (document.find('|') != std::string::npos || document.find('>') != std::string::npos);
}

// Reports whether a string of the head ends in a newline, as one from a block scalar does.
bool has_line_end(const Head& head) {
  const auto ends = [](std::string_view text) { return text.ends_with('\n'); };
  const bool annotated = head.annotations.is_dict() &&
                         std::any_of(head.annotations.as_dict().begin(),
                                     head.annotations.as_dict().end(), [&ends](const auto& one) {
                                       return ends(one.first) || ends(one.second.as_string());
                                     });
  return annotated || ends(head.api_version) || ends(head.kind) || ends(head.name);
}

/// Reads the head of a document from its text alone, as Helm does. Reads the object from the text
/// and a newline, as Helm applies it from the manifest. The two differ only if a block scalar
/// extends to the end of the document, as it then contains that newline.
base::Result<Head> read_document(const std::string& document, const Profile& profile) {
  if (!may_end_in_block(document)) {
    return parse_head(document, profile);
  }
  auto applied = parse_head(document + "\n", profile);
  if (applied.ok() && !has_line_end(*applied)) {
    return applied;
  }
  CW_TRY(Head head, parse_head(document, profile));
  CW_TRY(Head with_line_end, std::move(applied));
  head.document = std::move(with_line_end.document);
  return head;
}

base::Status sort_file(const std::string& path, std::string_view text, const Profile& profile,
                       SortedManifests& into) {
  std::vector<std::string> documents = split_manifests(text, profile.split);
  for (size_t i = 0; i < documents.size(); ++i) {
    std::string& document = documents[i];
    auto head = read_document(document, profile);
    if (!head.ok()) {
      return in_file(std::move(head).error(), path, text, split_manifests(text, profile.split), i);
    }
    if (head->annotation(kHookAnnotation) != nullptr) {
      add_hook(path, document, *head, profile, into);
    } else {
      into.manifests.push_back({path, std::move(document), head->api_version, head->kind,
                                head->name, std::move(head->document)});
    }
  }
  return {};
}

/// Orders known kinds by rank, followed by unknown ones by name.
class KindOrder {
 public:
  explicit KindOrder(WebhookRule webhooks) : webhooks_(webhooks) {}

  template <typename Document>
  bool operator()(const Document& a, const Document& b) const {
    const int rank_a = rank(a.kind);
    const int rank_b = rank(b.kind);
    return rank_a != rank_b ? rank_a < rank_b : rank_a == kLast && a.kind < b.kind;
  }

 private:
  static constexpr int kLast = kUnknownRank + 2;
  int rank(std::string_view kind) const {
    const int known = install_rank(kind);
    if (known != kUnknownRank) {
      return known;
    }
    if (webhooks_ == WebhookRule::kLast && kind == "MutatingWebhookConfiguration") {
      return kUnknownRank;
    }
    const bool is_validating = kind == "ValidatingWebhookConfiguration";
    return webhooks_ == WebhookRule::kLast && is_validating ? kUnknownRank + 1 : kLast;
  }

  WebhookRule webhooks_;
};

/// Splits at `(?m)^---[ \t]*` and trims only the start of each document.
std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> documents;
  const auto add = [&documents](std::string_view piece) {
    if (const std::string_view trimmed = base::trim(piece); !trimmed.empty()) {
      documents.emplace_back(piece.substr(static_cast<size_t>(trimmed.data() - piece.data())));
    }
  };
  size_t start = 0;
  for (size_t at = text.find("---"); at != std::string_view::npos; at = text.find("---", at + 1)) {
    if (at >= start && (at == 0 || text[at - 1] == '\n')) {
      add(text.substr(start, at - start));
      start = std::min(text.find_first_not_of(" \t", at + 3), text.size());
    }
  }
  add(text.substr(start));
  return documents;
}

}  // namespace

bool Hook::has_event(std::string_view event) const {
  return std::find(events.begin(), events.end(), event) != events.end();
}

std::vector<std::string> split_manifests(std::string_view text, SplitRule rule) {
  if (rule == SplitRule::kLines) {
    const std::string_view trimmed = base::trim(text);
    return split_lines(text.substr(static_cast<size_t>(trimmed.data() - text.data())));
  }
  text = base::trim(text);
  std::vector<std::string> documents;
  size_t start = 0;
  while (true) {
    const Separator separator = find_separator(text, start);
    const std::string_view piece =
        text.substr(start, separator.begin == std::string_view::npos ? separator.begin
                                                                     : separator.begin - start);
    if (!piece.empty()) {
      documents.emplace_back(base::trim(piece));
    }
    if (separator.begin == std::string_view::npos) {
      return documents;
    }
    start = separator.end;
  }
}

base::Result<SortedManifests> sort_manifests(const std::map<std::string, std::string>& files,
                                             const Profile& profile) {
  SortedManifests sorted;
  for (const auto& [path, text] : files) {
    if (go::base_name(path).front() == '_' || base::trim(text).empty()) {
      continue;
    }
    CW_TRY_VOID(sort_file(path, text, profile, sorted));
  }
  std::stable_sort(sorted.hooks.begin(), sorted.hooks.end(), KindOrder(profile.webhooks));
  std::stable_sort(sorted.manifests.begin(), sorted.manifests.end(), KindOrder(profile.webhooks));
  return sorted;
}

int install_rank(std::string_view kind) {
  const auto* found = std::find(kInstallOrder.begin(), kInstallOrder.end(), kind);
  return static_cast<int>(found - kInstallOrder.begin());
}

int uninstall_rank(std::string_view kind) {
  // This is the reverse of install order, except that a Service follows the ingress classes.
  const int rank = install_rank(kind);
  if (rank == kUnknownRank) {
    return rank;
  }
  const int after_ingress_class = kUnknownRank - install_rank("IngressClass");
  if (kind == "Service") {
    return after_ingress_class;
  }
  const int reversed = kUnknownRank - 1 - rank;
  const bool shifted = reversed >= after_ingress_class && rank > install_rank("Service");
  return shifted ? reversed + 1 : reversed;
}

}  // namespace chartwright::helm
