{{- define "gateway.fullname" -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}{{ .Release.Name }}{{ else }}{{ printf "%s-%s" .Release.Name $name | trunc 63 | trimSuffix "-" }}{{ end -}}
{{- end -}}

{{- define "gateway.digest" -}}
{{- if and .chroot .digestChroot }}{{ printf "@%s" .digestChroot }}{{ else if .digest }}{{ printf "@%s" .digest }}{{ end -}}
{{- end -}}

{{- define "gateway.params" -}}
- /gateway
{{- if .Values.defaultBackend.enabled }}
- --default-backend-service=$(POD_NAMESPACE)/{{ include "gateway.fullname" . }}-defaultbackend
{{- end }}
{{- if and .Values.controller.publishService.enabled .Values.controller.service.enabled }}
- --publish-service={{ .Values.controller.publishService.pathOverride | default (printf "$(POD_NAMESPACE)/%s" (include "gateway.fullname" .)) }}
{{- end }}
- --controller-class={{ .Values.controller.ingressClassResource.controllerValue }}
{{- range $proto := list "tcp" "udp" }}
{{- if index $.Values $proto }}
- --{{ $proto }}-services-configmap=$(POD_NAMESPACE)/{{ include "gateway.fullname" $ }}-{{ $proto }}
{{- end }}
{{- end }}
{{- range $key, $value := .Values.controller.extraArgs }}
{{- /* An empty value makes a flag of the key; quote adds two bytes. */}}
{{- if le ($value | quote | len) 2 }}
- --{{ $key }}
{{- else }}
- --{{ $key }}={{ $value }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "gateway.pod" -}}
metadata:
  labels: {app: {{ include "gateway.fullname" . }}}
spec:
  containers:
    - name: controller
      {{- with .Values.controller.image }}
      image: {{ if .repository }}{{ .repository }}{{ else }}{{ .registry }}/{{ .image }}{{ if .chroot }}-chroot{{ end }}{{ end }}:{{ .tag }}{{ include "gateway.digest" . }}
      {{- end }}
      {{- if .Values.controller.lifecycle }}
      lifecycle: {{ toYaml .Values.controller.lifecycle | nindent 8 }}
      {{- end }}
      args: {{ include "gateway.params" . | nindent 8 }}
      ports:
      {{- range $key, $value := .Values.controller.containerPort }}
        - name: {{ $key }}
          containerPort: {{ $value }}
          {{- if $.Values.controller.hostPort.enabled }}
          hostPort: {{ index $.Values.controller.hostPort.ports $key | default $value }}
          {{- end }}
      {{- end }}
      {{- range $proto := list "tcp" "udp" }}
      {{- range $key, $value := index $.Values $proto }}
        - name: {{ if $.Values.portNamePrefix }}{{ $.Values.portNamePrefix }}-{{ end }}{{ $key }}-{{ $proto }}
          containerPort: {{ $key }}
          protocol: {{ upper $proto }}
      {{- end }}
      {{- end }}
  {{- with .Values.controller.tolerations }}
  tolerations: {{ toYaml . | nindent 4 }}
  {{- end }}
{{- end -}}
