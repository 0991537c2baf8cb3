// Package chart renders the chart in deploy/helm/rcpt with Helm's own engine
// and decodes the manifests into the types of Kubernetes, which know every
// field: one that is misspelt or in the wrong place is an error. It needs
// neither a cluster nor the internet.
package chart

import (
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/lint/support"
	"helm.sh/helm/v3/pkg/releaseutil"
	appsv1 "k8s.io/api/apps/v1"
	corev1 "k8s.io/api/core/v1"
	networkingv1 "k8s.io/api/networking/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/client-go/kubernetes/scheme"
	"sigs.k8s.io/yaml"
)

const chartFolder = "../../deploy/helm/rcpt"

// values are those of the two kinds of installation, in YAML.
var values = map[string]string{
	"embedded": ``,
	"shared": `
replicas: 3
database: {existingSecret: db}
existingSecret: env
ingress: {enabled: true, tlsSecret: tls}
serviceMonitor: {enabled: true}
config: {helo: v.example.com, trusted-proxy: [10.0.0.0/8]}
`,
}

// render returns the manifests of the chart with values.
func render(t *testing.T, text string) ([]string, error) {
	t.Helper()
	loaded, err := loader.Load(chartFolder)
	check(t, err)
	given, err := chartutil.ReadValues([]byte(text))
	check(t, err)
	capabilities := chartutil.DefaultCapabilities.Copy()
	capabilities.KubeVersion = chartutil.KubeVersion{Version: "v1.31.0", Major: "1", Minor: "31"}
	all, err := chartutil.ToRenderValues(loaded, given, chartutil.ReleaseOptions{Name: "rcpt", Namespace: "default", IsInstall: true}, capabilities)
	check(t, err)
	files, err := engine.Engine{Strict: true}.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	var manifests []string
	for _, name := range slices.Sorted(maps.Keys(files)) {
		if path.Ext(name) == ".yaml" {
			manifests = append(manifests, slices.Collect(maps.Values(releaseutil.SplitManifests(files[name])))...)
		}
	}
	return manifests, nil
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// decode reads a manifest of Kubernetes. Unknown and repeated fields are
// errors. What belongs to the Prometheus operator is nil.
func decode(manifest string) (runtime.Object, error) {
	var kind struct{ APIVersion, Kind string }
	if err := yaml.Unmarshal([]byte(manifest), &kind); err != nil {
		return nil, err
	}
	if kind.APIVersion == "monitoring.coreos.com/v1" {
		return nil, nil
	}
	decoder := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, json.SerializerOptions{Yaml: true, Strict: true})
	object, _, err := decoder.Decode([]byte(manifest), nil, nil)
	if err != nil {
		return nil, fmt.Errorf("%s: %w in\n%s", kind.Kind, err, manifest)
	}
	return object, nil
}

// TestManifests: each field is one of Kubernetes, and the objects fit each
// other: selectors select, ports and volumes have the names that others use.
func TestManifests(t *testing.T) {
	for name, text := range values {
		t.Run(name, func(t *testing.T) {
			manifests, err := render(t, text)
			check(t, err)
			var all objects
			for _, manifest := range manifests {
				object, err := decode(manifest)
				if err != nil {
					t.Error(err)
				}
				all.add(object)
			}
			all.fit(t)
			if shared := name == "shared"; shared != (all.ingress != nil) || shared == (all.claim != nil) {
				t.Errorf("ingress %v, claim %v", all.ingress != nil, all.claim != nil)
			}
		})
	}
}

// objects are what the chart makes. A second service is that of the metrics.
type objects struct {
	workload *appsv1.Deployment
	services []*corev1.Service
	config   *corev1.ConfigMap
	claim    *corev1.PersistentVolumeClaim
	ingress  *networkingv1.Ingress
}

func (all *objects) add(object runtime.Object) {
	switch o := object.(type) {
	case *appsv1.Deployment:
		all.workload = o
	case *corev1.Service:
		all.services = append(all.services, o)
	case *corev1.ConfigMap:
		all.config = o
	case *corev1.PersistentVolumeClaim:
		all.claim = o
	case *networkingv1.Ingress:
		all.ingress = o
	}
}

// fit fails unless the objects refer to each other by names that exist.
func (all *objects) fit(t *testing.T) {
	if all.workload == nil || len(all.services) == 0 || all.config == nil {
		t.Fatalf("workload %v, %d services, configuration %v", all.workload != nil, len(all.services), all.config != nil)
	}
	pod := all.workload.Spec.Template
	selectors := map[string]map[string]string{"workload": all.workload.Spec.Selector.MatchLabels}
	for _, service := range all.services {
		selectors[service.Name] = service.Spec.Selector
	}
	for of, selector := range selectors {
		for label, value := range selector {
			if pod.Labels[label] != value {
				t.Errorf("the selector of %s has %s=%s, and the pod has %q", of, label, value, pod.Labels)
			}
		}
		if len(selector) == 0 {
			t.Errorf("%s selects everything", of)
		}
	}
	container := pod.Spec.Containers[0]
	hasPort := func(of string, port intstr.IntOrString) {
		if !slices.ContainsFunc(container.Ports, func(p corev1.ContainerPort) bool { return port == intstr.FromString(p.Name) }) {
			t.Errorf("%s: the container has no port %s", of, port.String())
		}
	}
	for _, service := range all.services {
		for _, port := range service.Spec.Ports {
			hasPort(service.Name, port.TargetPort)
		}
	}
	hasPort("liveness", container.LivenessProbe.HTTPGet.Port)
	hasPort("readiness", container.ReadinessProbe.HTTPGet.Port)
	all.volumesFit(t)
	if all.ingress != nil {
		backend := all.ingress.Spec.Rules[0].HTTP.Paths[0].Backend.Service
		if !slices.ContainsFunc(all.services, func(s *corev1.Service) bool {
			return s.Name == backend.Name && s.Spec.Ports[0].Name == backend.Port.Name
		}) {
			t.Errorf("there is no service %s with a port %s for the ingress", backend.Name, backend.Port.Name)
		}
	}
}

// volumesFit fails unless what is mounted is there.
func (all *objects) volumesFit(t *testing.T) {
	pod := all.workload.Spec.Template
	volumes := map[string]bool{}
	for _, volume := range pod.Spec.Volumes {
		volumes[volume.Name] = true
		if volume.ConfigMap != nil && volume.ConfigMap.Name != all.config.Name {
			t.Errorf("the configuration is %s, mounted is %s", all.config.Name, volume.ConfigMap.Name)
		}
		if volume.PersistentVolumeClaim != nil && (all.claim == nil || volume.PersistentVolumeClaim.ClaimName != all.claim.Name) {
			t.Errorf("there is no claim %s", volume.PersistentVolumeClaim.ClaimName)
		}
	}
	for _, mount := range pod.Spec.Containers[0].VolumeMounts {
		if !volumes[mount.Name] {
			t.Errorf("there is no volume %s", mount.Name)
		}
	}
}

// TestWrongManifests: the check itself finds misspelt, misplaced and repeated
// fields, and wrong types.
func TestWrongManifests(t *testing.T) {
	const service = "apiVersion: v1\nkind: Service\nmetadata: {name: a}\nspec:\n  ports: [{port: 80}]\n"
	if _, err := decode(service); err != nil {
		t.Error(err)
	}
	for name, manifest := range map[string]string{
		"misspelt":     service + "  selectors: {a: b}\n",
		"misplaced":    service + "selector: {a: b}\n",
		"repeated":     service + "  ports: []\n",
		"wrong type":   service + "  clusterIP: [1]\n",
		"unknown kind": strings.Replace(service, "Service", "Servis", 1),
	} {
		if _, err := decode(manifest); err == nil {
			t.Errorf("%s: no error", name)
		}
	}
}

// TestChart: Helm's linter has nothing to say, rcpt takes the configuration,
// and several replicas need a shared database.
func TestChart(t *testing.T) {
	for name, text := range values {
		given, err := chartutil.ReadValues([]byte(text))
		check(t, err)
		for _, message := range lint.All(chartFolder, given, "default", true).Messages {
			if message.Severity > support.InfoSev {
				t.Errorf("%s: %s", name, message)
			}
		}
	}
	if _, err := render(t, "replicas: 2"); err == nil || !strings.Contains(err.Error(), "shared database") {
		t.Errorf("two replicas with an embedded database: %v", err)
	}
}

// TestConfiguration: rcpt takes the configuration of the chart.
func TestConfiguration(t *testing.T) {
	rcpt := filepath.Join(t.TempDir(), "rcpt")
	build := exec.CommandContext(t.Context(), "go", "build", "-o", rcpt, "./cmd/rcpt")
	build.Dir = filepath.Join("..", "..")
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	for name, text := range values {
		manifests, err := render(t, text)
		check(t, err)
		var all objects
		for _, manifest := range manifests {
			object, err := decode(manifest)
			check(t, err)
			all.add(object)
		}
		file := filepath.Join(t.TempDir(), "rcpt.yaml")
		check(t, os.WriteFile(file, []byte(all.config.Data["rcpt.yaml"]), 0o600))
		if out, err := exec.CommandContext(t.Context(), rcpt, "config", "check", file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", name, err, out)
		}
	}
}
