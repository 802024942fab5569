// SPDX-License-Identifier: Apache-2.0
#include "diagnosis/cause.h"

#include <array>
#include <cstddef>

namespace chartwright::diagnosis {

namespace {

constexpr std::array<std::string_view, 24> kNames = {
    "QuotaExceeded",       "AdmissionDenied", "NodeLost",          "Evicted",
    "SchedulingGated",     "ClaimLost",       "ClaimPending",      "Unschedulable",
    "ImagePull",           "ConfigMissing",   "VolumeFailed",      "SandboxFailed",
    "OutOfMemory",         "PodCrashLooping", "ContainerFailed",   "ProbeFailing",
    "ReadinessGate",       "RevisionStuck",   "JobFailed",         "NoEndpoints",
    "LoadBalancerPending", "ScalingFailed",   "DisruptionBlocked", "ResourceNotReady"};

}  // namespace

std::string_view to_string(Code code) { return kNames.at(static_cast<size_t>(code)); }

std::span<const std::string_view> code_names() { return kNames; }

}  // namespace chartwright::diagnosis
