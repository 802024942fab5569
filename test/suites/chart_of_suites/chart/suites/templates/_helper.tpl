{{ define "suites.of" }}{{ .Release.Name }} in {{ .Release.Namespace }}{{ end }}
