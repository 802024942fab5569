{{- define "looper.count" -}}
{{- if gt (int .n) 0 -}}
{{- .n }}{{ template "looper.count" (dict "n" (sub .n 1)) -}}
{{- else }}!{{ end -}}
{{- end -}}
{{- define "looper.tree" -}}
{{- range $k, $v := . }}
{{ $k }}:{{ if kindIs "map" $v }}{{ include "looper.tree" $v | indent 2 }}{{ else if kindIs "slice" $v }}{{ range $v }}
  - {{ . }}{{ end }}{{ else }} {{ $v }}{{ end }}
{{- end }}
{{- end -}}
