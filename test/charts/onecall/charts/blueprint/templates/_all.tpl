{{- define "blueprint.all" -}}
  {{- if eq .Values.controller.type "deployment" -}}
    {{- include "blueprint.controller" (merge (dict "Kind" "Deployment") .) | nindent 0 -}}
  {{- else if eq .Values.controller.type "daemonset" -}}
    {{- include "blueprint.controller" (merge (dict "Kind" "DaemonSet") .) | nindent 0 -}}
  {{- else -}}
    {{- fail (printf "controller.type: %q is neither deployment nor daemonset" .Values.controller.type) -}}
  {{- end -}}
  {{ include "blueprint.services" . | nindent 0 }}
  {{ include "blueprint.claims" . | nindent 0 }}
  {{ include "blueprint.ingresses" . | nindent 0 }}
{{- end -}}

{{- define "blueprint.services" -}}
{{- range $name, $service := .Values.service }}
{{- if ne (toString $service.enabled) "false" }}
{{- $values := $service }}
{{- if and (not $service.nameOverride) (not $service.primary) }}
{{- $_ := set $values "nameOverride" $name }}
{{- end }}
{{- $_ := set $ "ObjectValues" (dict "service" $values) }}
{{- include "blueprint.service" $ }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "blueprint.service" -}}
{{- $name := include "blueprint.fullname" . -}}
{{- $values := .Values.service.main -}}
{{- with .ObjectValues.service }}{{ $values = . }}{{ end -}}
{{- with $values.nameOverride }}{{ $name = printf "%s-%s" $name . }}{{ end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ $name }}
  labels:
    {{- include "blueprint.labels" $ | nindent 4 }}
spec:
  type: {{ $values.type | default "ClusterIP" }}
  ports:
  {{- range $port, $p := $values.ports }}
  {{- if ne (toString $p.enabled) "false" }}
  - port: {{ $p.port }}
    targetPort: {{ $p.targetPort | default $port }}
    {{- if has ($p.protocol | default "TCP") (list "HTTP" "HTTPS" "TCP") }}
    protocol: TCP
    {{- else }}
    protocol: {{ $p.protocol }}
    {{- end }}
    name: {{ $port }}
  {{- end }}
  {{- end }}
{{- end -}}

{{- define "blueprint.claims" -}}
{{- range $index, $claim := .Values.persistence }}
{{- if and $claim.enabled (eq (default "pvc" $claim.type) "pvc") (not $claim.existingClaim) }}
---
apiVersion: v1
kind: PersistentVolumeClaim
metadata:
  name: {{ include "blueprint.fullname" $ }}-{{ $index }}
spec:
  accessModes: [{{ required (printf "persistence.%s.accessMode is needed" $index) ($claim.accessMode | default "ReadWriteOnce") | quote }}]
  resources:
    requests:
      storage: {{ required (printf "persistence.%s.size is needed" $index) $claim.size | quote }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "blueprint.ingresses" -}}
{{- range $name, $ingress := .Values.ingress }}
{{- if $ingress.enabled }}
---
apiVersion: networking.k8s.io/v1
kind: Ingress
metadata:
  name: {{ include "blueprint.fullname" $ }}{{ if ne $name "main" }}-{{ $name }}{{ end }}
spec:
  rules:
  {{- range $ingress.hosts }}
  - host: {{ tpl .host $ | quote }}
    http:
      paths:
      {{- range .paths }}
      {{- $service := include "blueprint.fullname" $ }}
      {{- $port := 0 }}
      {{- range $p := $.Values.service.main.ports }}{{ if $p.primary }}{{ $port = $p.port }}{{ end }}{{ end }}
      {{- with .service }}{{ $service = default $service .name }}{{ $port = default $port .port }}{{ end }}
      - path: {{ tpl .path $ | quote }}
        backend: {service: {name: {{ $service }}, port: {number: {{ $port }}}}}
      {{- end }}
  {{- end }}
{{- end }}
{{- end }}
{{- end -}}
