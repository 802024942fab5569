{{- define "cache.address" -}}
{{ .Release.Name }}-{{ .Chart.Name }}.{{ .Release.Namespace }}.svc:{{ default 6379 .Values.port }}
{{- end }}
{{- define "cache.banner" -}}
the cache's own banner
{{- end }}
