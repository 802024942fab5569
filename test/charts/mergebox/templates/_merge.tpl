{{/* The settings of a service: its own over the defaults. */}}
{{- define "mergebox.settings" -}}
{{- $own := get .root.Values.services .name | deepCopy -}}
{{- mergeOverwrite (deepCopy .root.Values.defaults) $own | toYaml -}}
{{- end -}}
