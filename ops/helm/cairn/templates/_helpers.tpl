{{- define "cairn.name" -}}
{{- if contains .Chart.Name .Release.Name }}{{ .Release.Name }}{{ else }}{{ .Release.Name }}-{{ .Chart.Name }}{{ end -}}
{{- end }}

{{- define "cairn.selector" -}}
app.kubernetes.io/name: {{ .Chart.Name }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "cairn.labels" -}}
{{ include "cairn.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}

{{/* Why two pods would not find each other's exports; empty where they do. */}}
{{- define "cairn.checkExports" -}}
{{- if not (or .Values.data.existingClaim .Values.secretFiles.CAIRN_EXPORT_STORE .Values.settings.CAIRN_EXPORT_STORE) }}
{{- required "Pods must share the files of exports: set secretFiles.CAIRN_EXPORT_STORE to a Secret with an s3:// URL, or data.existingClaim to a claim that many can write" nil }}
{{- end }}
{{- end }}
