{{- define "casc.url" -}}
http://{{ .Release.Name }}.{{ .Release.Namespace }}.svc.cluster.local:{{ .Values.controller.servicePort }}{{ default "/" .Values.controller.urlPrefix }}
{{- end -}}

{{- define "casc.agent" -}}
{{- $agent := .agent -}}
- name: {{ .name | quote }}
  id: {{ sha256sum (toYaml $agent) }}
  image: "{{ $agent.image.repository }}:{{ $agent.image.tag }}"
  idleMinutes: {{ $agent.idleMinutes | default 0 }}
  {{- with $agent.resources }}
  resourceLimitCpu: {{ .limits.cpu | quote }}
  {{- end }}
  envVars:
  {{- range $index, $var := $agent.envVars }}
    - envVar: {key: {{ $var.name | quote }}, value: {{ tpl $var.value $.root | quote }}}
  {{- end }}
  {{- if $agent.yaml }}
  yaml: |-
    {{ tpl (trim $agent.yaml) .root | nindent 4 | trim }}
  yamlMergeStrategy: override
  {{- end }}
{{- end -}}

{{- define "casc.defaults" -}}
{{- $configuration := `
server:
  mode: NORMAL
` | trim -}}
{{ $configuration }}
  numExecutors: {{ .Values.controller.numExecutors }}
  {{- if .Values.controller.csrf.enabled }}
  crumbIssuer:
    standard:
      excludeClientIPFromCrumb: {{ if .Values.controller.csrf.proxy }}true{{- else }}false{{- end }}
  {{- end }}
  securityRealm: {{ tpl .Values.controller.casc.securityRealm . | nindent 4 }}
  clouds:
  - kubernetes:
      url: {{ include "casc.url" . | quote }}
      templates:
      {{- range $name, $agent := .Values.agents }}
      {{- $full := $agent }}
      {{- with $agent.inherit }}
      {{- $full = merge (omit $agent "inherit") (deepCopy (get $.Values.agents .)) }}
      {{- end }}
      {{- include "casc.agent" (dict "name" $name "agent" $full "root" $) | nindent 6 }}
      {{- end }}
security:
{{- with .Values.controller.casc }}
{{- if .security }}
  {{- toYaml .security | nindent 2 }}
{{- end }}
{{- end }}
{{- end -}}
