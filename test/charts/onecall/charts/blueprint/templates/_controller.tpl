{{- define "blueprint.controller" -}}
---
apiVersion: apps/v1
kind: {{ .Kind }}
metadata:
  name: {{ include "blueprint.fullname" . }}
  {{- with .Values.controller.annotations }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- if eq .Kind "Deployment" }}
  replicas: {{ .Values.controller.replicas }}
  {{- $strategy := default "Recreate" .Values.controller.strategy }}
  {{- if not (has $strategy (list "Recreate" "RollingUpdate")) }}
    {{- fail (printf "controller.strategy: there is no %s" $strategy) }}
  {{- end }}
  strategy: {type: {{ $strategy }}}
  {{- end }}
  template:
    spec:
      {{- include "blueprint.pod" . | nindent 6 }}
{{- end -}}

{{- define "blueprint.pod" -}}
containers:
  - name: {{ include "blueprint.fullname" . }}
    image: {{ printf "%s:%s" .Values.image.repository (default .Chart.AppVersion .Values.image.tag) | quote }}
    imagePullPolicy: {{ .Values.image.pullPolicy }}
    {{- with .Values.securityContext }}
    securityContext: {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- with .Values.env }}
    env:
      {{- get (fromYaml (include "blueprint.env" $)) "env" | toYaml | nindent 6 }}
    {{- end }}
    {{- include "blueprint.probes" . | trim | nindent 4 }}
    {{- with (include "blueprint.mounts" . | trim) }}
    volumeMounts:
      {{- nindent 6 . }}
    {{- end }}
{{- with (include "blueprint.volumes" . | trim) }}
volumes:
  {{- nindent 2 . }}
{{- end }}
{{- end -}}

{{- define "blueprint.env" -}}
{{- $all := list -}}
{{- range $key, $value := .Values.env -}}
  {{- if kindIs "map" $value -}}
    {{- $all = append $all (merge (dict "name" $key) $value) -}}
  {{- else if kindIs "string" $value -}}
    {{- $all = append $all (dict "name" $key "value" (tpl $value $)) -}}
  {{- else if or (kindIs "float64" $value) (kindIs "bool" $value) -}}
    {{- $all = append $all (dict "name" $key "value" ($value | toString)) -}}
  {{- else if kindIs "int64" $value -}}
    {{- $all = append $all (dict "name" $key "value" ($value | quote | trimAll "\"")) -}}
  {{- end -}}
{{- end -}}
{{- dict "env" $all | toYaml -}}
{{- end -}}

{{- define "blueprint.probes" -}}
{{- $port := "http" -}}
{{- range $name, $probe := .Values.probes }}
{{- if $probe.enabled }}
{{ $name }}Probe:
  {{- if not $probe.custom }}
  {{- toYaml (merge (dict "tcpSocket" (dict "port" $port)) $probe.spec) | nindent 2 }}
  {{- else }}
  {{- toYaml $probe.spec | nindent 2 }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "blueprint.mounts" -}}
{{- range $index, $item := .Values.persistence }}
{{- $path := printf "/%v" $index }}
{{- with $item.mountPath }}{{ $path = . }}{{ end }}
{{- if and $item.enabled (ne $path "-") }}
- mountPath: {{ $path }}
  name: {{ $index }}
  {{- with $item.readOnly }}
  readOnly: {{ . }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "blueprint.volumes" -}}
{{- range $index, $item := .Values.persistence }}
{{- if $item.enabled }}
- name: {{ $index }}
{{- if eq (default "pvc" $item.type) "pvc" }}
  persistentVolumeClaim: {claimName: {{ $item.existingClaim | default (printf "%s-%s" (include "blueprint.fullname" $) $index) }}}
{{- else if eq $item.type "emptyDir" }}
  emptyDir: {{ with $item.medium }}{medium: {{ . }}}{{ else }}{}{{ end }}
{{- else if eq $item.type "hostPath" }}
  hostPath: {path: {{ required "a hostPath is needed" $item.hostPath }}}
{{- else }}
  {{- fail (printf "persistence: there is no type %s" $item.type) }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}
