{{- define "kit.kubeVersion" -}}
{{- coalesce ((.Values.global).kubeVersion) .Values.kubeVersion .Capabilities.KubeVersion.Version -}}
{{- end -}}

{{/*
The first API version of a table whose constraint the server's version meets.
Usage: include "kit.apiVersion.pick" (dict "table" (list (list "<1.14-0" "a/v1beta1") (list "*" "a/v1")) "root" $)
*/}}
{{- define "kit.apiVersion.pick" -}}
{{- $version := include "kit.kubeVersion" .root -}}
{{- range .table -}}
  {{- if or (eq (first .) "*") (semverCompare (first .) $version) -}}
    {{- last . -}}
    {{- break -}}
  {{- end -}}
{{- end -}}
{{- end -}}

{{- define "kit.apiVersion.ingress" -}}
{{- with (.Values.ingress).apiVersion -}}
{{- . -}}
{{- else -}}
{{- $table := list (list "<1.14-0" "extensions/v1beta1") (list "<1.19-0" "networking.k8s.io/v1beta1") (list "*" "networking.k8s.io/v1") -}}
{{- include "kit.apiVersion.pick" (dict "table" $table "root" .) -}}
{{- end -}}
{{- end -}}

{{- define "kit.apiVersion.disruption" -}}
{{- include "kit.apiVersion.pick" (dict "table" (list (list "<1.21-0" "policy/v1beta1") (list "*" "policy/v1")) "root" .) -}}
{{- end -}}

{{- define "kit.apiVersion.autoscaler" -}}
{{- $old := printf "autoscaling/v2beta%d" (ternary 2 1 .newMetrics) -}}
{{- include "kit.apiVersion.pick" (dict "table" (list (list "<1.23-0" $old) (list "*" "autoscaling/v2")) "root" .root) -}}
{{- end -}}

{{/* Text where the server has pod security policies, else nothing. */}}
{{- define "kit.supports.podSecurityPolicy" -}}
{{- if or (.Capabilities.APIVersions.Has "policy/v1beta1/PodSecurityPolicy") (semverCompare "<1.25-0" (include "kit.kubeVersion" .)) }}yes{{ end -}}
{{- end -}}
