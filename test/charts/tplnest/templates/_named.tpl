{{- define "tplnest.path" -}}
{{- $name := printf "tplnest.path.%s" .Values.component -}}
{{- include $name . -}}
{{- end -}}
{{- define "tplnest.path.web" -}}web/{{ .Values.base | replace "." "-" }}{{- end -}}
{{- define "tplnest.path.db" -}}db{{- end -}}
{{- define "inner" -}}outer inner {{ . }}{{- end -}}
{{- define "tplnest.deep" -}}
{{- $v := . -}}
{{- $root := $v.root -}}
{{- if kindIs "string" $v.value -}}{{- tpl $v.value $root | toJson -}}
{{- else if kindIs "slice" $v.value -}}[{{- range $i, $e := $v.value }}{{ if $i }},{{ end }}{{ include "tplnest.deep" (dict "value" $e "root" $root) }}{{ end }}]
{{- else if kindIs "map" $v.value -}}{ {{- range $k, $e := $v.value }}{{ tpl $k $root | toJson }}:{{ include "tplnest.deep" (dict "value" $e "root" $root) }},{{ end }} }
{{- else -}}{{- toJson $v.value -}}{{- end -}}
{{- end -}}
