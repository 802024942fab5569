{{- define "sqlstore.primary.fullname" -}}
{{- $full := include "kit.names.fullname" . -}}
{{- ternary (printf "%s-primary" $full | trunc 63 | trimSuffix "-") $full (eq .Values.architecture "replication") -}}
{{- end -}}

{{- define "sqlstore.secretName" -}}
{{- with .Values.auth.existingSecret }}{{ tpl . $ }}{{ else }}{{ include "kit.names.fullname" . }}{{ end -}}
{{- end -}}

{{- define "sqlstore.database" -}}
{{- tpl (required "auth.database is needed" .Values.auth.database) . | trunc 63 -}}
{{- end -}}

{{/* true, or nothing: helpers give text, and only empty text is false. */}}
{{- define "sqlstore.replicated" -}}
{{- if eq .Values.architecture "replication" }}{{ true }}{{ end -}}
{{- end -}}

{{- define "sqlstore.claim" -}}
- apiVersion: v1
  kind: PersistentVolumeClaim
  metadata:
    name: data
  spec:
    accessModes:
    {{- range .persistence.accessModes }}
    - {{ . | quote }}
    {{- end }}
    {{- with .persistence.selector }}
    selector: {{- toYaml . | nindent 6 }}
    {{- end }}
    resources:
      requests:
        storage: {{ .persistence.size | quote }}
    {{- include "kit.storageClass" (dict "of" .persistence "root" .root) | nindent 4 }}
{{- end -}}

{{- define "sqlstore.conf" -}}
{{- range $key, $value := .Values.settings }}
{{- if kindIs "bool" $value }}
{{ $key }} = {{ ternary "on" "off" $value }}
{{- else if kindIs "float64" $value }}
{{ $key }} = {{ if eq (floor $value) $value }}{{ int64 $value }}{{ else }}{{ $value }}{{ end }}
{{- else }}
{{ $key }} = '{{ $value }}'
{{- end }}
{{- end }}
{{- end -}}
