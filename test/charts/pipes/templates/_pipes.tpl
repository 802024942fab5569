{{- define "pipes.rule" -}}
{{- if regexMatch "^[a-z.]+$" .tag -}}
match {{ .tag }}
{{- else if regexMatch "<[a-z]+>" .tag -}}
match {{ regexReplaceAll "<([a-z]+)>" .tag "${${1}}" }} ({{ regexFindAll "<[a-z]+>" .tag -1 | join " " }})
{{- else -}}
match *
{{- end -}}
{{- end -}}
