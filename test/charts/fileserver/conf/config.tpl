server {{ .Release.Name }} port {{ .Values.port | default 8080 }};
{{- range tuple "x" "y" }}
location /{{ . }};
{{- end }}
