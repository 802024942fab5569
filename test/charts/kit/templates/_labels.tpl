{{/*
Labels of every object; those of the user win and may hold templates.
Usage: include "kit.labels.standard" $ or include "kit.labels.standard" (dict "extra" .Values.commonLabels "root" $)
*/}}
{{- define "kit.labels.standard" -}}
{{- if hasKey . "root" -}}
{{- include "kit.render.merged" (dict "values" (list .extra (include "kit.labels.standard" .root)) "root" .root) -}}
{{- else -}}
helm.sh/chart: {{ include "kit.names.chart" . }}
{{ include "kit.labels.selector" . }}
{{- with .Chart.AppVersion }}
app.kubernetes.io/version: {{ replace "+" "_" . | quote }}
{{- end }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
{{- end -}}
{{- end -}}

{{/* What selectors may use: never the version, and of the user's labels only name and instance. */}}
{{- define "kit.labels.selector" -}}
{{- if hasKey . "root" -}}
{{- $own := include "kit.labels.selector" .root | fromYaml -}}
{{- $given := include "kit.render" (dict "value" .extra "root" .root) | fromYaml -}}
{{- range $key, $_ := $own -}}
  {{- if hasKey $given $key -}}{{- $_ := get $given $key | set $own $key -}}{{- end -}}
{{- end -}}
{{- toYaml $own -}}
{{- else -}}
app.kubernetes.io/name: {{ include "kit.names.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
{{- end -}}
