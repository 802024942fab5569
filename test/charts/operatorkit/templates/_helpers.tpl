{{- define "operatorkit.sa" -}}
{{- ternary (default (printf "%s-operator" .Release.Name) .Values.serviceAccount.name) (default "default" .Values.serviceAccount.name) .Values.serviceAccount.create -}}
{{- end -}}

{{- define "operatorkit.kind" -}}
{{- $prefix := eq .Values.rbac.scope "cluster" | ternary "Cluster" "" -}}
{{- printf "%s%s" $prefix .what -}}
{{- end -}}

{{/* The rules of all objects that the operator owns, by group. */}}
{{- define "operatorkit.rules" -}}
{{- $owned := dict "" (list "pods" "secrets" "events") "apps" (list "deployments" "statefulsets") "kit.example.com" (list "widgets" "gadgets") }}
{{- range $group, $resources := $owned }}
- apiGroups: [{{ $group | quote }}]
  resources:
  {{- range $resources | sortAlpha }}
  - {{ . }}
  {{- if eq $group "kit.example.com" }}
  - {{ printf "%s/status" . }}
  - {{ print . "/finalizers" }}
  {{- end }}
  {{- end }}
  verbs: {{ ternary (list "*") (list "get" "list" "watch" "create" "patch") (eq $group "kit.example.com") | toJson }}
{{- end }}
{{- end -}}
