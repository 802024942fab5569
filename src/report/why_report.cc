// SPDX-License-Identifier: Apache-2.0
#include "report/why_report.h"

#include <algorithm>

#include "base/printable.h"
#include "base/strings.h"
#include "report/summary.h"
#include "report/table.h"

namespace chartwright::cmd {
namespace {

using diagnosis::Cause;
using diagnosis::Code;
using value::Value;

Value text_value(const std::string& text) { return Value::string(text); }

std::string in_namespace(const std::string& ns) { return ns.empty() ? "" : " --namespace " + ns; }

/// Returns "kubectl VERB pod web-1 --namespace shop".
std::string kubectl(const std::string& verb, const kube::ObjectRef& ref) {
  const std::string group = ref.gvk.group.empty() ? "" : "." + ref.gvk.group;
  return "kubectl " + verb + " " + base::to_lower_ascii(ref.gvk.kind) + group + " " + ref.name +
         in_namespace(ref.ns);
}

std::string describe(const kube::ObjectRef& ref) { return kubectl("describe", ref); }

std::string logs(const kube::ObjectRef& pod, std::string_view flags) {
  return "kubectl logs " + pod.name + in_namespace(pod.ns) + std::string(flags);
}

/// Returns what to do about a problem of the custom resource itself; "" if its message says it.
std::string advice_on(const Summary& summary) {
  const std::string of = name_text(summary.ref) + in_namespace(summary.ref.ns);
  const std::string& reason = summary.problem->reason;
  if (reason == "Paused") {
    return "chartwright resume " + of;
  }
  if (reason == "RolledBack") {
    return "chartwright rollback " + of + " --end, once the spec or the chart is corrected";
  }
  if (reason == "Drifted") {
    return "undo the change, or have it repaired: " + kubectl("annotate", summary.ref) +
           " --overwrite chartwright.io/drift=repair";
  }
  if (reason == "NotReconciled") {
    return "see whether its operator runs, and which namespaces and labels it watches";
  }
  if (reason == "Stalled" || reason == "Irreconcilable") {
    return "change the spec, the chart or the rights of the operator, as the message says";
  }
  return "";
}

std::string since_text(const std::string& since, base::WallTime now) {
  const std::string age = age_text(since, now);
  return age.empty() ? "" : ", since " + age;
}

std::string head_of(const Summary& summary, base::WallTime now) {
  std::string text = summary.ref.to_string() + ": ";
  if (!summary.problem) {
    return text + "ready, in revision " + std::to_string(summary.revision) + "\n";
  }
  const Problem& problem = *summary.problem;
  text += problem.reason + since_text(problem.since, now) + "\n";
  text += problem.message.empty() ? "" : indented(problem.message, "  ");
  const std::string advice = advice_on(summary);
  return text + (advice.empty() ? "" : "→ " + advice + "\n");
}

/// Returns the links from the child to the cause, each in a line, with the warnings below it.
/// Leaves out what the line before has said.
std::string links_of(const Cause& cause) {
  std::string text;
  for (const diagnosis::Link& link : cause.chain) {
    if (link.says != cause.details) {
      text += "  " + link.object.to_string() + (link.says.empty() ? "" : ": " + link.says) + "\n";
    }
    for (const std::string& warning : link.warnings) {
      text += warning == link.says ? "" : "    ! " + warning + "\n";
    }
  }
  return text;
}

std::string paragraph_of(const ChildReport& child) {
  const std::string name = child.ref.to_string();
  if (!child.error.empty()) {
    return name + ": " + child.state + "\n  it cannot be read: " + child.error + "\n";
  }
  if (child.finding.causes.empty()) {
    std::string text = name + ": " + child.state + ", and nothing says why\n";
    for (const std::string& gap : child.finding.gaps) {
      text += "  " + gap + "\n";
    }
    return text + "→ " + describe(child.ref) + "\n";
  }
  const Cause& worst = child.finding.causes.front();
  std::string text = name + ": " + worst.details + "\n" + links_of(worst);
  for (size_t i = 1; i < child.finding.causes.size(); ++i) {
    text += "  also: " + child.finding.causes[i].details + "\n";
  }
  for (const std::string& gap : child.finding.gaps) {
    text += "  " + gap + "\n";
  }
  return text + "→ " + advice_for(worst) + "\n";
}

Value value_of(const kube::ObjectRef& ref) {
  return Value::dict({{"apiVersion", text_value(ref.gvk.api_version())},
                      {"kind", text_value(ref.gvk.kind)},
                      {"namespace", text_value(ref.ns)},
                      {"name", text_value(ref.name)}});
}

Value texts_of(const std::vector<std::string>& texts) {
  std::vector<Value> items;
  std::ranges::transform(texts, std::back_inserter(items), text_value);
  return Value::list(std::move(items));
}

Value value_of(const Cause& cause) {
  std::vector<Value> links;
  for (const diagnosis::Link& link : cause.chain) {
    links.push_back(Value::dict({{"object", value_of(link.object)},
                                 {"says", text_value(link.says)},
                                 {"warnings", texts_of(link.warnings)}}));
  }
  return Value::dict({{"reason", Value::string(to_string(cause.code))},
                      {"message", text_value(cause.details)},
                      {"object", value_of(cause.object)},
                      {"advice", text_value(advice_for(cause))},
                      {"chain", Value::list(std::move(links))}});
}

}  // namespace

std::vector<ChildReport> unready_children(const Value& cr) {
  std::vector<ChildReport> children;
  for (const Value& item : cr.items_at({"status", "resources"})) {
    const std::string_view state = item.string_at({"state"});
    const bool is_named = !item.string_at({"kind"}).empty() && !item.string_at({"name"}).empty();
    if (state.empty() || state == "Ready" || !is_named) {
      continue;  // Without a name, all objects of the kind would be read.
    }
    const auto text = [&item](std::string_view key) {
      return base::printable(item.string_at({key}));
    };
    children.push_back(
        {{{text("group"), text("version"), text("kind")}, text("namespace"), text("name")},
         base::printable(state),
         {},
         ""});
  }
  return children;
}

std::string advice_for(const Cause& cause) {
  switch (cause.code) {
    case Code::kQuotaExceeded:
      return "lower what the pods request, or raise the quota: kubectl describe quota" +
             in_namespace(cause.object.ns);
    case Code::kAdmissionDenied:
      return "change what is refused in the spec or the chart, or the policy that refuses it";
    case Code::kNodeLost:
    case Code::kEvicted:
      return "see the state of the node: " + describe(cause.object);
    case Code::kSchedulingGated:
      return "open the gate in spec.schedulingGates, or see who is to open it";
    case Code::kUnschedulable:
      return "make room on the nodes, or change what the pod asks of them";
    case Code::kImagePull:
      return "correct the name of the image, or the credentials of its registry (imagePullSecrets)";
    case Code::kConfigMissing:
      return "create what is missing, or name another one in the spec";
    case Code::kOutOfMemory:
      return "raise the memory limit of the container, or lower what it uses";
    case Code::kPodCrashLooping:
    case Code::kContainerFailed:
      return logs(cause.object, " --all-containers --previous");
    case Code::kProbeFailing:
      return logs(cause.object, " --all-containers");
    case Code::kRevisionStuck:
      return "kubectl delete pod " + cause.object.name + in_namespace(cause.object.ns) +
             ", once its revision is corrected";
    case Code::kNoEndpoints:
      return "compare the selector of the Service with the labels of the pods";
    case Code::kLoadBalancerPending:
      return "see whether this cluster has a controller that gives addresses";
    case Code::kClaimLost:
    case Code::kClaimPending:
    case Code::kVolumeFailed:
    case Code::kSandboxFailed:
    case Code::kReadinessGate:
    case Code::kJobFailed:
    case Code::kScalingFailed:
    case Code::kDisruptionBlocked:
    case Code::kResourceNotReady:
      break;
  }
  return describe(cause.object);
}

std::string text_of(const WhyReport& report, base::WallTime now) {
  std::string text = head_of(report.summary, now);
  for (const ChildReport& child : report.children) {
    text += "\n" + paragraph_of(child);
  }
  if (report.more > 0) {
    text += "\n" + std::to_string(report.more) + " more children are not ready.\n";
  }
  return text;
}

Value to_value(const WhyReport& report) {
  std::vector<Value> children;
  for (const ChildReport& child : report.children) {
    std::vector<Value> causes;
    for (const Cause& cause : child.finding.causes) {
      causes.push_back(value_of(cause));
    }
    Value item = value_of(child.ref);
    item.mutable_dict().set("state", text_value(child.state));
    item.mutable_dict().set("causes", Value::list(std::move(causes)));
    item.mutable_dict().set("gaps", texts_of(child.finding.gaps));
    if (!child.error.empty()) {
      item.mutable_dict().set("error", text_value(child.error));
    }
    children.push_back(std::move(item));
  }
  Value value = to_value(report.summary);
  value.mutable_dict().set("children", Value::list(std::move(children)));
  value.mutable_dict().set("moreChildren", Value::integer(static_cast<int64_t>(report.more)));
  return value;
}

}  // namespace chartwright::cmd
