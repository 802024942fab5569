{{/* Templates of the parent win over those of its dependencies, wherever they are used. */}}
{{- define "worker.labels" -}}
app: {{ .Chart.Name }}
part-of: {{ .Values.global.domain | quote }}
overridden-by: platform
{{- end }}

{{- define "cache.banner" -}}
banner of the parent for {{ .Chart.Name }} {{ .Chart.Version }}
{{- end }}
