{{- define "shop.name" -}}
{{- required "a name is needed" .Values.name | default "x" -}}
{{- end -}}
