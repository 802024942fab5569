{{- define "snippet" }}{{ .label }} {{ .Values.base }}{{ end -}}
{{ include "snippet" . | title }}
