// SPDX-License-Identifier: Apache-2.0

package main

import (
	"bytes"
	"encoding/json"

	"sigs.k8s.io/yaml"
)

// yamlInputs are the sections that an author of a YAML case writes.
var yamlInputs = map[string]bool{"input": true}

// answerYAML appends what sigs.k8s.io/yaml makes of the case's input:
//   - json: YAMLToJSON (integers keep their 64 bits), or error;
//   - value: the JSON of the value that Unmarshal gives (every number a float64), only where it differs from json;
//   - yaml: Marshal of that value, which is Helm's toYaml before it trims one line end, or yaml-error.
func answerYAML(c *testCase) error {
	input, _ := c.get("input")
	asJSON, err := yaml.YAMLToJSON([]byte(input))
	if err != nil {
		c.add("error", err.Error())
		return nil
	}
	c.add("json", string(asJSON))
	var value any
	if err := yaml.Unmarshal([]byte(input), &value); err != nil {
		c.add("error", err.Error())
		return nil
	}
	asValue, err := json.Marshal(value)
	if err != nil {
		return err
	}
	if !bytes.Equal(asValue, asJSON) {
		c.add("value", string(asValue))
	}
	asYAML, err := yaml.Marshal(value)
	if err != nil {
		c.add("yaml-error", err.Error())
		return nil
	}
	c.add("yaml", string(asYAML))
	return nil
}
