{{- define "netguard.ports" -}}
{{- range . }}
- port: {{ .port }}
  protocol: {{ .protocol | default "TCP" }}
  {{- with .endPort }}
  endPort: {{ . }}
  {{- end }}
{{- end }}
{{- end -}}

{{- define "netguard.peers" -}}
{{- range .from }}
- namespaceSelector: {matchLabels: {kubernetes.io/metadata.name: {{ . }}}}
{{- end }}
{{- with .to }}
{{ toYaml . }}
{{- end }}
{{- range $i, $cidr := .cidrs }}
- ipBlock:
    cidr: {{ $cidr }}
    {{- if eq $i 0 }}
    except: [{{ regexReplaceAll "\\.0/8$" $cidr ".1/32" }}]
    {{- end }}
{{- end }}
{{- end -}}

{{- define "netguard.subject" -}}
{{- $parts := splitList ":" . -}}
{{- if eq (first $parts) "group" -}}
kind: Group
name: {{ last $parts }}
apiGroup: rbac.authorization.k8s.io
{{- else if eq (first $parts) "sa" -}}
{{- $sa := splitn "/" 2 (last $parts) -}}
kind: ServiceAccount
name: {{ $sa._1 }}
namespace: {{ $sa._0 }}
{{- else -}}
kind: User
name: {{ . | quote }}
apiGroup: rbac.authorization.k8s.io
{{- end -}}
{{- end -}}
