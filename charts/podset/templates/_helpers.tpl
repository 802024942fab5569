{{/*
The PodSet's name as a label value, at most 63 bytes.
*/}}
{{- define "podset.app" -}}
{{- $name := .Release.Name -}}
{{- if le (len $name) 63 -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" (trunc 54 $name) ($name | sha256sum | trunc 8) -}}
{{- end -}}
{{- end -}}
