{{/* Labels by which pods of a role are found: (dict "root" $ "role" "api"). */}}
{{- define "anneal.labels" -}}
app.kubernetes.io/name: anneal
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .role }}
{{- end }}

{{- define "anneal.image" -}}
{{- with .Values.image -}}
{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}
{{- end -}}
{{- end }}

{{/* The Deployment, PodDisruptionBudget and, where it may grow, HorizontalPodAutoscaler of a role. */}}
{{- define "anneal.role" -}}
{{- $root := .root }}
{{- $values := .values }}
{{- $name := printf "%s-%s" $root.Release.Name .role }}
apiVersion: apps/v1
kind: Deployment
metadata:
  name: {{ $name }}
  labels: {{- include "anneal.labels" . | nindent 4 }}
    app.kubernetes.io/version: {{ $root.Chart.AppVersion | quote }}
spec:
  {{- if not $values.maxReplicas }}
  replicas: {{ $values.replicas }}
  {{- end }}
  # A new process must be ready before an old one ends.
  strategy: { type: RollingUpdate, rollingUpdate: { maxSurge: 1, maxUnavailable: 0 } }
  selector:
    matchLabels: {{- include "anneal.labels" . | nindent 6 }}
  template:
    metadata:
      labels: {{- include "anneal.labels" . | nindent 8 }}
    spec:
      # Else a Service called anneal-metrics would give every container an ANNEAL_METRICS_PORT that is no port.
      enableServiceLinks: false
      automountServiceAccountToken: false
      terminationGracePeriodSeconds: 45
      {{- with $root.Values.imagePullSecrets }}
      imagePullSecrets: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.nodeSelector }}
      nodeSelector: {{- toYaml . | nindent 8 }}
      {{- end }}
      {{- with $root.Values.tolerations }}
      tolerations: {{- toYaml . | nindent 8 }}
      {{- end }}
      topologySpreadConstraints:
        - maxSkew: 1
          topologyKey: kubernetes.io/hostname
          whenUnsatisfiable: ScheduleAnyway
          labelSelector:
            matchLabels: {{- include "anneal.labels" . | nindent 14 }}
      securityContext:
        runAsNonRoot: true
        runAsUser: 1000
        runAsGroup: 1000
        fsGroup: 1000
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: {{ .role }}
          image: {{ include "anneal.image" $root | quote }}
          imagePullPolicy: {{ $root.Values.image.pullPolicy }}
          args: [{{ .role }}]
          securityContext:
            allowPrivilegeEscalation: false
            readOnlyRootFilesystem: true
            capabilities: { drop: [ALL] }
          envFrom:
            - secretRef: { name: {{ $root.Values.existingSecret | quote }} }
          env:
            - { name: ANNEAL_METRICS_PORT, value: {{ $root.Values.metricsPort | quote }} }
            - { name: ANNEAL_METRICS_HOST, value: 0.0.0.0 }
            {{- range $setting, $value := $root.Values.settings }}
            - { name: {{ $setting }}, value: {{ $value | quote }} }
            {{- end }}
          ports:
            - { name: http, containerPort: 8080 }
            - { name: metrics, containerPort: {{ $root.Values.metricsPort }} }
          startupProbe: { httpGet: { path: /health/live, port: http }, periodSeconds: 2, failureThreshold: 45 }
          livenessProbe: { httpGet: { path: /health/live, port: http }, periodSeconds: 10, timeoutSeconds: 3 }
          readinessProbe: { httpGet: { path: /health/ready, port: http }, periodSeconds: 5, timeoutSeconds: 5 }
          {{- if eq .role "api" }}
          # It serves until no Service sends it requests any more.
          lifecycle: { preStop: { exec: { command: [sleep, '8'] } } }
          {{- end }}
          resources: {{- toYaml $values.resources | nindent 12 }}
          volumeMounts:
            - { name: data, mountPath: /data }
            - { name: tmp, mountPath: /tmp }
      volumes:
        - { name: data, emptyDir: { sizeLimit: {{ $root.Values.dataSize }} } }
        - { name: tmp, emptyDir: { sizeLimit: {{ $root.Values.dataSize }} } }
---
apiVersion: policy/v1
kind: PodDisruptionBudget
metadata:
  name: {{ $name }}
  labels: {{- include "anneal.labels" . | nindent 4 }}
spec:
  maxUnavailable: 1
  selector:
    matchLabels: {{- include "anneal.labels" . | nindent 6 }}
{{- if $values.maxReplicas }}
---
apiVersion: autoscaling/v2
kind: HorizontalPodAutoscaler
metadata:
  name: {{ $name }}
  labels: {{- include "anneal.labels" . | nindent 4 }}
spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: {{ $name }} }
  minReplicas: {{ $values.replicas }}
  maxReplicas: {{ $values.maxReplicas }}
  # Attempts and streams that run are let end: processes go one at a time.
  behavior: { scaleDown: { policies: [{ type: Pods, value: 1, periodSeconds: 300 }] } }
  metrics:
    {{- if $values.targetWaiting }}
    - type: External
      external:
        metric: { name: anneal_work_waiting }
        target: { type: AverageValue, averageValue: {{ $values.targetWaiting | quote }} }
    {{- else }}
    - type: Resource
      resource: { name: cpu, target: { type: Utilization, averageUtilization: {{ $values.targetCpu | default 70 }} } }
    {{- end }}
{{- end }}
{{- end }}
