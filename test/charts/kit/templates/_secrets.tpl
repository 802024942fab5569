{{/* The value at a dotted path, as text. Usage: include "kit.value" (dict "path" "auth.password" "root" $) */}}
{{- define "kit.value" -}}
{{- $here := .root.Values -}}
{{- range $step := splitList "." .path -}}
  {{- if not (kindIs "map" $here) -}}
    {{- fail (printf "nothing can be at %q: %q has no parent table" $.path $step) -}}
  {{- end -}}
  {{- $here = index $here $step -}}
{{- end -}}
{{- with $here }}{{ toString . }}{{ end -}}
{{- end -}}

{{/* The first path of a list at which there is a value, else the first of all. */}}
{{- define "kit.value.firstPath" -}}
{{- $found := "" -}}
{{- range .paths -}}
  {{- if include "kit.value" (dict "path" . "root" $.root) -}}{{- $found = . -}}{{- break -}}{{- end -}}
{{- end -}}
{{- $found | default (first .paths) -}}
{{- end -}}

{{- define "kit.env.name" -}}
{{- list .prefix .name | compact | join "_" | upper | replace "-" "_" | replace "." "_" -}}
{{- end -}}

{{/* A checksum that changes only with the data of another template of the chart. */}}
{{- define "kit.checksum" -}}
{{- $object := include (print .root.Template.BasePath "/" .file) .root | fromYaml -}}
{{- pick $object "data" "stringData" "spec" | toYaml | sha256sum -}}
{{- end -}}

{{/* A secret that the user has, by name or as a map, else the chart's own. */}}
{{- define "kit.secret.name" -}}
{{- $own := list (include "kit.names.fullname" .root) .suffix | compact | join "-" | include "kit.dns" -}}
{{- if kindIs "map" .existing -}}
{{- .existing.name | default $own -}}
{{- else -}}
{{- .existing | default $own -}}
{{- end -}}
{{- end -}}

{{/* A password: what the cluster has, else what the user gives, else one derived from fixed inputs. */}}
{{- define "kit.secret.password" -}}
{{- $live := lookup "v1" "Secret" (include "kit.names.namespace" .root) .secret -}}
{{- $given := include "kit.value" (dict "root" .root "path" (include "kit.value.firstPath" (dict "paths" .paths "root" .root))) -}}
{{- $derived := derivePassword 1 "long" .secret .key (include "kit.names.fullname" .root) -}}
{{- coalesce (dig "data" .key "" $live) (b64enc $given) (b64enc $derived) | quote -}}
{{- end -}}
