{{- define "webshop.image" -}}
{{ include "kit.image" (dict "of" .Values.image "root" $) }}
{{- end -}}

{{- define "webshop.imagePullSecrets" -}}
{{- include "kit.image.pullSecrets" (dict "images" (list .Values.image) "root" $) -}}
{{- end -}}

{{- define "webshop.validateValues" -}}
{{- $messages := list -}}
{{- $messages := append $messages (include "webshop.validateValues.name" .) -}}
{{- $messages := append $messages (include "webshop.validateValues.replicas" .) -}}
{{- include "kit.validate" (dict "messages" $messages) -}}
{{- end -}}

{{- define "webshop.validateValues.name" -}}
{{- if not .Values.shopName -}}
webshop: shopName
    A shop needs a name: --set shopName=...
{{- end -}}
{{- end -}}

{{- define "webshop.validateValues.replicas" -}}
{{- $n := int .Values.replicaCount -}}
{{- if and (gt $n 1) .Values.persistence.enabled (not (has "ReadWriteMany" .Values.persistence.accessModes)) (gt $n 5) -}}
webshop: replicaCount
    {{ $n }} replicas cannot share a volume of access mode {{ first .Values.persistence.accessModes }}
{{- end -}}
{{- end -}}
