/**
 * Facts that a typed round trip needs and the schema file lacks, taken from the Go types by reflection
 * (k8s.io/api v0.36, and OpenShift's apps/v1 for DeploymentConfig).
 */

/**
 * The Go types of fields whose type is a named string, list or map, by `Type.jsonName`. For a pointer,
 * the type it points to. Decode errors name these types: `of type v1.PullPolicy`, not `of type string`.
 */
export const NAMED_TYPES = `
[]types.UID UncountedTerminatedPods.succeeded UncountedTerminatedPods.failed
[]v1.Capability Capabilities.add Capabilities.drop
[]v1.PersistentVolumeAccessMode PersistentVolumeClaimSpec.accessModes
 PersistentVolumeClaimStatus.accessModes
map[v1.ResourceName]resource.Quantity NodeAllocatableResourceClaimStatus.resources
map[v1.ResourceName]v1.ClaimResourceStatus PersistentVolumeClaimStatus.allocatedResourceStatuses
types.UID ObjectMeta.uid ObjectReference.uid OwnerReference.uid
v1.AppArmorProfileType AppArmorProfile.type
v1.AzureDataDiskCachingMode AzureDiskVolumeSource.cachingMode
v1.AzureDataDiskKind AzureDiskVolumeSource.kind
v1.CompletionMode JobSpec.completionMode
v1.ConcurrencyPolicy CronJobSpec.concurrencyPolicy
v1.ConditionStatus DaemonSetCondition.status DeploymentCondition.status JobCondition.status
 PersistentVolumeClaimCondition.status PodCondition.status
 PodFailurePolicyOnPodConditionsPattern.status ReplicaSetCondition.status
 ReplicationControllerCondition.status StatefulSetCondition.status
 openshift.DeploymentCondition.status
v1.ContainerRestartPolicy Container.restartPolicy EphemeralContainerCommon.restartPolicy
v1.ContainerRestartRuleAction ContainerRestartRule.action
v1.ContainerRestartRuleOnExitCodesOperator ContainerRestartRuleOnExitCodes.operator
v1.DNSPolicy PodSpec.dnsPolicy
v1.DaemonSetConditionType DaemonSetCondition.type
v1.DaemonSetUpdateStrategyType DaemonSetUpdateStrategy.type
v1.DeploymentConditionType DeploymentCondition.type openshift.DeploymentCondition.type
v1.DeploymentStrategyType DeploymentStrategy.type openshift.DeploymentStrategy.type
v1.DeploymentTriggerPolicies openshift.DeploymentConfigSpec.triggers
v1.DeploymentTriggerType openshift.DeploymentCause.type openshift.DeploymentTriggerPolicy.type
v1.HostPathType HostPathVolumeSource.type
v1.JobConditionType JobCondition.type
v1.LabelSelectorOperator LabelSelectorRequirement.operator
v1.LifecycleHookFailurePolicy openshift.LifecycleHook.failurePolicy
v1.ManagedFieldsOperationType ManagedFieldsEntry.operation
v1.MountPropagationMode VolumeMount.mountPropagation
v1.NodeInclusionPolicy TopologySpreadConstraint.nodeAffinityPolicy
 TopologySpreadConstraint.nodeTaintsPolicy
v1.NodeSelectorOperator NodeSelectorRequirement.operator
v1.OSName PodOS.name
v1.PersistentVolumeClaimConditionType PersistentVolumeClaimCondition.type
v1.PersistentVolumeClaimModifyVolumeStatus ModifyVolumeStatus.status
v1.PersistentVolumeClaimPhase PersistentVolumeClaimStatus.phase
v1.PersistentVolumeClaimRetentionPolicyType
 StatefulSetPersistentVolumeClaimRetentionPolicy.whenDeleted
 StatefulSetPersistentVolumeClaimRetentionPolicy.whenScaled
v1.PersistentVolumeMode PersistentVolumeClaimSpec.volumeMode
v1.PodConditionType PodCondition.type PodFailurePolicyOnPodConditionsPattern.type
 PodReadinessGate.conditionType
v1.PodFSGroupChangePolicy PodSecurityContext.fsGroupChangePolicy
v1.PodFailurePolicyAction PodFailurePolicyRule.action
v1.PodFailurePolicyOnExitCodesOperator PodFailurePolicyOnExitCodesRequirement.operator
v1.PodManagementPolicyType StatefulSetSpec.podManagementPolicy
v1.PodPhase PodStatus.phase
v1.PodQOSClass PodStatus.qosClass
v1.PodReplacementPolicy JobSpec.podReplacementPolicy
v1.PodResizeStatus PodStatus.resize
v1.PodSELinuxChangePolicy PodSecurityContext.seLinuxChangePolicy
v1.PreemptionPolicy PodSpec.preemptionPolicy
v1.ProcMountType SecurityContext.procMount
v1.Protocol ContainerPort.protocol
v1.PullPolicy Container.imagePullPolicy EphemeralContainerCommon.imagePullPolicy
 ImageVolumeSource.pullPolicy
v1.RecursiveReadOnlyMode VolumeMount.recursiveReadOnly VolumeMountStatus.recursiveReadOnly
v1.ReplicaSetConditionType ReplicaSetCondition.type
v1.ReplicationControllerConditionType ReplicationControllerCondition.type
v1.ResourceHealthStatus ResourceHealth.health
v1.ResourceID ResourceHealth.resourceID
v1.ResourceList ContainerStatus.allocatedResources PersistentVolumeClaimStatus.capacity
 PersistentVolumeClaimStatus.allocatedResources PodSpec.overhead PodStatus.allocatedResources
 ResourceRequirements.limits ResourceRequirements.requests VolumeResourceRequirements.limits
 VolumeResourceRequirements.requests
v1.ResourceName ContainerResizePolicy.resourceName ResourceStatus.name
v1.ResourceResizeRestartPolicy ContainerResizePolicy.restartPolicy
v1.RestartPolicy PodSpec.restartPolicy
v1.SeccompProfileType SeccompProfile.type
v1.Signal ContainerStatus.stopSignal Lifecycle.stopSignal
v1.StatefulSetConditionType StatefulSetCondition.type
v1.StatefulSetUpdateStrategyType StatefulSetUpdateStrategy.type
v1.StorageMedium EmptyDirVolumeSource.medium
v1.SupplementalGroupsPolicy PodSecurityContext.supplementalGroupsPolicy
v1.TaintEffect Toleration.effect
v1.TerminationMessagePolicy Container.terminationMessagePolicy
 EphemeralContainerCommon.terminationMessagePolicy
v1.TolerationOperator Toleration.operator
v1.URIScheme HTTPGetAction.scheme
v1.UnsatisfiableConstraintAction TopologySpreadConstraint.whenUnsatisfiable
`;

/**
 * DeploymentConfig and the types in it, in the format of the schema table. The prefix `openshift.` is not
 * part of the Go names; it separates two of these types from Kubernetes types of the same name.
 */
export const OPENSHIFT_TABLE = `
DeploymentConfig @TypeMeta metadata=ObjectMeta:ObjectMeta? spec:openshift.DeploymentConfigSpec
 status:openshift.DeploymentConfigStatus?
openshift.CustomDeploymentStrategyParams image:s? environment:[]EnvVar? command:[]s?
openshift.DeploymentCause type:s imageTrigger:*openshift.DeploymentCauseImageTrigger?
openshift.DeploymentCauseImageTrigger from:ObjectReference
openshift.DeploymentCondition type:s status:s lastUpdateTime:Time? lastTransitionTime:Time?
 reason:s? message:s?
openshift.DeploymentConfigSpec strategy:openshift.DeploymentStrategy minReadySeconds:i32?
 triggers:[]openshift.DeploymentTriggerPolicy replicas:i32 revisionHistoryLimit:*i32? test:b
 paused:b? selector:{}s? template:*PodTemplateSpec?
openshift.DeploymentConfigStatus latestVersion:i64 observedGeneration:i64 replicas:i32
 updatedReplicas:i32 availableReplicas:i32 unavailableReplicas:i32
 details:*openshift.DeploymentDetails? conditions:[]openshift.DeploymentCondition?+type
 readyReplicas:i32?
openshift.DeploymentDetails message:s? causes:[]openshift.DeploymentCause
openshift.DeploymentStrategy type:s? customParams:*openshift.CustomDeploymentStrategyParams?
 recreateParams:*openshift.RecreateDeploymentStrategyParams?
 rollingParams:*openshift.RollingDeploymentStrategyParams? resources:ResourceRequirements?
 labels:{}s? annotations:{}s? activeDeadlineSeconds:*i64?
openshift.DeploymentTriggerImageChangeParams automatic:b? containerNames:[]s? from:ObjectReference
 lastTriggeredImage:s?
openshift.DeploymentTriggerPolicy type:s?
 imageChangeParams:*openshift.DeploymentTriggerImageChangeParams?
openshift.ExecNewPodHook command:[]s env:[]EnvVar? containerName:s volumes:[]s?
openshift.LifecycleHook failurePolicy:s execNewPod:*openshift.ExecNewPodHook?
 tagImages:[]openshift.TagImageHook?
openshift.RecreateDeploymentStrategyParams timeoutSeconds:*i64? pre:*openshift.LifecycleHook?
 mid:*openshift.LifecycleHook? post:*openshift.LifecycleHook?
openshift.RollingDeploymentStrategyParams updatePeriodSeconds:*i64? intervalSeconds:*i64?
 timeoutSeconds:*i64? maxUnavailable:*IntOrString? maxSurge:*IntOrString?
 pre:*openshift.LifecycleHook? post:*openshift.LifecycleHook?
openshift.TagImageHook containerName:s to:ObjectReference
`;
