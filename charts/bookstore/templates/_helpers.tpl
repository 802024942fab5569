{{/*
The prefix of all object names. A Service's name is a DNS label, and the pods of a StatefulSet carry its name
and a hash in a label of 63 bytes; so a release name that does not fit is shortened, made legal and kept
unique by a hash.
*/}}
{{- define "bookstore.fullname" -}}
{{- $name := .Release.Name -}}
{{- if and (le (len $name) 44) (regexMatch "^[a-z][-a-z0-9]*$" $name) -}}
{{- $name -}}
{{- else -}}
{{- printf "bs-%s-%s" ($name | replace "." "-" | trunc 30 | trimSuffix "-") ($name | sha256sum | trunc 8) -}}
{{- end -}}
{{- end -}}

{{- define "bookstore.mongodb" -}}
{{- include "bookstore.fullname" . -}}-mongodb
{{- end -}}

{{/*
The release as a label value, at most 63 bytes.
*/}}
{{- define "bookstore.instance" -}}
{{- $name := .Release.Name -}}
{{- if le (len $name) 63 -}}
{{- $name -}}
{{- else -}}
{{- printf "%s-%s" (trunc 54 $name) ($name | sha256sum | trunc 8) -}}
{{- end -}}
{{- end -}}

{{/*
Selector labels of one half: (dict "root" . "component" NAME). They include the release, so two BookStores in
one namespace never select each other's pods. The claims of the StatefulSet inherit them.
*/}}
{{- define "bookstore.selectorLabels" -}}
app.kubernetes.io/name: bookstore
app.kubernetes.io/instance: {{ include "bookstore.instance" .root | quote }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{- define "bookstore.labels" -}}
{{ include "bookstore.selectorLabels" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- end -}}
