/**
 * Facts of the messages behind Istio's mesh config: what MeshConfig and ProxyConfig hold.
 *
 * Made by tests/config/make_mesh_table.ts from the shared schema file: run that, don't edit this.
 *
 * One message an entry: its name, then its fields in declaration order, each `json:type`. The Go
 * name is the JSON name with a capital.
 *
 *     s b i32 u32 f64     string, bool, int32, uint32, double
 *     b? i32? u32? i64?   the wrapper messages of google.protobuf: absent is not zero
 *     dur struct          google.protobuf.Duration, google.protobuf.Struct
 *     []T {}T %E          list, map from strings, enum
 *     |Name               member of the oneof of that Go name
 *
 * `mesh.` stands for istio.mesh.v1alpha1, `net.` for istio.networking.v1alpha3, `beta.` for
 * istio.networking.v1beta1.
 */
export const MESSAGE_TABLE = `
mesh.Certificate secretName:s dnsNames:[]s
mesh.ConfigSource address:s tlsSettings:net.ClientTLSSettings subscribedResources:[]%mesh.Resource
mesh.LabelSelector matchLabels:{}s matchExpressions:[]mesh.LabelSelectorRequirement
mesh.LabelSelectorRequirement key:s operator:s values:[]s
mesh.MeshConfig proxyListenPort:i32 proxyInboundListenPort:i32 proxyHttpPort:i32 connectTimeout:dur
 hboneIdleTimeout:dur protocolDetectionTimeout:dur
 tcpKeepalive:net.ConnectionPoolSettings.TCPSettings.TcpKeepalive ingressClass:s ingressService:s
 ingressControllerMode:%mesh.MeshConfig.IngressControllerMode ingressSelector:s enableTracing:b
 accessLogFile:s accessLogFormat:s accessLogEncoding:%mesh.MeshConfig.AccessLogEncoding
 enableEnvoyAccessLogService:b disableEnvoyListenerLog:b defaultConfig:mesh.ProxyConfig
 outboundTrafficPolicy:mesh.MeshConfig.OutboundTrafficPolicy
 inboundTrafficPolicy:mesh.MeshConfig.InboundTrafficPolicy configSources:[]mesh.ConfigSource
 enableAutoMtls:b? trustDomain:s trustDomainAliases:[]s
 caCertificates:[]mesh.MeshConfig.CertificateData defaultServiceExportTo:[]s
 defaultVirtualServiceExportTo:[]s defaultDestinationRuleExportTo:[]s rootNamespace:s
 localityLbSetting:net.LocalityLoadBalancerSetting
 zoneAwareLbSetting:net.ZoneAwareLoadBalancerSetting dnsRefreshRate:dur
 h2UpgradePolicy:%mesh.MeshConfig.H2UpgradePolicy inboundClusterStatName:s outboundClusterStatName:s
 certificates:[]mesh.Certificate serviceSettings:[]mesh.MeshConfig.ServiceSettings
 serviceScopeConfigs:[]mesh.MeshConfig.ServiceScopeConfigs enablePrometheusMerge:b?
 verifyCertificateAtClient:b? ca:mesh.MeshConfig.CA
 extensionProviders:[]mesh.MeshConfig.ExtensionProvider
 defaultProviders:mesh.MeshConfig.DefaultProviders discoverySelectors:[]mesh.LabelSelector
 pathNormalization:mesh.MeshConfig.ProxyPathNormalization defaultHttpRetryPolicy:net.HTTPRetry
 meshMTLS:mesh.MeshConfig.TLSConfig tlsDefaults:mesh.MeshConfig.TLSConfig
 defaultTrafficPolicy:mesh.MeshConfig.DefaultTrafficPolicy
 serviceEntryVisibility:mesh.ServiceEntryVisibility
mesh.MeshConfig.CA address:s tlsSettings:net.ClientTLSSettings requestTimeout:dur istiodSide:b
mesh.MeshConfig.CertificateData pem:s|CertificateData spiffeBundleUrl:s|CertificateData
 certSigners:[]s trustDomains:[]s
mesh.MeshConfig.DefaultProviders tracing:[]s metrics:[]s accessLogging:[]s
mesh.MeshConfig.DefaultTrafficPolicy connectionPool:net.ConnectionPoolSettings
 outlierDetection:net.OutlierDetection
mesh.MeshConfig.ExtensionProvider name:s
 envoyExtAuthzHttp:mesh.MeshConfig.ExtensionProvider.EnvoyExternalAuthorizationHttpProvider|Provider
 envoyExtAuthzGrpc:mesh.MeshConfig.ExtensionProvider.EnvoyExternalAuthorizationGrpcProvider|Provider
 zipkin:mesh.MeshConfig.ExtensionProvider.ZipkinTracingProvider|Provider
 lightstep:mesh.MeshConfig.ExtensionProvider.LightstepTracingProvider|Provider
 datadog:mesh.MeshConfig.ExtensionProvider.DatadogTracingProvider|Provider
 stackdriver:mesh.MeshConfig.ExtensionProvider.StackdriverProvider|Provider
 opencensus:mesh.MeshConfig.ExtensionProvider.OpenCensusAgentTracingProvider|Provider
 skywalking:mesh.MeshConfig.ExtensionProvider.SkyWalkingTracingProvider|Provider
 opentelemetry:mesh.MeshConfig.ExtensionProvider.OpenTelemetryTracingProvider|Provider
 prometheus:mesh.MeshConfig.ExtensionProvider.PrometheusMetricsProvider|Provider
 envoyFileAccessLog:mesh.MeshConfig.ExtensionProvider.EnvoyFileAccessLogProvider|Provider
 envoyHttpAls:mesh.MeshConfig.ExtensionProvider.EnvoyHttpGrpcV3LogProvider|Provider
 envoyTcpAls:mesh.MeshConfig.ExtensionProvider.EnvoyTcpGrpcV3LogProvider|Provider
 envoyOtelAls:mesh.MeshConfig.ExtensionProvider.EnvoyOpenTelemetryLogProvider|Provider
 sds:mesh.MeshConfig.ExtensionProvider.SDSProvider|Provider
mesh.MeshConfig.ExtensionProvider.DatadogTracingProvider service:s port:u32 maxTagLength:u32
mesh.MeshConfig.ExtensionProvider.EnvoyExternalAuthorizationGrpcProvider service:s port:u32
 timeout:dur failOpen:b clearRouteCache:b statusOnError:s
 includeRequestBodyInCheck:mesh.MeshConfig.ExtensionProvider.EnvoyExternalAuthorizationRequestBody
mesh.MeshConfig.ExtensionProvider.EnvoyExternalAuthorizationHttpProvider service:s port:u32
 timeout:dur pathPrefix:s failOpen:b clearRouteCache:b statusOnError:s includeHeadersInCheck:[]s
 includeRequestHeadersInCheck:[]s includeAdditionalHeadersInCheck:{}s
 includeRequestBodyInCheck:mesh.MeshConfig.ExtensionProvider.EnvoyExternalAuthorizationRequestBody
 headersToUpstreamOnAllow:[]s headersToDownstreamOnDeny:[]s headersToDownstreamOnAllow:[]s
mesh.MeshConfig.ExtensionProvider.EnvoyExternalAuthorizationRequestBody maxRequestBytes:u32
 allowPartialMessage:b packAsBytes:b
mesh.MeshConfig.ExtensionProvider.EnvoyFileAccessLogProvider path:s
 logFormat:mesh.MeshConfig.ExtensionProvider.EnvoyFileAccessLogProvider.LogFormat omitEmptyValues:b
mesh.MeshConfig.ExtensionProvider.EnvoyFileAccessLogProvider.LogFormat text:s|LogFormat
 labels:struct|LogFormat
mesh.MeshConfig.ExtensionProvider.EnvoyHttpGrpcV3LogProvider service:s port:u32 logName:s
 filterStateObjectsToLog:[]s additionalRequestHeadersToLog:[]s additionalResponseHeadersToLog:[]s
 additionalResponseTrailersToLog:[]s
mesh.MeshConfig.ExtensionProvider.EnvoyOpenTelemetryLogProvider service:s port:u32 logName:s
 logFormat:mesh.MeshConfig.ExtensionProvider.EnvoyOpenTelemetryLogProvider.LogFormat
mesh.MeshConfig.ExtensionProvider.EnvoyOpenTelemetryLogProvider.LogFormat text:s labels:struct
mesh.MeshConfig.ExtensionProvider.EnvoyTcpGrpcV3LogProvider service:s port:u32 logName:s
 filterStateObjectsToLog:[]s
mesh.MeshConfig.ExtensionProvider.GrpcService timeout:dur
 initialMetadata:[]mesh.MeshConfig.ExtensionProvider.HttpHeader
mesh.MeshConfig.ExtensionProvider.HttpHeader name:s value:s|HeaderValue envName:s|HeaderValue
mesh.MeshConfig.ExtensionProvider.HttpService path:s timeout:dur
 headers:[]mesh.MeshConfig.ExtensionProvider.HttpHeader
mesh.MeshConfig.ExtensionProvider.LightstepTracingProvider service:s port:u32 accessToken:s
 maxTagLength:u32
mesh.MeshConfig.ExtensionProvider.OpenCensusAgentTracingProvider service:s port:u32
 context:[]%mesh.MeshConfig.ExtensionProvider.OpenCensusAgentTracingProvider.TraceContext
 maxTagLength:u32
mesh.MeshConfig.ExtensionProvider.OpenTelemetryTracingProvider service:s port:u32 maxTagLength:u32
 http:mesh.MeshConfig.ExtensionProvider.HttpService
 grpc:mesh.MeshConfig.ExtensionProvider.GrpcService
 resourceDetectors:mesh.MeshConfig.ExtensionProvider.ResourceDetectors
 serviceAttributeEnrichment:%mesh.MeshConfig.ExtensionProvider.ServiceAttributeEnrichment
 dynatraceSampler:mesh.MeshConfig.ExtensionProvider.OpenTelemetryTracingProvider.DynatraceSampler|Sampling
mesh.MeshConfig.ExtensionProvider.OpenTelemetryTracingProvider.DynatraceSampler tenant:s
 clusterId:i32 rootSpansPerMinute:u32
 httpService:mesh.MeshConfig.ExtensionProvider.OpenTelemetryTracingProvider.DynatraceSampler.DynatraceApi
mesh.MeshConfig.ExtensionProvider.OpenTelemetryTracingProvider.DynatraceSampler.DynatraceApi
 service:s port:u32 http:mesh.MeshConfig.ExtensionProvider.HttpService
mesh.MeshConfig.ExtensionProvider.PrometheusMetricsProvider
mesh.MeshConfig.ExtensionProvider.ResourceDetectors
 environment:mesh.MeshConfig.ExtensionProvider.ResourceDetectors.EnvironmentResourceDetector
 dynatrace:mesh.MeshConfig.ExtensionProvider.ResourceDetectors.DynatraceResourceDetector
mesh.MeshConfig.ExtensionProvider.ResourceDetectors.DynatraceResourceDetector
mesh.MeshConfig.ExtensionProvider.ResourceDetectors.EnvironmentResourceDetector
mesh.MeshConfig.ExtensionProvider.SDSProvider name:s service:s port:u32
mesh.MeshConfig.ExtensionProvider.SkyWalkingTracingProvider service:s port:u32 accessToken:s
mesh.MeshConfig.ExtensionProvider.StackdriverProvider debug:b maxNumberOfAttributes:i64?
 maxNumberOfAnnotations:i64? maxNumberOfMessageEvents:i64? maxTagLength:u32
 logging:mesh.MeshConfig.ExtensionProvider.StackdriverProvider.Logging
mesh.MeshConfig.ExtensionProvider.StackdriverProvider.Logging labels:{}s
mesh.MeshConfig.ExtensionProvider.ZipkinTracingProvider service:s port:u32 maxTagLength:u32
 enable64bitTraceId:b path:s
 traceContextOption:%mesh.MeshConfig.ExtensionProvider.ZipkinTracingProvider.TraceContextOption
 timeout:dur headers:[]mesh.MeshConfig.ExtensionProvider.HttpHeader
mesh.MeshConfig.InboundTrafficPolicy mode:%mesh.MeshConfig.InboundTrafficPolicy.Mode
mesh.MeshConfig.OutboundTrafficPolicy mode:%mesh.MeshConfig.OutboundTrafficPolicy.Mode
 tls:net.ClientTLSSettings
mesh.MeshConfig.ProxyPathNormalization
 normalization:%mesh.MeshConfig.ProxyPathNormalization.NormalizationType
mesh.MeshConfig.ServiceScopeConfigs namespaceSelector:mesh.LabelSelector
 servicesSelector:mesh.LabelSelector scope:%mesh.MeshConfig.ServiceScopeConfigs.Scope
mesh.MeshConfig.ServiceSettings settings:mesh.MeshConfig.ServiceSettings.Settings hosts:[]s
mesh.MeshConfig.ServiceSettings.Settings clusterLocal:b
mesh.MeshConfig.TLSConfig minProtocolVersion:%mesh.MeshConfig.TLSConfig.TLSProtocol ecdhCurves:[]s
 cipherSuites:[]s
mesh.PrivateKeyProvider cryptomb:mesh.PrivateKeyProvider.CryptoMb|Provider
 qat:mesh.PrivateKeyProvider.QAT|Provider
mesh.PrivateKeyProvider.CryptoMb pollDelay:dur fallback:b?
mesh.PrivateKeyProvider.QAT pollDelay:dur fallback:b?
mesh.ProxyConfig configPath:s binaryPath:s serviceCluster:s|ClusterName
 tracingServiceName:%mesh.ProxyConfig.TracingServiceName|ClusterName drainDuration:dur
 discoveryAddress:s discoveryRefreshDelay:dur zipkinAddress:s statsdUdpAddress:s
 envoyMetricsServiceAddress:s proxyAdminPort:i32 availabilityZone:s
 controlPlaneAuthPolicy:%mesh.AuthenticationPolicy customConfigFile:s statNameLength:i32
 concurrency:i32? proxyBootstrapTemplatePath:s
 interceptionMode:%mesh.ProxyConfig.InboundInterceptionMode tracing:mesh.Tracing sds:mesh.SDS
 envoyAccessLogService:mesh.RemoteService envoyMetricsService:mesh.RemoteService proxyMetadata:{}s
 runtimeValues:{}s statusPort:i32 extraStatTags:[]s gatewayTopology:mesh.Topology
 terminationDrainDuration:dur meshId:s readinessProbe:net.ReadinessProbe
 proxyStatsMatcher:mesh.ProxyConfig.ProxyStatsMatcher holdApplicationUntilProxyStarts:b?
 caCertificatesPem:[]s image:beta.ProxyImage privateKeyProvider:mesh.PrivateKeyProvider
 proxyHeaders:mesh.ProxyConfig.ProxyHeaders fileFlushInterval:dur fileFlushMinSizeKb:u32
 statsCompression:b? connectionSettings:mesh.ProxyConfig.ConnectionSettings
mesh.ProxyConfig.ConnectionSettings profile:%mesh.ProxyConfig.ConnectionSettings.Profile
 listenerPerConnectionBufferLimitBytes:i32? clusterPerConnectionBufferLimitBytes:i32?
 httpIdleTimeout:dur httpMaxConnectionDuration:dur httpDrainTimeout:dur httpRequestTimeout:dur
 httpRequestHeadersTimeout:dur httpStreamIdleTimeout:dur httpMaxStreamDuration:dur
 httpMaxConcurrentStreams:i32? http2InitialStreamWindowSize:i32?
 http2InitialConnectionWindowSize:i32?
 httpHeadersWithUnderscoresAction:%mesh.ProxyConfig.ConnectionSettings.HeadersWithUnderscoresAction
 httpMergeSlashes:b?
 httpPathWithEscapedSlashesAction:%mesh.ProxyConfig.ConnectionSettings.PathWithEscapedSlashesAction
 listenerConnectionLimit:i32? globalDownstreamConnectionLimit:i32?
mesh.ProxyConfig.ProxyHeaders forwardedClientCert:%mesh.ForwardClientCertDetails
 setCurrentClientCertDetails:mesh.ProxyConfig.ProxyHeaders.SetCurrentClientCertDetails
 requestId:mesh.ProxyConfig.ProxyHeaders.RequestId server:mesh.ProxyConfig.ProxyHeaders.Server
 attemptCount:mesh.ProxyConfig.ProxyHeaders.AttemptCount
 envoyDebugHeaders:mesh.ProxyConfig.ProxyHeaders.EnvoyDebugHeaders
 metadataExchangeHeaders:mesh.ProxyConfig.ProxyHeaders.MetadataExchangeHeaders
 preserveHttp1HeaderCase:b? xForwardedHost:mesh.ProxyConfig.ProxyHeaders.XForwardedHost
 xForwardedPort:mesh.ProxyConfig.ProxyHeaders.XForwardedPort
mesh.ProxyConfig.ProxyHeaders.AttemptCount disabled:b?
mesh.ProxyConfig.ProxyHeaders.EnvoyDebugHeaders disabled:b?
mesh.ProxyConfig.ProxyHeaders.MetadataExchangeHeaders
 mode:%mesh.ProxyConfig.ProxyHeaders.MetadataExchangeMode
mesh.ProxyConfig.ProxyHeaders.RequestId disabled:b?
mesh.ProxyConfig.ProxyHeaders.Server disabled:b? value:s
mesh.ProxyConfig.ProxyHeaders.SetCurrentClientCertDetails subject:b? cert:b? chain:b? dns:b? uri:b?
mesh.ProxyConfig.ProxyHeaders.XForwardedHost enabled:b?
mesh.ProxyConfig.ProxyHeaders.XForwardedPort enabled:b?
mesh.ProxyConfig.ProxyStatsMatcher inclusionPrefixes:[]s inclusionSuffixes:[]s inclusionRegexps:[]s
mesh.RemoteService address:s tlsSettings:net.ClientTLSSettings
 tcpKeepalive:net.ConnectionPoolSettings.TCPSettings.TcpKeepalive
mesh.SDS enabled:b k8sSaJwtPath:s
mesh.ServiceEntryVisibility defaultVisibility:%mesh.ServiceEntryVisibility.Visibility
 applyToSidecars:b policies:[]mesh.ServiceEntryVisibility.Policy
mesh.ServiceEntryVisibility.MatchRule namespaceSelector:mesh.LabelSelector|Matcher
mesh.ServiceEntryVisibility.Policy visibility:%mesh.ServiceEntryVisibility.Visibility
 matchingRules:[]mesh.ServiceEntryVisibility.MatchRule
mesh.Topology numTrustedProxies:u32 forwardClientCertDetails:%mesh.ForwardClientCertDetails
 proxyProtocol:mesh.Topology.ProxyProtocolConfiguration
mesh.Topology.ProxyProtocolConfiguration
mesh.Tracing zipkin:mesh.Tracing.Zipkin|Tracer lightstep:mesh.Tracing.Lightstep|Tracer
 datadog:mesh.Tracing.Datadog|Tracer stackdriver:mesh.Tracing.Stackdriver|Tracer
 openCensusAgent:mesh.Tracing.OpenCensusAgent|Tracer customTags:{}mesh.Tracing.CustomTag
 maxPathTagLength:u32 sampling:f64 tlsSettings:net.ClientTLSSettings enableIstioTags:b?
mesh.Tracing.CustomTag literal:mesh.Tracing.Literal|Type environment:mesh.Tracing.Environment|Type
 header:mesh.Tracing.RequestHeader|Type
mesh.Tracing.Datadog address:s
mesh.Tracing.Environment name:s defaultValue:s
mesh.Tracing.Lightstep address:s accessToken:s
mesh.Tracing.Literal value:s
mesh.Tracing.OpenCensusAgent address:s context:[]%mesh.Tracing.OpenCensusAgent.TraceContext
mesh.Tracing.RequestHeader name:s defaultValue:s
mesh.Tracing.Stackdriver debug:b maxNumberOfAttributes:i64? maxNumberOfAnnotations:i64?
 maxNumberOfMessageEvents:i64?
mesh.Tracing.Zipkin address:s
net.ClientTLSSettings mode:%net.ClientTLSSettings.TLSmode clientCertificate:s privateKey:s
 caCertificates:s credentialName:s subjectAltNames:[]s sni:s insecureSkipVerify:b? caCrl:s
net.ConnectionPoolSettings tcp:net.ConnectionPoolSettings.TCPSettings
 http:net.ConnectionPoolSettings.HTTPSettings
net.ConnectionPoolSettings.HTTPSettings http1MaxPendingRequests:i32 http2MaxRequests:i32
 maxRequestsPerConnection:i32 maxRetries:i32 idleTimeout:dur
 h2UpgradePolicy:%net.ConnectionPoolSettings.HTTPSettings.H2UpgradePolicy useClientProtocol:b
 maxConcurrentStreams:i32 http2KeepAlive:net.ConnectionPoolSettings.HTTPSettings.ConnectionKeepalive
net.ConnectionPoolSettings.HTTPSettings.ConnectionKeepalive interval:dur timeout:dur
net.ConnectionPoolSettings.TCPSettings maxConnections:i32 connectTimeout:dur
 tcpKeepalive:net.ConnectionPoolSettings.TCPSettings.TcpKeepalive maxConnectionDuration:dur
 idleTimeout:dur
net.ConnectionPoolSettings.TCPSettings.TcpKeepalive probes:u32 time:dur interval:dur
net.ExecHealthCheckConfig command:[]s
net.GrpcHealthCheckConfig port:u32 service:s
net.HTTPHeader name:s value:s
net.HTTPHealthCheckConfig path:s port:u32 host:s scheme:s httpHeaders:[]net.HTTPHeader
net.HTTPRetry attempts:i32 perTryTimeout:dur retryOn:s retryRemoteLocalities:b?
 retryIgnorePreviousHosts:b? backoff:dur
net.LocalityLoadBalancerSetting distribute:[]net.LocalityLoadBalancerSetting.Distribute
 failover:[]net.LocalityLoadBalancerSetting.Failover failoverPriority:[]s enabled:b?
net.LocalityLoadBalancerSetting.Distribute from:s to:{}u32
net.LocalityLoadBalancerSetting.Failover from:s to:s
net.OutlierDetection consecutiveErrors:i32 splitExternalLocalOriginErrors:b
 consecutiveLocalOriginFailures:u32? consecutiveGatewayErrors:u32? consecutive5xxErrors:u32?
 interval:dur baseEjectionTime:dur maxEjectionPercent:i32 minHealthPercent:i32
 outlierDetectionHttpErrorCodes:[]u32
net.ReadinessProbe initialDelaySeconds:i32 timeoutSeconds:i32 periodSeconds:i32 successThreshold:i32
 failureThreshold:i32 httpGet:net.HTTPHealthCheckConfig|HealthCheckMethod
 tcpSocket:net.TCPHealthCheckConfig|HealthCheckMethod
 exec:net.ExecHealthCheckConfig|HealthCheckMethod grpc:net.GrpcHealthCheckConfig|HealthCheckMethod
net.TCPHealthCheckConfig host:s port:u32
net.ZoneAwareLoadBalancerSetting enabled:b? failover:[]net.ZoneAwareLoadBalancerSetting.Failover
 failoverPriority:[]s minClusterSize:u32?
net.ZoneAwareLoadBalancerSetting.Failover from:s to:s
beta.ProxyImage imageType:s
`;

/** Enums: a name, then its values. */
export const ENUM_TABLE = `
mesh.AuthenticationPolicy NONE=0 MUTUAL_TLS=1 INHERIT=1000
mesh.ForwardClientCertDetails UNDEFINED=0 SANITIZE=1 FORWARD_ONLY=2 APPEND_FORWARD=3 SANITIZE_SET=4
 ALWAYS_FORWARD_ONLY=5
mesh.MeshConfig.AccessLogEncoding TEXT=0 JSON=1
mesh.MeshConfig.ExtensionProvider.OpenCensusAgentTracingProvider.TraceContext UNSPECIFIED=0
 W3C_TRACE_CONTEXT=1 GRPC_BIN=2 CLOUD_TRACE_CONTEXT=3 B3=4
mesh.MeshConfig.ExtensionProvider.ServiceAttributeEnrichment ISTIO_CANONICAL=0
 OTEL_SEMANTIC_CONVENTIONS=1
mesh.MeshConfig.ExtensionProvider.ZipkinTracingProvider.TraceContextOption USE_B3=0
 USE_B3_WITH_W3C_PROPAGATION=1
mesh.MeshConfig.H2UpgradePolicy DO_NOT_UPGRADE=0 UPGRADE=1
mesh.MeshConfig.InboundTrafficPolicy.Mode PASSTHROUGH=0 LOCALHOST=1
mesh.MeshConfig.IngressControllerMode UNSPECIFIED=0 OFF=1 DEFAULT=2 STRICT=3
mesh.MeshConfig.OutboundTrafficPolicy.Mode REGISTRY_ONLY=0 ALLOW_ANY=1 ALLOW_ANY_DYNAMIC_DNS=3
mesh.MeshConfig.ProxyPathNormalization.NormalizationType DEFAULT=0 NONE=1 BASE=2 MERGE_SLASHES=3
 DECODE_AND_MERGE_SLASHES=4
mesh.MeshConfig.ServiceScopeConfigs.Scope LOCAL=0 GLOBAL=1
mesh.MeshConfig.TLSConfig.TLSProtocol TLS_AUTO=0 TLSV1_2=1 TLSV1_3=2
mesh.ProxyConfig.ConnectionSettings.HeadersWithUnderscoresAction
 HEADERS_WITH_UNDERSCORES_UNSPECIFIED=0 HEADERS_WITH_UNDERSCORES_ALLOW=1
 HEADERS_WITH_UNDERSCORES_REJECT_REQUEST=2 HEADERS_WITH_UNDERSCORES_DROP_HEADER=3
mesh.ProxyConfig.ConnectionSettings.PathWithEscapedSlashesAction
 PATH_WITH_ESCAPED_SLASHES_UNSPECIFIED=0 KEEP_UNCHANGED=1 REJECT_REQUEST=2 UNESCAPE_AND_REDIRECT=3
 UNESCAPE_AND_FORWARD=4
mesh.ProxyConfig.ConnectionSettings.Profile SIDECAR=0 EDGE=1
mesh.ProxyConfig.InboundInterceptionMode REDIRECT=0 TPROXY=1 NONE=2
mesh.ProxyConfig.ProxyHeaders.MetadataExchangeMode UNDEFINED=0 IN_MESH=1
mesh.ProxyConfig.TracingServiceName APP_LABEL_AND_NAMESPACE=0 CANONICAL_NAME_ONLY=1
 CANONICAL_NAME_AND_NAMESPACE=2
mesh.Resource SERVICE_REGISTRY=0
mesh.ServiceEntryVisibility.Visibility VISIBILITY_UNSPECIFIED=0 NONE=1 NAMESPACE=2 PUBLIC=3
mesh.Tracing.OpenCensusAgent.TraceContext UNSPECIFIED=0 W3C_TRACE_CONTEXT=1 GRPC_BIN=2
 CLOUD_TRACE_CONTEXT=3 B3=4
net.ClientTLSSettings.TLSmode DISABLE=0 SIMPLE=1 MUTUAL=2 ISTIO_MUTUAL=3
net.ConnectionPoolSettings.HTTPSettings.H2UpgradePolicy DEFAULT=0 DO_NOT_UPGRADE=1 UPGRADE=2
`;
