{{- define "memstore.fullname" -}}
{{- printf "%s-%s" .Release.Name "memstore" | trunc 24 | trimSuffix "-" -}}
{{- end -}}
{{- define "name" -}}name of memstore{{- end -}}
