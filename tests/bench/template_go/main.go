// The baseline of the template benchmark: Go's own text/template with sprig and the functions that
// injection templates call, on the same template, values and pod. Prints how often a second
// of processor time it
// renders them, and writes what it rendered for comparison.
package main

import (
	"encoding/json"
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"text/template"
	"time"

	"github.com/Masterminds/sprig/v3"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	meshconfig "istio.io/api/mesh/v1alpha1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

type name struct{ Name, Namespace string }

type data struct {
	TypeMeta                 metav1.TypeMeta
	DeploymentMeta           name
	ObjectMeta               metav1.ObjectMeta
	Spec                     corev1.PodSpec
	ProxyConfig              *meshconfig.ProxyConfig
	MeshConfig               *meshconfig.MeshConfig
	Values                   map[string]any
	Revision                 string
	NativeSidecars           bool
	ProxyImage               string
	ProxyInitImage           string
	ProxyUID, ProxyGID       int64
	InboundTrafficPolicyMode string
	CompliancePolicy         string
}

type input struct {
	Template       string          `json:"template"`
	Values         map[string]any  `json:"values"`
	Pod            corev1.Pod      `json:"pod"`
	ProxyConfig    json.RawMessage `json:"proxyConfig"`
	MeshConfig     json.RawMessage `json:"meshConfig"`
	ProxyImage     string          `json:"proxyImage"`
	NativeSidecars bool            `json:"nativeSidecars"`
	Seconds        float64         `json:"seconds"`
}

func ports(cs []corev1.Container) string {
	var out []string
	for _, c := range cs {
		for _, p := range c.Ports {
			if p.Protocol != corev1.ProtocolUDP && p.Protocol != corev1.ProtocolSCTP {
				out = append(out, strconv.Itoa(int(p.ContainerPort)))
			}
		}
	}
	return strings.Join(out, ",")
}

func toJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

func omitNil(v any) any {
	m, ok := v.(map[string]any)
	if !ok {
		return v
	}
	out := map[string]any{}
	for k, e := range m {
		if e = omitNil(e); e != nil {
			out[k] = e
		}
	}
	return out
}

func functions() template.FuncMap {
	f := sprig.TxtFuncMap()
	f["annotation"] = func(m metav1.ObjectMeta, k string, d any) string {
		if v, ok := m.Annotations[k]; ok {
			return v
		}
		return fmt.Sprint(d)
	}
	f["isset"] = func(m map[string]string, k string) bool { _, ok := m[k]; return ok }
	f["valueOrDefault"] = func(v, d any) any {
		if v == nil || v == "" {
			return d
		}
		return v
	}
	f["excludeInboundPort"] = func(port any, list string) string {
		p := strings.TrimSpace(fmt.Sprint(port))
		if p == "" || p == "0" || list == p {
			return list
		}
		if list == "" {
			return p
		}
		return list + "," + p
	}
	f["includeInboundPorts"] = ports
	f["applicationPorts"] = ports
	f["toYaml"] = func(v any) string {
		b, err := yaml.Marshal(v)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	f["indent"] = func(n int, s string) string {
		return strings.ReplaceAll(s, "\n", "\n"+strings.Repeat(" ", n))
	}
	f["structToJSON"] = toJSON
	f["toJSON"] = toJSON
	f["toJsonMap"] = func(ms ...map[string]string) string {
		out := map[string]string{}
		for _, m := range ms {
			for k, v := range m {
				out[k] = v
			}
		}
		return toJSON(out)
	}
	f["strdict"] = func(kv ...string) map[string]string {
		out := map[string]string{}
		for i := 0; i+1 < len(kv); i += 2 {
			out[kv[i]] = kv[i+1]
		}
		return out
	}
	f["mergeMaps"] = func(ms ...map[string]string) map[string]string {
		out := map[string]string{}
		for _, m := range ms {
			for k, v := range m {
				out[k] = v
			}
		}
		return out
	}
	f["omit"] = func(m map[string]string, keys ...string) map[string]string {
		out := map[string]string{}
		for k, v := range m {
			out[k] = v
		}
		for _, k := range keys {
			delete(out, k)
		}
		return out
	}
	f["omitNil"] = omitNil
	f["protoToJSON"] = func(m proto.Message) string {
		b, err := protojson.Marshal(m)
		if err != nil {
			panic(err)
		}
		return string(b)
	}
	f["otelResourceAttributes"] = func(...any) string { return "" }
	f["appendMultusNetwork"] = func(a, b string) string { return a + ", " + b }
	f["directory"] = func(p string) string { return p[:strings.LastIndex(p, "/")+1] }
	f["contains"] = func(needle, hay string) bool { return strings.Contains(hay, needle) }
	f["toLower"] = strings.ToLower
	f["env"] = func(_ string, d string) string { return d }
	f["fromJSON"] = func(s string) any {
		var v any
		if json.Unmarshal([]byte(s), &v) != nil {
			return "{}"
		}
		return v
	}
	f["formatDuration"] = func(d interface{ AsDuration() time.Duration }) string {
		return d.AsDuration().String()
	}
	f["kubevirtInterfaces"] = func(s string) string { return s }
	f["excludeInterfaces"] = func(s string) string { return s }
	return f
}

func main() {
	raw, err := os.ReadFile(os.Args[1])
	check(err)
	var in input
	check(json.Unmarshal(raw, &in))
	pc, mc := &meshconfig.ProxyConfig{}, &meshconfig.MeshConfig{}
	check(protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(in.ProxyConfig, pc))
	check(protojson.UnmarshalOptions{DiscardUnknown: true}.Unmarshal(in.MeshConfig, mc))
	t, err := template.New("inject").Funcs(functions()).Parse(in.Template)
	check(err)
	d := data{
		TypeMeta: metav1.TypeMeta{Kind: "Deployment", APIVersion: "apps/v1"}, DeploymentMeta: name{"hello", ""},
		ObjectMeta: in.Pod.ObjectMeta, Spec: in.Pod.Spec, ProxyConfig: pc, MeshConfig: mc, Values: in.Values,
		Revision: "default", NativeSidecars: in.NativeSidecars, ProxyImage: in.ProxyImage,
		ProxyInitImage: in.ProxyImage, ProxyUID: 1337, ProxyGID: 1337, InboundTrafficPolicyMode: "passthrough",
	}
	var out strings.Builder
	check(t.Execute(&out, &d))
	check(os.WriteFile(os.Args[2], []byte(out.String()), 0o644))
	n, start, cpu := 0, time.Now(), processorSeconds()
	for time.Since(start).Seconds() < in.Seconds {
		for i := 0; i < 20; i++ {
			out.Reset()
			check(t.Execute(&out, &d))
			n++
		}
	}
	fmt.Printf("%.1f\n", float64(n)/(processorSeconds()-cpu))
}

// processorSeconds is the time this process has had a processor.
func processorSeconds() float64 {
	var u syscall.Rusage
	check(syscall.Getrusage(syscall.RUSAGE_SELF, &u))
	seconds := func(t syscall.Timeval) float64 { return float64(t.Sec) + float64(t.Usec)/1e6 }
	return seconds(u.Utime) + seconds(u.Stime)
}

func check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
