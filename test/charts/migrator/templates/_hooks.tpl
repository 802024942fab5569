{{- define "migrator.hook" -}}
"helm.sh/hook": {{ .on | quote }}
"helm.sh/hook-weight": {{ .weight | default 0 | toString | quote }}
{{- with .root.Values.hookAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "migrator.job" -}}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .root.Release.Name }}-{{ .name }}
  annotations:
    {{- include "migrator.hook" . | nindent 4 }}
spec:
  backoffLimit: {{ .backoffLimit | default 6 }}
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: {{ .name }}
          image: {{ .image | default "migrate:5" | quote }}
          args: {{ .args | toJson }}
{{- end -}}
