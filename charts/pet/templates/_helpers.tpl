{{- /* The pet as the store has it, without its id. */ -}}
{{- define "pet.entry" -}}
{{- $types := dict "dog" "PTCanine" "cat" "PTFeline" "bird" "PTBird" "reptile" "PTReptile" -}}
{{- $born := mustToDate "2006-01-02T15:04:05Z07:00" .Values.birthday -}}
name: {{ .Values.name | toJson }}
type: {{ get $types .Values.type }}
birthday:
  year: {{ dateInZone "2006" $born "UTC" | atoi }}
  month: {{ dateInZone "1" $born "UTC" | atoi }}
  day: {{ dateInZone "2" $born "UTC" | atoi }}
{{- end }}
