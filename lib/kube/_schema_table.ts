/**
 * Facts of the Kubernetes API types behind Pod and the workload kinds, as of k8s.io/api v0.36.
 *
 * Made by tests/kube/make_schema_table.ts from the shared schema file: run that, don't edit this.
 *
 * One type an entry: its name, then its fields in declaration order. A field is
 * `json[=Go]:type` and marks; the Go name is left out where it is the JSON name with a capital.
 *
 *     s b i32 i64   string, bool, int32, int64        *T []T {}T   pointer, list, map from strings
 *     @T            T embedded inline                 ? !          omitempty, omitzero
 *     +key          merged as a list by that key      &            retainKeys
 *                   (`+` alone: a union of scalars)
 */
export const SCHEMA_TABLE = `
AWSElasticBlockStoreVolumeSource volumeID:s fsType=FSType:s? partition:i32? readOnly:b?
Affinity nodeAffinity:*NodeAffinity? podAffinity:*PodAffinity? podAntiAffinity:*PodAntiAffinity?
AppArmorProfile type:s localhostProfile:*s?
AzureDiskVolumeSource diskName:s diskURI=DataDiskURI:s cachingMode:*s? fsType=FSType:*s?
 readOnly:*b? kind:*s?
AzureFileVolumeSource secretName:s shareName:s readOnly:b?
CSIVolumeSource driver:s readOnly:*b? fsType=FSType:*s? volumeAttributes:{}s?
 nodePublishSecretRef:*LocalObjectReference?
Capabilities add:[]s? drop:[]s?
CephFSVolumeSource monitors:[]s path:s? user:s? secretFile:s? secretRef:*LocalObjectReference?
 readOnly:b?
CinderVolumeSource volumeID:s fsType=FSType:s? readOnly:b? secretRef:*LocalObjectReference?
ClusterTrustBundleProjection name:*s? signerName:*s? labelSelector:*LabelSelector? optional:*b?
 path:s
ConfigMapEnvSource @LocalObjectReference optional:*b?
ConfigMapKeySelector @LocalObjectReference key:s optional:*b?
ConfigMapProjection @LocalObjectReference items:[]KeyToPath? optional:*b?
ConfigMapVolumeSource @LocalObjectReference items:[]KeyToPath? defaultMode:*i32? optional:*b?
Container name:s image:s? command:[]s? args:[]s? workingDir:s? ports:[]ContainerPort?+containerPort
 envFrom:[]EnvFromSource? env:[]EnvVar?+name resources:ResourceRequirements?
 resizePolicy:[]ContainerResizePolicy? restartPolicy:*s? restartPolicyRules:[]ContainerRestartRule?
 volumeMounts:[]VolumeMount?+mountPath volumeDevices:[]VolumeDevice?+devicePath
 livenessProbe:*Probe? readinessProbe:*Probe? startupProbe:*Probe? lifecycle:*Lifecycle?
 terminationMessagePath:s? terminationMessagePolicy:s? imagePullPolicy:s?
 securityContext:*SecurityContext? stdin:b? stdinOnce:b? tty=TTY:b?
ContainerExtendedResourceRequest containerName:s resourceName:s requestName:s
ContainerPort name:s? hostPort:i32? containerPort:i32 protocol:s? hostIP:s?
ContainerResizePolicy resourceName:s restartPolicy:s
ContainerRestartRule action:s? exitCodes:*ContainerRestartRuleOnExitCodes?
ContainerRestartRuleOnExitCodes operator:s? values:[]i32?
ContainerState waiting:*ContainerStateWaiting? running:*ContainerStateRunning?
 terminated:*ContainerStateTerminated?
ContainerStateRunning startedAt:Time?
ContainerStateTerminated exitCode:i32 signal:i32? reason:s? message:s? startedAt:Time?
 finishedAt:Time? containerID:s?
ContainerStateWaiting reason:s? message:s?
ContainerStatus name:s state:ContainerState? lastState=LastTerminationState:ContainerState? ready:b
 restartCount:i32 image:s imageID:s containerID:s? started:*b? allocatedResources:{}Quantity?
 resources:*ResourceRequirements? volumeMounts:[]VolumeMountStatus?+mountPath user:*ContainerUser?
 allocatedResourcesStatus:[]ResourceStatus?+name stopSignal:*s?
ContainerUser linux:*LinuxContainerUser?
CronJob @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:CronJobSpec? status:CronJobStatus?
CronJobSpec schedule:s timeZone:*s? startingDeadlineSeconds:*i64? concurrencyPolicy:s? suspend:*b?
 jobTemplate:JobTemplateSpec successfulJobsHistoryLimit:*i32? failedJobsHistoryLimit:*i32?
CronJobStatus active:[]ObjectReference? lastScheduleTime:*Time? lastSuccessfulTime:*Time?
DaemonSet @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:DaemonSetSpec? status:DaemonSetStatus?
DaemonSetCondition type:s status:s lastTransitionTime:Time? reason:s? message:s?
DaemonSetSpec selector:*LabelSelector template:PodTemplateSpec
 updateStrategy:DaemonSetUpdateStrategy? minReadySeconds:i32? revisionHistoryLimit:*i32?
DaemonSetStatus currentNumberScheduled:i32 numberMisscheduled:i32 desiredNumberScheduled:i32
 numberReady:i32 observedGeneration:i64? updatedNumberScheduled:i32? numberAvailable:i32?
 numberUnavailable:i32? collisionCount:*i32? conditions:[]DaemonSetCondition?+type
DaemonSetUpdateStrategy type:s? rollingUpdate:*RollingUpdateDaemonSet?
Deployment @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:DeploymentSpec? status:DeploymentStatus?
DeploymentCondition type:s status:s lastUpdateTime:Time? lastTransitionTime:Time? reason:s?
 message:s?
DeploymentSpec replicas:*i32? selector:*LabelSelector template:PodTemplateSpec
 strategy:DeploymentStrategy?& minReadySeconds:i32? revisionHistoryLimit:*i32? paused:b?
 progressDeadlineSeconds:*i32?
DeploymentStatus observedGeneration:i64? replicas:i32? updatedReplicas:i32? readyReplicas:i32?
 availableReplicas:i32? unavailableReplicas:i32? terminatingReplicas:*i32?
 conditions:[]DeploymentCondition?+type collisionCount:*i32?
DeploymentStrategy type:s? rollingUpdate:*RollingUpdateDeployment?
DownwardAPIProjection items:[]DownwardAPIVolumeFile?
DownwardAPIVolumeFile path:s fieldRef:*ObjectFieldSelector? resourceFieldRef:*ResourceFieldSelector?
 mode:*i32?
DownwardAPIVolumeSource items:[]DownwardAPIVolumeFile? defaultMode:*i32?
EmptyDirVolumeSource medium:s? sizeLimit:*Quantity?
EnvFromSource prefix:s? configMapRef:*ConfigMapEnvSource? secretRef:*SecretEnvSource?
EnvVar name:s value:s? valueFrom:*EnvVarSource?
EnvVarSource fieldRef:*ObjectFieldSelector? resourceFieldRef:*ResourceFieldSelector?
 configMapKeyRef:*ConfigMapKeySelector? secretKeyRef:*SecretKeySelector?
 fileKeyRef:*FileKeySelector?
EphemeralContainer @EphemeralContainerCommon targetContainerName:s?
EphemeralContainerCommon name:s image:s? command:[]s? args:[]s? workingDir:s?
 ports:[]ContainerPort?+containerPort envFrom:[]EnvFromSource? env:[]EnvVar?+name
 resources:ResourceRequirements? resizePolicy:[]ContainerResizePolicy? restartPolicy:*s?
 restartPolicyRules:[]ContainerRestartRule? volumeMounts:[]VolumeMount?+mountPath
 volumeDevices:[]VolumeDevice?+devicePath livenessProbe:*Probe? readinessProbe:*Probe?
 startupProbe:*Probe? lifecycle:*Lifecycle? terminationMessagePath:s? terminationMessagePolicy:s?
 imagePullPolicy:s? securityContext:*SecurityContext? stdin:b? stdinOnce:b? tty=TTY:b?
EphemeralVolumeSource volumeClaimTemplate:*PersistentVolumeClaimTemplate?
ExecAction command:[]s?
FCVolumeSource targetWWNs:[]s? lun:*i32? fsType=FSType:s? readOnly:b? wwids=WWIDs:[]s?
FileKeySelector volumeName:s path:s key:s optional:*b?
FlexVolumeSource driver:s fsType=FSType:s? secretRef:*LocalObjectReference? readOnly:b? options:{}s?
FlockerVolumeSource datasetName:s? datasetUUID:s?
GCEPersistentDiskVolumeSource pdName=PDName:s fsType=FSType:s? partition:i32? readOnly:b?
GRPCAction port:i32 service:*s
GitRepoVolumeSource repository:s revision:s? directory:s?
GlusterfsVolumeSource endpoints=EndpointsName:s path:s readOnly:b?
HTTPGetAction path:s? port:IntOrString host:s? scheme:s? httpHeaders=HTTPHeaders:[]HTTPHeader?
HTTPHeader name:s value:s
HostAlias ip=IP:s hostnames:[]s?
HostIP ip=IP:s
HostPathVolumeSource path:s type:*s?
ISCSIVolumeSource targetPortal:s iqn=IQN:s lun:i32 iscsiInterface=ISCSIInterface:s? fsType=FSType:s?
 readOnly:b? portals:[]s? chapAuthDiscovery=DiscoveryCHAPAuth:b? chapAuthSession=SessionCHAPAuth:b?
 secretRef:*LocalObjectReference? initiatorName:*s?
ImageVolumeSource reference:s? pullPolicy:s?
ImageVolumeStatus imageRef:s?
Job @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:JobSpec? status:JobStatus?
JobCondition type:s status:s lastProbeTime:Time? lastTransitionTime:Time? reason:s? message:s?
JobSpec parallelism:*i32? completions:*i32? activeDeadlineSeconds:*i64?
 podFailurePolicy:*PodFailurePolicy? successPolicy:*SuccessPolicy? backoffLimit:*i32?
 backoffLimitPerIndex:*i32? maxFailedIndexes:*i32? selector:*LabelSelector? manualSelector:*b?
 template:PodTemplateSpec ttlSecondsAfterFinished=TTLSecondsAfterFinished:*i32? completionMode:*s?
 suspend:*b? podReplacementPolicy:*s? managedBy:*s?
JobStatus conditions:[]JobCondition?+type startTime:*Time? completionTime:*Time? active:i32?
 succeeded:i32? failed:i32? terminating:*i32? completedIndexes:s? failedIndexes:*s?
 uncountedTerminatedPods:*UncountedTerminatedPods? ready:*i32?
JobTemplateSpec metadata=ObjectMeta:ObjectMeta? spec:JobSpec?
KeyToPath key:s path:s mode:*i32?
LabelSelector matchLabels:{}s? matchExpressions:[]LabelSelectorRequirement?
LabelSelectorRequirement key:s operator:s values:[]s?
Lifecycle postStart:*LifecycleHandler? preStop:*LifecycleHandler? stopSignal:*s?
LifecycleHandler exec:*ExecAction? httpGet=HTTPGet:*HTTPGetAction?
 tcpSocket=TCPSocket:*TCPSocketAction? sleep:*SleepAction?
LinuxContainerUser uid=UID:i64 gid=GID:i64 supplementalGroups:[]i64?
List @TypeMeta metadata=ListMeta:ListMeta? items:[]RawExtension
ListMeta selfLink:s? resourceVersion:s? continue:s? remainingItemCount:*i64? shardInfo:*ShardInfo?
LocalObjectReference name:s?
ManagedFieldsEntry manager:s? operation:s? apiVersion=APIVersion:s? time:*Time? fieldsType:s?
 fieldsV1:*FieldsV1? subresource:s?
ModifyVolumeStatus targetVolumeAttributesClassName:s? status:s
NFSVolumeSource server:s path:s readOnly:b?
NodeAffinity requiredDuringSchedulingIgnoredDuringExecution:*NodeSelector?
 preferredDuringSchedulingIgnoredDuringExecution:[]PreferredSchedulingTerm?
NodeAllocatableResourceClaimStatus resourceClaimName:s containers:[]s? resources:{}Quantity
NodeSelector nodeSelectorTerms:[]NodeSelectorTerm
NodeSelectorRequirement key:s operator:s values:[]s?
NodeSelectorTerm matchExpressions:[]NodeSelectorRequirement? matchFields:[]NodeSelectorRequirement?
ObjectFieldSelector apiVersion=APIVersion:s? fieldPath:s
ObjectMeta name:s? generateName:s? namespace:s? selfLink:s? uid=UID:s? resourceVersion:s?
 generation:i64? creationTimestamp:Time?! deletionTimestamp:*Time? deletionGracePeriodSeconds:*i64?
 labels:{}s? annotations:{}s? ownerReferences:[]OwnerReference?+uid finalizers:[]s?+
 managedFields:[]ManagedFieldsEntry?
ObjectReference kind:s? namespace:s? name:s? uid=UID:s? apiVersion=APIVersion:s? resourceVersion:s?
 fieldPath:s?
OwnerReference apiVersion=APIVersion:s kind:s name:s uid=UID:s controller:*b? blockOwnerDeletion:*b?
PersistentVolumeClaim @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:PersistentVolumeClaimSpec?
 status:PersistentVolumeClaimStatus?
PersistentVolumeClaimCondition type:s status:s lastProbeTime:Time? lastTransitionTime:Time?
 reason:s? message:s?
PersistentVolumeClaimSpec accessModes:[]s? selector:*LabelSelector?
 resources:VolumeResourceRequirements? volumeName:s? storageClassName:*s? volumeMode:*s?
 dataSource:*TypedLocalObjectReference? dataSourceRef:*TypedObjectReference?
 volumeAttributesClassName:*s?
PersistentVolumeClaimStatus phase:s? accessModes:[]s? capacity:{}Quantity?
 conditions:[]PersistentVolumeClaimCondition?+type allocatedResources:{}Quantity?
 allocatedResourceStatuses:{}s? currentVolumeAttributesClassName:*s?
 modifyVolumeStatus:*ModifyVolumeStatus?
PersistentVolumeClaimTemplate metadata=ObjectMeta:ObjectMeta? spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource claimName:s readOnly:b?
PhotonPersistentDiskVolumeSource pdID:s fsType=FSType:s?
Pod @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:PodSpec? status:PodStatus?
PodAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm?
 preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm?
PodAffinityTerm labelSelector:*LabelSelector? namespaces:[]s? topologyKey:s
 namespaceSelector:*LabelSelector? matchLabelKeys:[]s? mismatchLabelKeys:[]s?
PodAntiAffinity requiredDuringSchedulingIgnoredDuringExecution:[]PodAffinityTerm?
 preferredDuringSchedulingIgnoredDuringExecution:[]WeightedPodAffinityTerm?
PodCertificateProjection signerName:s? keyType:s? maxExpirationSeconds:*i32? credentialBundlePath:s?
 keyPath:s? certificateChainPath:s? userAnnotations:{}s?
PodCondition type:s observedGeneration:i64? status:s lastProbeTime:Time? lastTransitionTime:Time?
 reason:s? message:s?
PodDNSConfig nameservers:[]s? searches:[]s? options:[]PodDNSConfigOption?
PodDNSConfigOption name:s? value:*s?
PodExtendedResourceClaimStatus requestMappings:[]ContainerExtendedResourceRequest
 resourceClaimName:s
PodFailurePolicy rules:[]PodFailurePolicyRule
PodFailurePolicyOnExitCodesRequirement containerName:*s? operator:s values:[]i32
PodFailurePolicyOnPodConditionsPattern type:s status:s
PodFailurePolicyRule action:s onExitCodes:*PodFailurePolicyOnExitCodesRequirement?
 onPodConditions:[]PodFailurePolicyOnPodConditionsPattern?
PodIP ip=IP:s
PodOS name:s
PodReadinessGate conditionType:s
PodResourceClaim name:s resourceClaimName:*s? resourceClaimTemplateName:*s?
PodResourceClaimStatus name:s resourceClaimName:*s?
PodSchedulingGate name:s
PodSchedulingGroup podGroupName:*s?
PodSecurityContext seLinuxOptions=SELinuxOptions:*SELinuxOptions?
 windowsOptions:*WindowsSecurityContextOptions? runAsUser:*i64? runAsGroup:*i64? runAsNonRoot:*b?
 supplementalGroups:[]i64? supplementalGroupsPolicy:*s? fsGroup=FSGroup:*i64? sysctls:[]Sysctl?
 fsGroupChangePolicy=FSGroupChangePolicy:*s? seccompProfile:*SeccompProfile?
 appArmorProfile:*AppArmorProfile? seLinuxChangePolicy=SELinuxChangePolicy:*s?
PodSpec volumes:[]Volume?+name& initContainers:[]Container?+name containers:[]Container+name
 ephemeralContainers:[]EphemeralContainer?+name restartPolicy:s? terminationGracePeriodSeconds:*i64?
 activeDeadlineSeconds:*i64? dnsPolicy=DNSPolicy:s? nodeSelector:{}s? serviceAccountName:s?
 serviceAccount=DeprecatedServiceAccount:s? automountServiceAccountToken:*b? nodeName:s?
 hostNetwork:b? hostPID:b? hostIPC:b? shareProcessNamespace:*b? securityContext:*PodSecurityContext?
 imagePullSecrets:[]LocalObjectReference?+name hostname:s? subdomain:s? affinity:*Affinity?
 schedulerName:s? tolerations:[]Toleration? hostAliases:[]HostAlias?+ip priorityClassName:s?
 priority:*i32? dnsConfig=DNSConfig:*PodDNSConfig? readinessGates:[]PodReadinessGate?
 runtimeClassName:*s? enableServiceLinks:*b? preemptionPolicy:*s? overhead:{}Quantity?
 topologySpreadConstraints:[]TopologySpreadConstraint?+topologyKey setHostnameAsFQDN:*b?
 os=OS:*PodOS? hostUsers:*b? schedulingGates:[]PodSchedulingGate?+name
 resourceClaims:[]PodResourceClaim?+name& resources:*ResourceRequirements? hostnameOverride:*s?
 schedulingGroup:*PodSchedulingGroup?
PodStatus observedGeneration:i64? phase:s? conditions:[]PodCondition?+type message:s? reason:s?
 nominatedNodeName:s? hostIP:s? hostIPs:[]HostIP?+ip podIP:s? podIPs:[]PodIP?+ip startTime:*Time?
 initContainerStatuses:[]ContainerStatus? containerStatuses:[]ContainerStatus? qosClass=QOSClass:s?
 ephemeralContainerStatuses:[]ContainerStatus? resize:s?
 resourceClaimStatuses:[]PodResourceClaimStatus?+name&
 extendedResourceClaimStatus:*PodExtendedResourceClaimStatus? allocatedResources:{}Quantity?
 resources:*ResourceRequirements?
 nodeAllocatableResourceClaimStatuses:[]NodeAllocatableResourceClaimStatus?
PodTemplateSpec metadata=ObjectMeta:ObjectMeta? spec:PodSpec?
PortworxVolumeSource volumeID:s fsType=FSType:s? readOnly:b?
PreferredSchedulingTerm weight:i32 preference:NodeSelectorTerm
Probe @ProbeHandler initialDelaySeconds:i32? timeoutSeconds:i32? periodSeconds:i32?
 successThreshold:i32? failureThreshold:i32? terminationGracePeriodSeconds:*i64?
ProbeHandler exec:*ExecAction? httpGet=HTTPGet:*HTTPGetAction? tcpSocket=TCPSocket:*TCPSocketAction?
 grpc=GRPC:*GRPCAction?
ProjectedVolumeSource sources:[]VolumeProjection defaultMode:*i32?
QuobyteVolumeSource registry:s volume:s readOnly:b? user:s? group:s? tenant:s?
RBDVolumeSource monitors=CephMonitors:[]s image=RBDImage:s fsType=FSType:s? pool=RBDPool:s?
 user=RadosUser:s? keyring:s? secretRef:*LocalObjectReference? readOnly:b?
ReplicaSet @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:ReplicaSetSpec? status:ReplicaSetStatus?
ReplicaSetCondition type:s status:s lastTransitionTime:Time? reason:s? message:s?
ReplicaSetSpec replicas:*i32? minReadySeconds:i32? selector:*LabelSelector template:PodTemplateSpec?
ReplicaSetStatus replicas:i32 fullyLabeledReplicas:i32? readyReplicas:i32? availableReplicas:i32?
 terminatingReplicas:*i32? observedGeneration:i64? conditions:[]ReplicaSetCondition?+type
ReplicationController @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:ReplicationControllerSpec?
 status:ReplicationControllerStatus?
ReplicationControllerCondition type:s status:s lastTransitionTime:Time? reason:s? message:s?
ReplicationControllerSpec replicas:*i32? minReadySeconds:i32? selector:{}s?
 template:*PodTemplateSpec?
ReplicationControllerStatus replicas:i32 fullyLabeledReplicas:i32? readyReplicas:i32?
 availableReplicas:i32? observedGeneration:i64? conditions:[]ReplicationControllerCondition?+type
ResourceClaim name:s request:s?
ResourceFieldSelector containerName:s? resource:s divisor:Quantity?
ResourceHealth resourceID:s health:s? message:*s?
ResourceRequirements limits:{}Quantity? requests:{}Quantity? claims:[]ResourceClaim?
ResourceStatus name:s resources:[]ResourceHealth?
RollingUpdateDaemonSet maxUnavailable:*IntOrString? maxSurge:*IntOrString?
RollingUpdateDeployment maxUnavailable:*IntOrString? maxSurge:*IntOrString?
RollingUpdateStatefulSetStrategy partition:*i32? maxUnavailable:*IntOrString?
SELinuxOptions user:s? role:s? type:s? level:s?
ScaleIOVolumeSource gateway:s system:s secretRef:*LocalObjectReference sslEnabled=SSLEnabled:b?
 protectionDomain:s? storagePool:s? storageMode:s? volumeName:s? fsType=FSType:s? readOnly:b?
SeccompProfile type:s localhostProfile:*s?
SecretEnvSource @LocalObjectReference optional:*b?
SecretKeySelector @LocalObjectReference key:s optional:*b?
SecretProjection @LocalObjectReference items:[]KeyToPath? optional:*b?
SecretVolumeSource secretName:s? items:[]KeyToPath? defaultMode:*i32? optional:*b?
SecurityContext capabilities:*Capabilities? privileged:*b?
 seLinuxOptions=SELinuxOptions:*SELinuxOptions? windowsOptions:*WindowsSecurityContextOptions?
 runAsUser:*i64? runAsGroup:*i64? runAsNonRoot:*b? readOnlyRootFilesystem:*b?
 allowPrivilegeEscalation:*b? procMount:*s? seccompProfile:*SeccompProfile?
 appArmorProfile:*AppArmorProfile?
ServiceAccountTokenProjection audience:s? expirationSeconds:*i64? path:s
ShardInfo selector:s
SleepAction seconds:i64
StatefulSet @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:StatefulSetSpec?
 status:StatefulSetStatus?
StatefulSetCondition type:s status:s lastTransitionTime:Time? reason:s? message:s?
StatefulSetOrdinals start:i32
StatefulSetPersistentVolumeClaimRetentionPolicy whenDeleted:s? whenScaled:s?
StatefulSetSpec replicas:*i32? selector:*LabelSelector template:PodTemplateSpec
 volumeClaimTemplates:[]PersistentVolumeClaim? serviceName:s podManagementPolicy:s?
 updateStrategy:StatefulSetUpdateStrategy? revisionHistoryLimit:*i32? minReadySeconds:i32?
 persistentVolumeClaimRetentionPolicy:*StatefulSetPersistentVolumeClaimRetentionPolicy?
 ordinals:*StatefulSetOrdinals?
StatefulSetStatus observedGeneration:i64? replicas:i32 readyReplicas:i32? currentReplicas:i32?
 updatedReplicas:i32? currentRevision:s? updateRevision:s? collisionCount:*i32?
 conditions:[]StatefulSetCondition?+type availableReplicas:i32
StatefulSetUpdateStrategy type:s? rollingUpdate:*RollingUpdateStatefulSetStrategy?
StorageOSVolumeSource volumeName:s? volumeNamespace:s? fsType=FSType:s? readOnly:b?
 secretRef:*LocalObjectReference?
SuccessPolicy rules:[]SuccessPolicyRule
SuccessPolicyRule succeededIndexes:*s? succeededCount:*i32?
Sysctl name:s value:s
TCPSocketAction port:IntOrString host:s?
Toleration key:s? operator:s? value:s? effect:s? tolerationSeconds:*i64?
TopologySpreadConstraint maxSkew:i32 topologyKey:s whenUnsatisfiable:s labelSelector:*LabelSelector?
 minDomains:*i32? nodeAffinityPolicy:*s? nodeTaintsPolicy:*s? matchLabelKeys:[]s?
TypeMeta kind:s? apiVersion=APIVersion:s?
TypedLocalObjectReference apiGroup=APIGroup:*s kind:s name:s
TypedObjectReference apiGroup=APIGroup:*s kind:s name:s namespace:*s?
UncountedTerminatedPods succeeded:[]s? failed:[]s?
Volume name:s @VolumeSource
VolumeDevice name:s devicePath:s
VolumeMount name:s readOnly:b? recursiveReadOnly:*s? mountPath:s subPath:s? mountPropagation:*s?
 subPathExpr:s?
VolumeMountStatus name:s mountPath:s readOnly:b? recursiveReadOnly:*s? volumeStatus:*VolumeStatus?
VolumeProjection secret:*SecretProjection? downwardAPI:*DownwardAPIProjection?
 configMap:*ConfigMapProjection? serviceAccountToken:*ServiceAccountTokenProjection?
 clusterTrustBundle:*ClusterTrustBundleProjection? podCertificate:*PodCertificateProjection?
VolumeResourceRequirements limits:{}Quantity? requests:{}Quantity?
VolumeSource hostPath:*HostPathVolumeSource? emptyDir:*EmptyDirVolumeSource?
 gcePersistentDisk=GCEPersistentDisk:*GCEPersistentDiskVolumeSource?
 awsElasticBlockStore=AWSElasticBlockStore:*AWSElasticBlockStoreVolumeSource?
 gitRepo:*GitRepoVolumeSource? secret:*SecretVolumeSource? nfs=NFS:*NFSVolumeSource?
 iscsi=ISCSI:*ISCSIVolumeSource? glusterfs:*GlusterfsVolumeSource?
 persistentVolumeClaim:*PersistentVolumeClaimVolumeSource? rbd=RBD:*RBDVolumeSource?
 flexVolume:*FlexVolumeSource? cinder:*CinderVolumeSource? cephfs=CephFS:*CephFSVolumeSource?
 flocker:*FlockerVolumeSource? downwardAPI:*DownwardAPIVolumeSource? fc=FC:*FCVolumeSource?
 azureFile:*AzureFileVolumeSource? configMap:*ConfigMapVolumeSource?
 vsphereVolume:*VsphereVirtualDiskVolumeSource? quobyte:*QuobyteVolumeSource?
 azureDisk:*AzureDiskVolumeSource? photonPersistentDisk:*PhotonPersistentDiskVolumeSource?
 projected:*ProjectedVolumeSource? portworxVolume:*PortworxVolumeSource?
 scaleIO:*ScaleIOVolumeSource? storageos=StorageOS:*StorageOSVolumeSource? csi=CSI:*CSIVolumeSource?
 ephemeral:*EphemeralVolumeSource? image:*ImageVolumeSource?
VolumeStatus image:*ImageVolumeStatus?
VsphereVirtualDiskVolumeSource volumePath:s fsType=FSType:s? storagePolicyName:s? storagePolicyID:s?
WeightedPodAffinityTerm weight:i32 podAffinityTerm:PodAffinityTerm
WindowsSecurityContextOptions gmsaCredentialSpecName=GMSACredentialSpecName:*s?
 gmsaCredentialSpec=GMSACredentialSpec:*s? runAsUserName:*s? hostProcess:*b?
`;
