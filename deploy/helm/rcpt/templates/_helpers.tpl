{{- define "rcpt.name" -}}
{{- /* A service named rcpt-smtp would make Kubernetes set RCPT_SMTP_PORT; enableServiceLinks is off as well. */ -}}
{{ .Release.Name | trunc 50 | trimSuffix "-" }}
{{- end }}

{{- define "rcpt.selector" -}}
app.kubernetes.io/name: rcpt
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "rcpt.labels" -}}
{{ include "rcpt.selector" . }}
app.kubernetes.io/version: {{ .Values.image.tag | default .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ .Chart.Name }}-{{ .Chart.Version }}
{{- end }}
