{{/* Puts the library's values under the chart's own, in place, for all files that follow. */}}
{{- define "blueprint.setup" -}}
{{- if .Values.blueprint -}}
  {{- $defaults := deepCopy .Values.blueprint -}}
  {{- $own := deepCopy (omit .Values "blueprint") -}}
  {{- $merged := mustMergeOverwrite $defaults $own -}}
  {{- $_ := set . "Values" (deepCopy $merged) -}}
{{- end -}}
{{- end -}}

{{- define "blueprint.fullname" -}}
{{- $name := .Values.nameOverride | default .Chart.Name -}}
{{- if contains $name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ $name }}{{ end -}}
{{- end -}}

{{- define "blueprint.labels" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "blueprint.notes" -}}
{{- range $name, $s := .Values.service }}{{ $name }}: {{ $s.type }}
{{ end -}}
{{- end -}}
