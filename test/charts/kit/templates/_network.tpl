{{- define "kit.storageClass" -}}
{{- with coalesce ((.root.Values.global).defaultStorageClass) .of.storageClass "" -}}
storageClassName: {{ if ne . "-" }}{{ . }}{{ else }}""{{ end }}
{{- end -}}
{{- end -}}

{{/* The backend of an ingress rule, in the form of the API version at hand. */}}
{{- define "kit.ingress.backend" -}}
{{- if hasSuffix "/v1" (include "kit.apiVersion.ingress" .root) -}}
{{- $key := has (kindOf .port) (list "string") | ternary "name" "number" -}}
{{- dict "service" (dict "name" .service "port" (dict $key (eq $key "name" | ternary .port (int .port)))) | toYaml -}}
{{- else -}}
serviceName: {{ .service }}
servicePort: {{ .port }}
{{- end -}}
{{- end -}}

{{/* Fails once, with the messages of all checks. */}}
{{- define "kit.validate" -}}
{{- with without .messages "" -}}
{{- printf "\nthe values cannot be used:\n%s" (join "\n" .) | fail -}}
{{- end -}}
{{- end -}}
