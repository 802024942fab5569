// SPDX-License-Identifier: Apache-2.0
#include "kinds/known_kinds.h"

#include <array>

#include "base/strings.h"
#include "kinds/plural.h"

namespace chartwright::kinds {
namespace {

/// The kinds of one API group, separated by spaces. "Kind=plural" stands for a kind whose plural is
/// not that of own_plural_of.
struct KindsOfGroup {
  std::string_view group;
  std::string_view namespaced;
  std::string_view cluster = "";
};

/// Source: the CRDs of these projects.
constexpr std::array kGroups = {
    KindsOfGroup{"acid.zalan.do", "OperatorConfiguration PostgresTeam postgresql"},
    KindsOfGroup{"acme.cert-manager.io", "Challenge Order"},
    KindsOfGroup{"agent.k8s.elastic.co", "Agent"},
    KindsOfGroup{"apm.k8s.elastic.co", "ApmServer"},
    KindsOfGroup{"argocd-image-updater.argoproj.io", "ImageUpdater"},
    KindsOfGroup{"argoproj.io",
                 "AnalysisRun AnalysisTemplate AppProject Application ApplicationSet CronWorkflow "
                 "EventBus=eventbus EventSource Experiment Rollout Sensor Workflow "
                 "WorkflowArtifactGCTask WorkflowEventBinding WorkflowTaskResult WorkflowTaskSet "
                 "WorkflowTemplate",
                 "ClusterAnalysisTemplate ClusterWorkflowTemplate"},
    KindsOfGroup{"autoops.k8s.elastic.co", "AutoOpsAgentPolicy"},
    KindsOfGroup{"autoscaling.k8s.elastic.co", "ElasticsearchAutoscaler"},
    KindsOfGroup{"autoscaling.k8s.io", "VerticalPodAutoscaler VerticalPodAutoscalerCheckpoint"},
    KindsOfGroup{"beat.k8s.elastic.co", "Beat"},
    KindsOfGroup{"bitnami.com", "SealedSecret"},
    KindsOfGroup{"cert-manager.io", "Certificate CertificateRequest Issuer", "ClusterIssuer"},
    KindsOfGroup{"cilium.io",
                 "CiliumEndpoint CiliumEnvoyConfig CiliumGatewayClassConfig "
                 "CiliumLocalRedirectPolicy CiliumNetworkPolicy",
                 "CiliumBGPAdvertisement CiliumBGPClusterConfig CiliumBGPPeeringPolicy "
                 "CiliumCIDRGroup CiliumClusterwideEnvoyConfig CiliumClusterwideNetworkPolicy "
                 "CiliumEndpointSlice CiliumIdentity CiliumL2AnnouncementPolicy "
                 "CiliumLoadBalancerIPPool CiliumNode CiliumPodIPPool"},
    KindsOfGroup{"config.gatekeeper.sh", "Config"},
    KindsOfGroup{
        "config.openshift.io", "ImagePolicy",
        "APIServer Authentication Backup Build CRIOCredentialProviderConfig ClusterImagePolicy "
        "ClusterMonitoring ClusterOperator ClusterVersion Console DNS=dnses FeatureGate Image "
        "ImageContentPolicy ImageDigestMirrorSet ImageTagMirrorSet Infrastructure Ingress "
        "InsightsDataGather Network Node OAuth OperatorHub PKI Project Proxy Scheduler"},
    KindsOfGroup{
        "configuration.konghq.com",
        "IngressClassParameters=ingressclassparameterses KongCACertificate KongCertificate "
        "KongConsumer KongConsumerGroup KongCredentialACL KongCredentialAPIKey "
        "KongCredentialBasicAuth KongCredentialHMAC KongCredentialJWT KongCustomEntity "
        "KongDataPlaneClientCertificate KongKey KongKeySet KongPlugin KongPluginBinding KongRoute "
        "KongSNI KongService KongTarget KongUpstream KongUpstreamPolicy",
        "KongClusterPlugin KongLicense KongVault"},
    KindsOfGroup{"connection.gatekeeper.sh", "Connection"},
    KindsOfGroup{"console.openshift.io", "",
                 "ConsoleCLIDownload ConsoleExternalLogLink ConsoleLink ConsoleNotification "
                 "ConsolePlugin ConsoleQuickStart ConsoleSample ConsoleYAMLSample"},
    KindsOfGroup{"crd.projectcalico.org", "NetworkPolicy NetworkSet",
                 "BGPConfiguration BGPFilter BGPPeer ClusterInformation=clusterinformations "
                 "FelixConfiguration GlobalNetworkPolicy GlobalNetworkSet HostEndpoint IPPool "
                 "IPReservation KubeControllersConfiguration"},
    KindsOfGroup{"elasticsearch.k8s.elastic.co", "Elasticsearch"},
    KindsOfGroup{"enterprisesearch.k8s.elastic.co", "EnterpriseSearch"},
    KindsOfGroup{"eventing.keda.sh", "CloudEventSource", "ClusterCloudEventSource"},
    KindsOfGroup{"expansion.gatekeeper.sh", "", "ExpansionTemplate=expansiontemplate"},
    KindsOfGroup{"extensions.istio.io", "TrafficExtension WasmPlugin"},
    KindsOfGroup{"external-secrets.io", "ExternalSecret PushSecret SecretStore",
                 "ClusterExternalSecret ClusterPushSecret ClusterSecretStore"},
    KindsOfGroup{"externaldata.gatekeeper.sh", "", "Provider"},
    KindsOfGroup{"externaldns.k8s.io", "DNSEndpoint DNSRecord"},
    KindsOfGroup{"gateway.networking.k8s.io",
                 "BackendTLSPolicy GRPCRoute Gateway HTTPRoute ListenerSet ReferenceGrant "
                 "TCPRoute TLSRoute UDPRoute",
                 "GatewayClass"},
    KindsOfGroup{"generators.external-secrets.io",
                 "ACRAccessToken BeyondtrustWorkloadCredentialsDynamicSecret "
                 "CloudsmithAccessToken ECRAuthorizationToken Fake GCRAccessToken GeneratorState "
                 "GithubAccessToken GitlabDeployToken Grafana MFA Password QuayAccessToken SSHKey "
                 "STSSessionToken UUID VaultDynamicSecret Webhook",
                 "ClusterGenerator"},
    KindsOfGroup{"grafana.integreatly.org",
                 "Grafana GrafanaAlertRuleGroup GrafanaContactPoint GrafanaDashboard "
                 "GrafanaDatasource GrafanaFolder GrafanaLibraryPanel GrafanaManifest "
                 "GrafanaMuteTiming GrafanaNotificationPolicy GrafanaNotificationPolicyRoute "
                 "GrafanaNotificationTemplate GrafanaServiceAccount"},
    KindsOfGroup{"groupsnapshot.storage.k8s.io", "VolumeGroupSnapshot",
                 "VolumeGroupSnapshotClass VolumeGroupSnapshotContent"},
    KindsOfGroup{"helm.toolkit.fluxcd.io", "HelmRelease"},
    KindsOfGroup{"image.toolkit.fluxcd.io", "ImagePolicy ImageRepository ImageUpdateAutomation"},
    KindsOfGroup{"k8s.cni.cncf.io", "NetworkAttachmentDefinition=network-attachment-definitions"},
    KindsOfGroup{"kafka.strimzi.io",
                 "Kafka KafkaBridge KafkaConnect KafkaConnector KafkaMirrorMaker2 KafkaNodePool "
                 "KafkaRebalance KafkaTopic KafkaUser"},
    KindsOfGroup{"karpenter.sh", "", "NodeClaim NodeOverlay NodePool"},
    KindsOfGroup{"keda.sh", "ScaledJob ScaledObject TriggerAuthentication",
                 "ClusterTriggerAuthentication"},
    KindsOfGroup{"kibana.k8s.elastic.co", "Kibana"},
    KindsOfGroup{"kustomize.toolkit.fluxcd.io", "Kustomization"},
    KindsOfGroup{"kyverno.io", "CleanupPolicy Policy PolicyException UpdateRequest",
                 "ClusterCleanupPolicy ClusterPolicy GlobalContextEntry"},
    KindsOfGroup{"linkerd.io", "ServiceProfile"},
    KindsOfGroup{"logstash.k8s.elastic.co", "Logstash"},
    KindsOfGroup{"machineconfiguration.openshift.io", "",
                 "ContainerRuntimeConfig ControllerConfig InternalReleaseImage KubeletConfig "
                 "MachineConfig MachineConfigNode MachineConfigPool MachineOSBuild MachineOSConfig "
                 "OSImageStream PinnedImageSet"},
    KindsOfGroup{"maps.k8s.elastic.co", "ElasticMapsServer"},
    KindsOfGroup{"metallb.io",
                 "BFDProfile BGPAdvertisement BGPPeer Community ConfigurationState IPAddressPool "
                 "L2Advertisement ServiceBGPStatus ServiceL2Status"},
    KindsOfGroup{"monitoring.coreos.com",
                 "Alertmanager AlertmanagerConfig PodMonitor Probe Prometheus PrometheusAgent "
                 "PrometheusRule ScrapeConfig ServiceMonitor ThanosRuler"},
    KindsOfGroup{"multicluster.linkerd.io", "Link"},
    KindsOfGroup{"mutations.gatekeeper.sh", "",
                 "Assign=assign AssignImage=assignimage AssignMetadata ModifySet=modifyset"},
    KindsOfGroup{"networking.istio.io",
                 "DestinationRule EnvoyFilter Gateway ProxyConfig ServiceEntry Sidecar "
                 "VirtualService WorkloadEntry WorkloadGroup"},
    KindsOfGroup{"notification.toolkit.fluxcd.io", "Alert Provider Receiver"},
    KindsOfGroup{"opentelemetry.io",
                 "ClusterObservability Instrumentation OpAMPBridge OpenTelemetryCollector "
                 "TargetAllocator"},
    KindsOfGroup{
        "operator.openshift.io", "IngressController",
        "Authentication CSISnapshotController CloudCredential ClusterAPI ClusterCSIDriver "
        "ClusterVersionOperator Config Console DNS=dnses Etcd EtcdBackup ImageContentSourcePolicy "
        "Ingress InsightsOperator KubeAPIServer KubeControllerManager KubeScheduler "
        "KubeStorageVersionMigrator MachineConfiguration Network OLM OpenShiftAPIServer "
        "OpenShiftControllerManager ServiceCA Storage"},
    KindsOfGroup{"operator.victoriametrics.com",
                 "VLAgent VLCluster VLDistributed=vldistributed VLSingle VLogs VMAgent VMAlert "
                 "VMAlertmanager VMAlertmanagerConfig VMAnomaly VMAnomalyConfig VMAuth VMCluster "
                 "VMDistributed=vmdistributed VMNodeScrape VMPodScrape VMProbe VMRule "
                 "VMScrapeConfig VMServiceScrape VMSingle VMStaticScrape VMUser VTCluster "
                 "VTSingle"},
    KindsOfGroup{"packageregistry.k8s.elastic.co", "PackageRegistry"},
    KindsOfGroup{"policies.kyverno.io",
                 "NamespacedDeletingPolicy NamespacedGeneratingPolicy "
                 "NamespacedImageValidatingPolicy NamespacedMutatingPolicy "
                 "NamespacedValidatingPolicy PolicyException",
                 "DeletingPolicy GeneratingPolicy ImageValidatingPolicy MutatingPolicy "
                 "ValidatingPolicy"},
    KindsOfGroup{"policy.linkerd.io",
                 "AuthorizationPolicy EgressNetwork HTTPLocalRateLimitPolicy HTTPRoute "
                 "MeshTLSAuthentication NetworkAuthentication Server ServerAuthorization"},
    KindsOfGroup{"postgresql.cnpg.io",
                 "Backup Cluster Database DatabaseRole FailoverQuorum ImageCatalog Pooler "
                 "Publication ScheduledBackup Subscription",
                 "ClusterImageCatalog"},
    KindsOfGroup{"projectcontour.io",
                 "ContourConfiguration ContourDeployment ExtensionService HTTPProxy "
                 "TLSCertificateDelegation"},
    KindsOfGroup{"quota.openshift.io", "", "ClusterResourceQuota"},
    KindsOfGroup{"rabbitmq.com", "RabbitmqCluster"},
    KindsOfGroup{"reports.kyverno.io", "EphemeralReport", "ClusterEphemeralReport"},
    KindsOfGroup{"route.openshift.io", "Route"},
    KindsOfGroup{"secrets-store.csi.x-k8s.io", "SecretProviderClass SecretProviderClassPodStatus"},
    KindsOfGroup{"security.istio.io",
                 "AuthorizationPolicy PeerAuthentication RequestAuthentication"},
    KindsOfGroup{"security.openshift.io", "", "SecurityContextConstraints"},
    KindsOfGroup{"serving.knative.dev", "Configuration DomainMapping Revision Route Service"},
    KindsOfGroup{"snapshot.storage.k8s.io", "VolumeSnapshot",
                 "VolumeSnapshotClass VolumeSnapshotContent"},
    KindsOfGroup{"source.extensions.fluxcd.io", "ArtifactGenerator"},
    KindsOfGroup{"source.toolkit.fluxcd.io",
                 "Bucket ExternalArtifact GitRepository HelmChart HelmRepository OCIRepository"},
    KindsOfGroup{"spire.spiffe.io", "", "ClusterFederatedTrustDomain ClusterSPIFFEID"},
    KindsOfGroup{"stackconfigpolicy.k8s.elastic.co", "StackConfigPolicy"},
    KindsOfGroup{"syncset.gatekeeper.sh", "", "SyncSet"},
    KindsOfGroup{"tekton.dev",
                 "CustomRun Pipeline PipelineRun StepAction Task TaskRun VerificationPolicy"},
    KindsOfGroup{"telemetry.istio.io", "Telemetry"},
    KindsOfGroup{"templates.gatekeeper.sh", "", "ConstraintTemplate"},
    KindsOfGroup{"traefik.containo.us",
                 "IngressRoute IngressRouteTCP IngressRouteUDP Middleware MiddlewareTCP "
                 "ServersTransport ServersTransportTCP TLSOption TLSStore TraefikService"},
    KindsOfGroup{"traefik.io",
                 "IngressRoute IngressRouteTCP IngressRouteUDP Middleware MiddlewareTCP "
                 "ServersTransport ServersTransportTCP TLSOption TLSStore TraefikService"},
    KindsOfGroup{"velero.io",
                 "Backup BackupRepository BackupStorageLocation DataDownload DataUpload "
                 "DeleteBackupRequest DownloadRequest PodVolumeBackup PodVolumeRestore Restore "
                 "Schedule ServerStatusRequest VolumeSnapshotLocation"},
    KindsOfGroup{"wgpolicyk8s.io", "PolicyReport", "ClusterPolicyReport"},
};

/// Returns the plural of `kind` if it is one of `kinds`.
std::optional<std::string> plural_among(std::string_view kinds, std::string_view kind) {
  for (const std::string_view entry : base::split(kinds, ' ')) {
    const size_t equals = entry.find('=');
    if (!kind.empty() && entry.substr(0, equals) == kind) {
      return equals == std::string_view::npos ? own_plural_of(kind)
                                              : std::string(entry.substr(equals + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<Resource> known_resource(const kube::GroupKind& kind) {
  for (const KindsOfGroup& group : kGroups) {
    if (group.group != kind.group) {
      continue;
    }
    if (auto plural = plural_among(group.namespaced, kind.kind)) {
      return Resource{*std::move(plural), kube::Scope::kNamespaced, false};
    }
    if (auto plural = plural_among(group.cluster, kind.kind)) {
      return Resource{*std::move(plural), kube::Scope::kCluster, false};
    }
  }
  return std::nullopt;
}

}  // namespace chartwright::kinds
