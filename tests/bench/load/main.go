// Command load sends admission reviews over TLS and says how long they took, as one line of JSON.
//
//	load -mode rate  -address HOST:PORT -bodies FILE -rate 150 -seconds 10 -connections 16
//	load -mode count -address HOST:PORT -bodies FILE -count 10000 -connections 16
//	load -mode start -address HOST:PORT -bodies FILE -- program args…
//
// rate is an open loop: requests are due at fixed times whether or not earlier ones were answered, and a
// request's latency counts from the moment it was due, so that a server that stalls is charged for all
// who would have asked meanwhile. count is a closed loop, each connection asking as soon as it was
// answered. start runs the program and counts from then to its first answer.
//
// FILE has a review a line. Marks in it (a run of "@" for the random part of a volume's name, of "#" and
// dashes for the review's uid) are replaced by a value of each request's own.
package main

import (
	"bufio"
	"bytes"
	"crypto/tls"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"os"
	"os/exec"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

const (
	suffixMark = "@@@@@"
	uidMark    = "########-####-####-####-############"
	letters    = "bcdfghjklmnpqrstvwxz2456789"
	hex        = "0123456789abcdef"
	// A program that has not answered by then never will.
	startTimeout = 30 * time.Second
	ioTimeout    = 60 * time.Second
)

// result is what is printed. Times are in microseconds.
type result struct {
	Requests int     `json:"requests"`
	Failed   int     `json:"failed"`
	Error    string  `json:"error,omitempty"` // of the first that failed
	Seconds  float64 `json:"seconds"`
	P50      float64 `json:"p50"`
	P90      float64 `json:"p90"`
	P99      float64 `json:"p99"`
	P999     float64 `json:"p999"`
	Max      float64 `json:"max"`
	Mean     float64 `json:"mean"`
	Bytes    int64   `json:"bytes"` // of answers
	// Late is how long after it was due the 99th of a hundred requests was taken up by an idle connection:
	// what of the latency is this program's own.
	Late float64 `json:"late"`
}

func main() {
	mode := flag.String("mode", "rate", "rate, count or start")
	address := flag.String("address", "", "where to send reviews")
	file := flag.String("bodies", "", "file with a review a line")
	rate := flag.Float64("rate", 100, "requests a second")
	seconds := flag.Float64("seconds", 10, "how long to send; with count at most")
	count := flag.Int("count", 1000, "how many to send")
	connections := flag.Int("connections", 16, "how many connections to keep")
	flag.Parse()

	bodies, err := readBodies(*file)
	if err == nil {
		load := load{address: *address, bodies: bodies}
		length := time.Duration(*seconds * float64(time.Second))
		var found result
		switch *mode {
		case "rate":
			found, err = load.steadily(*rate, length, *connections)
		case "count":
			found, err = load.counted(*count, length, *connections)
		case "start":
			found, err = load.started(flag.Args())
		default:
			err = fmt.Errorf("unknown mode %q", *mode)
		}
		if err == nil {
			err = json.NewEncoder(os.Stdout).Encode(found)
		}
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "load:", err)
		os.Exit(1)
	}
}

// body is a review cut at its marks: parts[i] is followed by marks[i].
type body struct {
	parts  [][]byte
	marks  []string
	length int
}

func readBodies(file string) ([]body, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var bodies []body
	for line := range bytes.Lines(text) {
		bodies = append(bodies, cut(bytes.TrimRight(line, "\n")))
	}
	if len(bodies) == 0 {
		return nil, fmt.Errorf("%s is empty", file)
	}
	return bodies, nil
}

func cut(line []byte) body {
	whole := body{length: len(line)}
	for {
		at, mark := len(line), ""
		for _, one := range []string{suffixMark, uidMark} {
			if i := bytes.Index(line, []byte(one)); i >= 0 && i < at {
				at, mark = i, one
			}
		}
		whole.parts = append(whole.parts, line[:at])
		if mark == "" {
			return whole
		}
		whole.marks = append(whole.marks, mark)
		line = line[at+len(mark):]
	}
}

// request writes a whole HTTP request into the buffer.
func (b body) request(buffer []byte) []byte {
	buffer = append(buffer[:0], "POST /inject HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "...)
	buffer = strconv.AppendInt(buffer, int64(b.length), 10)
	buffer = append(buffer, "\r\n\r\n"...)
	var suffix [len(suffixMark)]byte
	for i := range suffix {
		suffix[i] = letters[rand.IntN(len(letters))]
	}
	for i, part := range b.parts {
		buffer = append(buffer, part...)
		if i == len(b.marks) {
			break
		}
		if b.marks[i] == suffixMark {
			buffer = append(buffer, suffix[:]...)
			continue
		}
		for _, char := range []byte(uidMark) {
			if char == '#' {
				char = hex[rand.IntN(len(hex))]
			}
			buffer = append(buffer, char)
		}
	}
	return buffer
}

type load struct {
	address string
	bodies  []body
	next    atomic.Int64
}

type connection struct {
	socket net.Conn
	reader *bufio.Reader
	buffer []byte
}

func (l *load) connect() (*connection, error) {
	dialer := net.Dialer{Timeout: 10 * time.Second}
	socket, err := tls.DialWithDialer(&dialer, "tcp", l.address, &tls.Config{
		// The server is ours, on this machine, with a certificate made for the occasion.
		InsecureSkipVerify: true,
		NextProtos:         []string{"http/1.1"},
	})
	if err != nil {
		return nil, err
	}
	return &connection{socket: socket, reader: bufio.NewReaderSize(socket, 64<<10)}, nil
}

// ask sends the next review and reads its answer; it gives the bytes of it.
func (l *load) ask(c *connection) (int64, error) {
	index := l.next.Add(1) - 1
	c.buffer = l.bodies[index%int64(len(l.bodies))].request(c.buffer)
	if err := c.socket.SetDeadline(time.Now().Add(ioTimeout)); err != nil {
		return 0, err
	}
	if _, err := c.socket.Write(c.buffer); err != nil {
		return 0, err
	}
	response, err := http.ReadResponse(c.reader, nil)
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	size, err := io.Copy(io.Discard, response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = errors.New(response.Status)
	}
	return size, err
}

// tally is what one connection saw.
type tally struct {
	latencies []time.Duration
	late      []time.Duration
	failed    int
	err       error
	bytes     int64
}

// each runs the work on every connection at once, and adds up what they saw.
func (l *load) each(connections int, work func(c *connection, seen *tally)) (result, error) {
	sockets := make([]*connection, connections)
	for i := range sockets {
		var err error
		if sockets[i], err = l.connect(); err != nil {
			return result{}, err
		}
		defer sockets[i].socket.Close()
	}
	tallies := make([]tally, connections)
	begun := time.Now()
	var group sync.WaitGroup
	for i := range sockets {
		group.Go(func() { work(sockets[i], &tallies[i]) })
	}
	group.Wait()
	return summary(tallies, time.Since(begun)), nil
}

func (seen *tally) note(size int64, err error, latency time.Duration) bool {
	seen.latencies = append(seen.latencies, latency)
	seen.bytes += size
	if err == nil {
		return true
	}
	seen.failed++
	seen.err = err
	return false
}

func (l *load) steadily(rate float64, length time.Duration, connections int) (result, error) {
	total := int(rate * length.Seconds())
	interval := time.Duration(float64(time.Second) / rate)
	begun := time.Now().Add(50 * time.Millisecond)
	var taken atomic.Int64
	return l.each(connections, func(c *connection, seen *tally) {
		for {
			index := int(taken.Add(1) - 1)
			if index >= total {
				return
			}
			due := begun.Add(time.Duration(index) * interval)
			idle := time.Until(due) > 0
			time.Sleep(time.Until(due))
			if idle {
				seen.late = append(seen.late, time.Since(due))
			}
			size, err := l.ask(c)
			if !seen.note(size, err, time.Since(due)) {
				return
			}
		}
	})
}

func (l *load) counted(count int, length time.Duration, connections int) (result, error) {
	deadline := time.Now().Add(length)
	var taken atomic.Int64
	return l.each(connections, func(c *connection, seen *tally) {
		for taken.Add(1) <= int64(count) && time.Now().Before(deadline) {
			begun := time.Now()
			size, err := l.ask(c)
			if !seen.note(size, err, time.Since(begun)) {
				return
			}
		}
	})
}

// started runs the program until its first answer, and ends it.
func (l *load) started(command []string) (result, error) {
	if len(command) == 0 {
		return result{}, errors.New("no program to start")
	}
	program := exec.Command(command[0], command[1:]...)
	program.Stderr = os.Stderr
	begun := time.Now()
	if err := program.Start(); err != nil {
		return result{}, err
	}
	defer func() {
		program.Process.Kill()
		program.Wait()
	}()
	for time.Since(begun) < startTimeout {
		// The kernel refuses at once while nobody listens, so this is cheap.
		c, err := l.connect()
		if err != nil {
			time.Sleep(200 * time.Microsecond)
			continue
		}
		size, err := l.ask(c)
		taken := time.Since(begun)
		c.socket.Close()
		if err == nil {
			return summary([]tally{{latencies: []time.Duration{taken}, bytes: size}}, taken), nil
		}
	}
	return result{}, fmt.Errorf("no answer within %s", startTimeout)
}

func summary(tallies []tally, length time.Duration) result {
	found := result{Seconds: length.Seconds()}
	var latencies, late []time.Duration
	var sum time.Duration
	for _, seen := range tallies {
		latencies = append(latencies, seen.latencies...)
		late = append(late, seen.late...)
		found.Failed += seen.failed
		found.Bytes += seen.bytes
		if seen.err != nil && found.Error == "" {
			found.Error = seen.err.Error()
		}
	}
	for _, one := range latencies {
		sum += one
	}
	slices.Sort(latencies)
	slices.Sort(late)
	found.Requests = len(latencies)
	found.P50 = percentile(latencies, 0.5)
	found.P90 = percentile(latencies, 0.9)
	found.P99 = percentile(latencies, 0.99)
	found.P999 = percentile(latencies, 0.999)
	found.Max = percentile(latencies, 1)
	found.Late = percentile(late, 0.99)
	if len(latencies) > 0 {
		found.Mean = micros(sum) / float64(len(latencies))
	}
	return found
}

// percentile is the smallest value that so large a share of all does not exceed.
func percentile(sorted []time.Duration, share float64) float64 {
	if len(sorted) == 0 {
		return 0
	}
	index := int(share*float64(len(sorted))+0.999999) - 1
	return micros(sorted[min(max(index, 0), len(sorted)-1)])
}

func micros(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1000 }
