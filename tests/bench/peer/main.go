// Command peer answers admission reviews with Istio's own injector, so that ours can be measured and
// compared against it on the same machine, with the same settings and the same pods.
//
//	peer -settings DIR [-listen ADDR] [-plain] [-nodes v1.33.0,v1.34.0]
//	peer -stdin < rows.jsonl > answers.jsonl
//
// A settings directory holds config.yaml, values.json and mesh.yaml. The first form serves them over
// TLS (or HTTP with -plain) and prints the address once it listens. The second needs no socket: each
// line in is a row (see below), each line out is its answer, in order. Rows may name different
// settings, nodes and environments; a webhook is built for each combination when first asked for.
package main

import (
	"bufio"
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	stdlog "log"
	"math/big"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"istio.io/istio/pilot/pkg/features"
	"istio.io/istio/pilot/pkg/model"
	"istio.io/istio/pkg/config/constants"
	"istio.io/istio/pkg/config/mesh"
	"istio.io/istio/pkg/config/mesh/meshwatcher"
	commonfeatures "istio.io/istio/pkg/features"
	"istio.io/istio/pkg/kube"
	"istio.io/istio/pkg/kube/inject"
	"istio.io/istio/pkg/kube/multicluster"
	"istio.io/istio/pkg/log"
)

// place is what a webhook is built from: where its settings are, and the cluster it believes in.
type place struct {
	settings string
	nodes    string // kubelet versions, joined by commas
	platform string // "", "openshift"
	revision string
}

// row is one question of the -stdin mode. What is left out takes the flags' value. A row with "encode"
// asks for something else: that pod as Go's types encode it, which is how the API server sends pods.
type row struct {
	Encode   json.RawMessage   `json:"encode"`
	Path     string            `json:"path"`
	Review   json.RawMessage   `json:"review"`
	Settings string            `json:"settings"`
	Nodes    *string           `json:"nodes"`
	Env      map[string]string `json:"env"` // PLATFORM, COMPLIANCE_POLICY, ENABLE_NATIVE_SIDECARS
}

// answer is its reply: the HTTP status and body, or what the injector panicked with, or why no webhook
// could be built.
type answer struct {
	Status int    `json:"status,omitempty"`
	Body   string `json:"body,omitempty"`
	Panic  string `json:"panic,omitempty"`
	Error  string `json:"error,omitempty"`
}

func main() {
	settings := flag.String("settings", "", "directory with config.yaml, values.json, mesh.yaml")
	nodes := flag.String("nodes", "v1.33.0,v1.34.0", "kubelet versions of the cluster's nodes node-1, node-2, …")
	revision := flag.String("revision", "default", "revision of the injector")
	listen := flag.String("listen", "127.0.0.1:0", "address to serve on")
	plain := flag.Bool("plain", false, "serve HTTP instead of HTTPS")
	certFile := flag.String("cert", "", "certificate (PEM); without one, a self-signed one is made")
	keyFile := flag.String("key", "", "its key (PEM)")
	stdin := flag.Bool("stdin", false, "answer rows from standard input instead of serving")
	verbose := flag.Bool("verbose", false, "keep the injector's logs, on stderr")
	flag.Parse()
	quiet(*verbose)

	here := place{
		settings: *settings,
		nodes:    *nodes,
		platform: os.Getenv("PLATFORM"),
		revision: *revision,
	}
	var err error
	if *stdin {
		err = answerRows(here, os.Stdin, os.Stdout)
	} else {
		err = serve(here, *listen, *plain, *certFile, *keyFile)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "peer:", err)
		os.Exit(1)
	}
}

// quiet turns the injector's logs off: they would be measured with it.
func quiet(verbose bool) {
	stdlog.SetOutput(io.Discard)
	options := log.DefaultOptions()
	level := log.NoneLevel
	if verbose {
		options.OutputPaths = []string{"stderr"}
		level = log.DebugLevel
	}
	if err := log.Configure(options); err != nil {
		panic(err)
	}
	for _, scope := range log.Scopes() {
		scope.SetOutputLevel(level)
	}
}

// handler builds the webhook of a place: its own mux, mesh and fake cluster. With live it follows
// changes of the settings' files, as istiod does.
func handler(p place, live bool) (http.Handler, error) {
	if p.settings == "" {
		return nil, errors.New("no settings directory given")
	}
	meshText, err := os.ReadFile(filepath.Join(p.settings, "mesh.yaml"))
	if err != nil {
		return nil, err
	}
	meshConfig, err := mesh.ApplyMeshConfigDefaults(string(meshText))
	if err != nil {
		return nil, err
	}
	environment := &model.Environment{Watcher: meshwatcher.NewTestWatcher(meshConfig)}
	environment.SetPushContext(&model.PushContext{ProxyConfigs: &model.ProxyConfigs{}})

	watcher, err := inject.NewFileWatcher(
		filepath.Join(p.settings, "config.yaml"), filepath.Join(p.settings, "values.json"))
	if err != nil {
		return nil, err
	}
	if !live {
		// A user may only have so many watchers. One that is told to stop before it runs is closed.
		stopped := make(chan struct{})
		close(stopped)
		defer watcher.Run(stopped)
	}

	if err := os.Setenv("PLATFORM", p.platform); err != nil {
		return nil, err
	}
	clusters := multicluster.NewFakeController()
	mux := http.NewServeMux()
	mux.HandleFunc("/ready", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	webhook, err := inject.NewWebhook(inject.WebhookParameters{
		Watcher:      watcher,
		Env:          environment,
		Mux:          mux,
		Revision:     p.revision,
		MultiCluster: clusters,
	})
	if err != nil {
		return nil, err
	}

	// The webhook subscribes to clusters while it is built, so the cluster comes after it.
	stop := make(chan struct{})
	client := kube.NewFakeClient(clusterObjects(p.nodes)...)
	clusters.Add(constants.DefaultClusterName, client, stop)
	client.RunAndWait(stop)
	if live {
		webhook.Run(stop)
	}
	return mux, nil
}

// clusterObjects are the nodes, and the namespace that carries OpenShift's id ranges.
func clusterObjects(nodes string) []runtime.Object {
	const idRange = "1000620000/10000"
	objects := []runtime.Object{&corev1.Namespace{ObjectMeta: metav1.ObjectMeta{
		Name: "test-ns",
		Annotations: map[string]string{
			"openshift.io/sa.scc.uid-range":           idRange,
			"openshift.io/sa.scc.supplemental-groups": idRange,
		},
	}}}
	if nodes == "" {
		return objects
	}
	for i, version := range strings.Split(nodes, ",") {
		objects = append(objects, &corev1.Node{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%d", i+1)},
			Status:     corev1.NodeStatus{NodeInfo: corev1.NodeSystemInfo{KubeletVersion: version}},
		})
	}
	return objects
}

func serve(p place, address string, plain bool, certFile, keyFile string) error {
	mux, err := handler(p, true)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", address)
	if err != nil {
		return err
	}
	scheme := "http"
	if !plain {
		certificate, err := certificateOf(certFile, keyFile)
		if err != nil {
			return err
		}
		listener = tls.NewListener(listener, &tls.Config{
			Certificates: []tls.Certificate{certificate},
			MinVersion:   tls.VersionTLS12,
			NextProtos:   []string{"http/1.1"},
		})
		scheme = "https"
	}
	fmt.Printf("%s://%s\n", scheme, listener.Addr())
	server := &http.Server{
		Handler:           mux,
		ReadHeaderTimeout: 30 * time.Second,
		IdleTimeout:       90 * time.Second,
		ErrorLog:          stdlog.New(io.Discard, "", 0),
	}
	return server.Serve(listener)
}

func certificateOf(certFile, keyFile string) (tls.Certificate, error) {
	if certFile != "" {
		return tls.LoadX509KeyPair(certFile, keyFile)
	}
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return tls.Certificate{}, err
	}
	facts := &x509.Certificate{
		SerialNumber: big.NewInt(1),
		Subject:      pkix.Name{CommonName: "peer"},
		DNSNames:     []string{"localhost"},
		IPAddresses:  []net.IP{net.IPv4(127, 0, 0, 1)},
		NotBefore:    time.Now().Add(-time.Hour),
		NotAfter:     time.Now().Add(24 * time.Hour),
	}
	der, err := x509.CreateCertificate(rand.Reader, facts, facts, &key.PublicKey, key)
	if err != nil {
		return tls.Certificate{}, err
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, nil
}

func answerRows(base place, in io.Reader, out io.Writer) error {
	handlers := map[place]http.Handler{}
	lines := bufio.NewReaderSize(in, 1<<20)
	writer := bufio.NewWriterSize(out, 1<<20)
	defer writer.Flush()
	encoder := json.NewEncoder(writer)
	encoder.SetEscapeHTML(false)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			reply, err := answerRow(handlers, base, line)
			if err != nil {
				return err
			}
			if err := encoder.Encode(reply); err != nil {
				return err
			}
			// A caller that waits for this answer before it asks again must get it now.
			if lines.Buffered() == 0 {
				if err := writer.Flush(); err != nil {
					return err
				}
			}
		}
		if errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
	}
}

func answerRow(handlers map[place]http.Handler, base place, line []byte) (answer, error) {
	var question row
	if err := json.Unmarshal(line, &question); err != nil {
		return answer{}, fmt.Errorf("bad row: %w", err)
	}
	if question.Encode != nil {
		return encode(question.Encode), nil
	}
	where := base
	if question.Settings != "" {
		where.settings = question.Settings
	}
	if question.Nodes != nil {
		where.nodes = *question.Nodes
	}
	if platform, given := question.Env["PLATFORM"]; given {
		where.platform = platform
	}
	mux := handlers[where]
	if mux == nil {
		// A webhook built with native sidecars off never looks at nodes again: rows may turn them on.
		features.EnableNativeSidecars = features.NativeSidecarModeAuto
		var err error
		if mux, err = handler(where, false); err != nil {
			return answer{Error: err.Error()}, nil
		}
		handlers[where] = mux
	}
	enter(where, question.Env)
	request, err := http.NewRequest(http.MethodPost, "http://peer"+question.Path, bytes.NewReader(question.Review))
	if err != nil {
		return answer{}, err
	}
	request.Header.Set("Content-Type", "application/json")
	return ask(mux, request), nil
}

func encode(text []byte) answer {
	var pod corev1.Pod
	if err := json.Unmarshal(text, &pod); err != nil {
		return answer{Status: http.StatusBadRequest, Body: err.Error()}
	}
	typed, err := json.Marshal(pod)
	if err != nil {
		return answer{Status: http.StatusInternalServerError, Body: err.Error()}
	}
	return answer{Status: http.StatusOK, Body: string(typed)}
}

// enter sets what the injector reads from its process's environment, for one row.
func enter(where place, env map[string]string) {
	os.Setenv("PLATFORM", where.platform)
	commonfeatures.CompliancePolicy = env["COMPLIANCE_POLICY"]
	switch env["ENABLE_NATIVE_SIDECARS"] {
	case "true":
		features.EnableNativeSidecars = features.NativeSidecarModeEnabled
	case "", "auto":
		features.EnableNativeSidecars = features.NativeSidecarModeAuto
	default:
		features.EnableNativeSidecars = features.NativeSidecarModeDisabled
	}
}

func ask(mux http.Handler, request *http.Request) (reply answer) {
	defer func() {
		if cause := recover(); cause != nil {
			reply = answer{Panic: fmt.Sprint(cause)}
		}
	}()
	recorder := httptest.NewRecorder()
	mux.ServeHTTP(recorder, request)
	return answer{Status: recorder.Code, Body: recorder.Body.String()}
}
