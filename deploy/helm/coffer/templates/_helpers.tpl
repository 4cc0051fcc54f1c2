{{- define "coffer.name" -}}
{{- ternary .Release.Name (printf "%s-coffer" .Release.Name) (contains "coffer" .Release.Name) | trunc 50 | trimSuffix "-" -}}
{{- end }}

{{- define "coffer.selector" -}}
app.kubernetes.io/name: coffer
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "coffer.labels" -}}
{{ include "coffer.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
