{{- define "queues.peers" -}}
{{- $peers := list -}}
{{- range $i := until (int .Values.replicas) -}}
{{- $peers = append $peers (printf "%d@%s-%d.%s-headless.%s.svc.%s:%d" (add $i 1) $.Release.Name $i $.Release.Name $.Release.Namespace $.Values.clusterDomain (int (index $.Values.listeners 1).port)) -}}
{{- end -}}
{{- join "," $peers -}}
{{- end -}}

{{- define "queues.listeners" -}}
{{- range $i, $l := .Values.listeners -}}
{{- if $i }},{{ end }}{{ upper $l.name }}://{{ .host | default "" }}:{{ $l.port }}
{{- end -}}
{{- end -}}

{{/* Mi of a quantity of Mi or Gi. */}}
{{- define "queues.mebibytes" -}}
{{- $n := regexFind "^[0-9.]+" . | float64 -}}
{{- if hasSuffix "Gi" . -}}{{ mulf $n 1024 | int }}
{{- else if hasSuffix "Mi" . -}}{{ $n | int }}
{{- else -}}{{ fail (printf "no quantity: %s" .) }}{{- end -}}
{{- end -}}

{{- define "queues.probe" -}}
{{- if .tcp -}}
tcpSocket: {port: {{ .tcp }}}
{{- else if .command -}}
exec:
  command: {{ tpl (toYaml .command) .root | nindent 4 }}
{{- end -}}
{{- end -}}

{{- define "queues.properties" -}}
{{- range $line := .Values.config | trim | splitList "\n" -}}
{{- $line := trim $line -}}
{{- if and $line (not (hasPrefix "#" $line)) -}}
{{- $kv := splitn "=" 2 $line -}}
{{- if not (hasKey $.Values.override $kv._0) }}
{{ $kv._0 }}={{ $kv._1 }}
{{- end -}}
{{- end -}}
{{- end -}}
{{- range $k, $v := .Values.override }}
{{ $k }}={{ if kindIs "slice" $v }}{{ join ";" $v }}{{ else }}{{ $v | toString }}{{ end }}
{{- end -}}
{{- end -}}
