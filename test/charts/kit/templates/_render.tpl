{{/*
The text of a value that may hold templates at any depth. With "scope", its templates see that as $.Scope.
Usage: include "kit.render" (dict "value" .Values.any "root" $ ["scope" .])
*/}}
{{- define "kit.render" -}}
{{- $text := .value -}}
{{- if not (kindIs "string" $text) -}}{{- $text = toYaml $text -}}{{- end -}}
{{- if not (contains "{{" $text) -}}
{{- $text -}}
{{- else if hasKey . "scope" -}}
{{- tpl (printf "{{- with $.Scope -}}%s{{- end -}}" $text) (merge (dict "Scope" .scope) .root) -}}
{{- else -}}
{{- tpl $text .root -}}
{{- end -}}
{{- end -}}

{{/* Renders all of "values" and merges them, the first one winning. */}}
{{- define "kit.render.merged" -}}
{{- $all := dict -}}
{{- range .values -}}
{{- $all = merge $all (include "kit.render" (dict "value" . "root" $.root) | fromYaml) -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}

{{/* The same with the last one winning. */}}
{{- define "kit.render.overlaid" -}}
{{- $all := dict -}}
{{- range .values -}}
{{- $all = include "kit.render" (dict "value" . "root" $.root) | fromYaml | mergeOverwrite $all -}}
{{- end -}}
{{- toYaml $all -}}
{{- end -}}
