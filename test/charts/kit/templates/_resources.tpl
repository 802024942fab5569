{{/* Requests and limits by the name of a size. Usage: include "kit.resources.preset" "small" */}}
{{- define "kit.resources.preset" -}}
{{- $sizes := dict
  "tiny" (dict "requests" (dict "cpu" "50m" "memory" "64Mi") "limits" (dict "cpu" "100m" "memory" "128Mi"))
  "small" (dict "requests" (dict "cpu" "250m" "memory" "256Mi") "limits" (dict "cpu" "500m" "memory" "512Mi"))
  "large" (dict "requests" (dict "cpu" "1.0" "memory" "2Gi") "limits" (dict "cpu" 2.5 "memory" "4Gi"))
}}
{{- if not (hasKey $sizes .) -}}
{{- fail (printf "there is no size %q: choose one of %s" . (keys $sizes | sortAlpha | join ", ")) -}}
{{- end -}}
{{- get $sizes . | toYaml -}}
{{- end -}}
