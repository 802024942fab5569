{{- define "lookups.secretData" -}}
{{- $object := lookup "v1" "Secret" .Release.Namespace (.Values.credentials.secretName | default .Release.Name) -}}
{{- if and $object (hasKey $object "data") -}}
{{- index $object.data "password" -}}
{{- else -}}
{{- printf "%s:%s" .Release.Name .Values.credentials.user | sha256sum | trunc 20 | b64enc -}}
{{- end -}}
{{- end -}}

{{- define "lookups.guard" -}}
{{- if not (has .Values.mode (list "single" "cluster")) -}}
{{- fail (printf "mode must be single or cluster, not %q" .Values.mode) -}}
{{- end -}}
{{- if eq .Values.mode "cluster" -}}
{{- $count := len .Values.nodes -}}
{{- if or (lt $count 3) (eq (mod $count 2) 0) -}}
{{- printf "a cluster has an odd number of nodes, at least 3: there are %d" $count | fail -}}
{{- end -}}
{{- range $i, $node := .Values.nodes -}}
{{- $_ := required (printf "nodes[%d].host is needed" $i) $node.host -}}
{{- end -}}
{{- end -}}
{{- end -}}
