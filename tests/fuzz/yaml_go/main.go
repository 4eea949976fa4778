// Program yaml_go reads lists of texts from its input, and writes for each text what sigs.k8s.io/yaml
// makes of it: the JSON, or the error.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"

	"sigs.k8s.io/yaml"
)

type answer struct {
	JSON  json.RawMessage `json:"json,omitempty"`
	Error string          `json:"error,omitempty"`
}

func convert(text string) (result answer) {
	defer func() {
		if reason := recover(); reason != nil {
			result = answer{Error: fmt.Sprint("panic: ", reason)}
		}
	}()
	converted, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		return answer{Error: err.Error()}
	}
	return answer{JSON: converted}
}

func main() {
	out := bufio.NewWriter(os.Stdout)
	questions := json.NewDecoder(bufio.NewReader(os.Stdin))
	answers := json.NewEncoder(out)
	answers.SetEscapeHTML(false)
	for {
		var texts []string
		if questions.Decode(&texts) != nil {
			return
		}
		results := make([]answer, len(texts))
		for i, text := range texts {
			results[i] = convert(text)
		}
		if answers.Encode(results) != nil || out.Flush() != nil {
			return
		}
	}
}
