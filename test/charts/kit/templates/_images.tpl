{{/*
Registry, repository, and tag or digest; a registry in the global values wins.
Usage: include "kit.image" (dict "of" .Values.image "root" $)
*/}}
{{- define "kit.image" -}}
{{- $version := .of.tag | default .root.Chart.AppVersion | toString | printf ":%s" -}}
{{- with .of.digest -}}{{- $version = printf "@%s" . -}}{{- end -}}
{{- coalesce ((.root.Values.global).imageRegistry) .of.registry "" | list .of.repository | reverse | compact | join "/" -}}
{{- $version -}}
{{- end -}}

{{/* Pull secrets of the global section and of the images: names or maps with a name, rendered, each once. */}}
{{- define "kit.image.pullSecrets" -}}
{{- $given := concat ((.root.Values.global).imagePullSecrets | default list) -}}
{{- range .images -}}{{- $given = concat $given (.pullSecrets | default list) -}}{{- end -}}
{{- $names := list -}}
{{- range $given -}}
  {{- $names = append $names (include "kit.render" (dict "value" (kindIs "map" . | ternary (get (kindIs "map" . | ternary . dict) "name") .) "root" $.root)) -}}
{{- end -}}
{{- with uniq $names -}}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end -}}
{{- end -}}

{{/* Major, minor and patch of a tag that is a version, else the chart's. */}}
{{- define "kit.image.version" -}}
{{- $tag := toString .of.tag -}}
{{- if regexMatch `^v?\d+(\.\d+){0,2}([-+][0-9A-Za-z.+-]+)?$` $tag -}}
{{- with semver $tag }}{{ printf "%d.%d.%d" .Major .Minor .Patch }}{{ end -}}
{{- else -}}
{{- .root.Chart.AppVersion -}}
{{- end -}}
{{- end -}}
