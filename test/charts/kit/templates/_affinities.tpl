{{/* "soft" or "hard" rules for nodes. Usage: include "kit.affinity.nodes" (dict "type" "soft" "key" "zone" "in" (list "a")) */}}
{{- define "kit.affinity.nodes" -}}
{{- $match := dict "matchExpressions" (list (dict "key" .key "operator" "In" "values" (toStrings .in))) -}}
{{- if eq .type "hard" -}}
requiredDuringSchedulingIgnoredDuringExecution:
  nodeSelectorTerms:
    {{- list $match | toYaml | nindent 4 }}
{{- else if eq .type "soft" -}}
preferredDuringSchedulingIgnoredDuringExecution:
  - weight: 1
    preference:
      {{- toYaml $match | nindent 6 }}
{{- end -}}
{{- end -}}

{{- define "kit.affinity.podTerm" -}}
topologyKey: {{ .topologyKey | default "kubernetes.io/hostname" }}
labelSelector:
  matchLabels:
    {{- include "kit.labels.selector" .root | nindent 4 }}
    {{- with .component }}
    {{ printf "app.kubernetes.io/component: %s" . }}
    {{- end }}
    {{- range $name, $value := .labels }}
    {{ $name }}: {{ quote $value }}
    {{- end }}
{{- end -}}

{{/* "soft" or "hard" rules for pods. Usage: include "kit.affinity.pods" (dict "type" "soft" "root" $ ["component" "x" "labels" (dict)]) */}}
{{- define "kit.affinity.pods" -}}
{{- if eq .type "hard" -}}
requiredDuringSchedulingIgnoredDuringExecution:
  - {{ include "kit.affinity.podTerm" . | indent 4 | trim }}
{{- else if eq .type "soft" -}}
preferredDuringSchedulingIgnoredDuringExecution:
  - weight: 1
    podAffinityTerm:
      {{- include "kit.affinity.podTerm" . | nindent 6 }}
{{- end -}}
{{- end -}}
