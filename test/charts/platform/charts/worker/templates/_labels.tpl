{{- define "worker.labels" -}}
app: worker
{{- end }}
