{{/* What the objects are called. A name of the user's wins; 63 bytes are what DNS labels may have. */}}
{{- define "kit.dns" -}}
{{- . | trunc 63 | trimAll "-." -}}
{{- end -}}

{{- define "kit.names.name" -}}
{{- include "kit.dns" (.Values.nameOverride | default .Chart.Name) -}}
{{- end -}}

{{- define "kit.names.chart" -}}
{{- include "kit.dns" (print .Chart.Name "-" (.Chart.Version | replace "+" "_")) -}}
{{- end -}}

{{- define "kit.names.fullname" -}}
{{- with .Values.fullnameOverride -}}
{{- include "kit.dns" . -}}
{{- else -}}
{{- $own := include "kit.names.name" . -}}
{{- $release := regexReplaceAll `[^a-z\d-]+` (lower .Release.Name) "-" -}}
{{- ternary $release (print $release "-" $own) (contains $own $release) | include "kit.dns" -}}
{{- end -}}
{{- end -}}

{{/*
Full name of a dependency, seen from its parent.
Usage: include "kit.names.dependency" (dict "of" "db" "values" .Values.db "root" $)
*/}}
{{- define "kit.names.dependency" -}}
{{- $scope := dict "Values" (.values | default dict) "Chart" (dict "Name" .of) "Release" .root.Release -}}
{{- include "kit.names.fullname" $scope -}}
{{- end -}}

{{- define "kit.names.namespace" -}}
{{- coalesce .Values.namespaceOverride .Release.Namespace | include "kit.dns" -}}
{{- end -}}
