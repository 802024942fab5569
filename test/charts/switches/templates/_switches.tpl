{{- define "switches.cronjob" -}}
{{- if .Capabilities.APIVersions.Has "batch/v1/CronJob" -}}batch/v1
{{- else if .Capabilities.APIVersions.Has "batch/v1beta1" -}}batch/v1beta1
{{- else -}}batch/v2alpha1{{- end -}}
{{- end -}}

{{- define "switches.distribution" -}}
{{- $v := .Capabilities.KubeVersion.Version -}}
{{- if regexMatch "-gke\\." $v }}gke{{ else if contains "-eks-" $v }}eks{{ else if contains "+k3s" $v }}k3s{{ else }}plain{{ end -}}
{{- end -}}

{{- define "switches.flag" -}}
{{- if semverCompare .range $.version }}yes{{ else }}no{{ end -}}
{{- end -}}
