/** The texts of the playground's examples. */

export const CART = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: cart
  namespace: shop
spec:
  replicas: 2
  selector:
    matchLabels:
      app: cart
  template:
    metadata:
      labels:
        app: cart
        version: v1
    spec:
      containers:
      - name: cart
        image: shop/cart:1.4.2
        ports:
        - name: http
          containerPort: 8080
`;

export const PROBES = `apiVersion: v1
kind: Pod
metadata:
  name: orders
  labels:
    app: orders
  annotations:
    prometheus.io/scrape: "true"
    prometheus.io/port: "9102"
    prometheus.io/path: /internal/metrics
    sidecar.istio.io/proxyCPU: 50m
spec:
  containers:
  - name: orders
    image: shop/orders:2.0.1
    ports:
    - containerPort: 8080
    - containerPort: 5432
    readinessProbe:
      httpGet:
        path: /ready
        port: 8080
    livenessProbe:
      tcpSocket:
        port: 5432
      periodSeconds: 20
    startupProbe:
      grpc:
        port: 8081
`;

export const NATIVE = `apiVersion: batch/v1
kind: Job
metadata:
  name: report
spec:
  template:
    metadata:
      annotations:
        sidecar.istio.io/nativeSidecar: "true"
    spec:
      restartPolicy: Never
      initContainers:
      - name: fetch
        image: shop/fetch:1.0.0
      containers:
      - name: report
        image: shop/report:3.1.0
        command: [report, --since=yesterday]
`;

export const GATEWAY = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: ingress
  namespace: edge
spec:
  selector:
    matchLabels:
      istio: ingress
  template:
    metadata:
      annotations:
        inject.istio.io/templates: gateway
      labels:
        istio: ingress
        sidecar.istio.io/inject: "true"
    spec:
      containers:
      - name: istio-proxy
        image: auto
        ports:
        - containerPort: 8443
`;

export const SEVERAL = `# What holds no pods passes through as it is.
apiVersion: v1
kind: Service
metadata:
  name: search
spec:
  selector:
    app: search
  ports:
  - port: 80
    targetPort: 8080
---
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: search
spec:
  serviceName: search
  selector:
    matchLabels:
      app: search
  template:
    metadata:
      labels:
        app: search
    spec:
      containers:
      - name: search
        image: shop/search:5.0.0
---
apiVersion: batch/v1
kind: CronJob
metadata:
  name: reindex
spec:
  schedule: "0 3 * * *"
  jobTemplate:
    spec:
      template:
        metadata:
          labels:
            sidecar.istio.io/inject: "false"
        spec:
          restartPolicy: OnFailure
          containers:
          - name: reindex
            image: shop/search:5.0.0
`;

export const HOST_NETWORK = `apiVersion: apps/v1
kind: DaemonSet
metadata:
  name: node-agent
spec:
  selector:
    matchLabels:
      app: node-agent
  template:
    metadata:
      labels:
        app: node-agent
        sidecar.istio.io/inject: "true"
    spec:
      hostNetwork: true
      containers:
      - name: agent
        image: ops/agent:1.9.0
`;

export const MISPLACED = `apiVersion: apps/v1
kind: Deployment
metadata:
  name: billing
  labels:
    sidecar.istio.io/inject: "true"
spec:
  selector:
    matchLabels:
      app: billing
  template:
    metadata:
      labels:
        app: billing
    spec:
      containers:
      - name: billing
        image: shop/billing:7.2.0
`;

export const BARE_POD = `apiVersion: v1
kind: Pod
metadata:
  name: web
  labels:
    app: web
spec:
  containers:
  - name: web
    image: nginx:1.29
`;

export const OWN_TEMPLATE = `policy: enabled
defaultTemplates: [proxy, debug]
templates:
  proxy: |
    spec:
      containers:
      - name: proxy
        image: {{ .Values.global.hub }}/proxyv2:{{ .Values.global.tag }}
        args: ["--app", {{ index .ObjectMeta.Labels "app" | quote }}]
        {{- with .Values.global.proxy.resources }}
        resources:
          {{- toYaml . | nindent 10 }}
        {{- end }}
  debug: |
    metadata:
      annotations:
        debug.example.com/rendered-for: {{ .DeploymentMeta.Name | quote }}
    spec:
      containers:
      - name: proxy
        env:
        - name: LOG_LEVEL
          value: {{ .Values.global.proxy.logLevel }}
`;

export const BROKEN_TEMPLATE = `policy: enabled
templates:
  sidecar: |
    spec:
      containers:
      - name: istio-proxy
        image: {{ .Values.global.hub }}/proxyv2:{{ .Values.global.tag }}
        resources:
          limits:
            cpu: {{ .Values.global.proxy.resources.limits.cpu.amount }}
`;

export const OLD_POD = `apiVersion: v1
kind: Pod
metadata:
  name: ledger
  labels:
    app: ledger
  annotations:
    traffic.sidecar.istio.io/includeOutboundIPRanges: 10.0.0.0/8
spec:
  containers:
  - name: ledger
    image: bank/ledger:0.9.0
    ports:
    - containerPort: 9000
`;
