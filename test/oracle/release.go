// SPDX-License-Identifier: Apache-2.0

package main

// releaseGo is the Go that Helm's release build of a version was made with, which templates see as
// .Capabilities.HelmVersion.GoVersion. Helm's own code would tell them what built this program.
//
// Source: .github/env (GOLANG_VERSION) and .github/workflows/release.yml (check-latest) in the module of each
// version: the newest patch release of that Go on the day of Helm's release, by the times of golang.org/toolchain.
var releaseGo = map[string]string{
	"v3.18.6": "go1.24.6", // 2025-08-20; go1.24.7 is of 2025-08-27
	"v3.22.0": "go1.26.8", // 2026-09-10; go1.26.9 is of 2026-10-02
	"v4.3.1":  "go1.27.2", // 2026-10-15; go1.27.3 is of 2026-10-19
}

// helmGoVersion is the Go of the release that this build asks.
func helmGoVersion() string {
	version := moduleVersion(helmModule)
	found, ok := releaseGo[version]
	if !ok {
		panic("test/oracle/release.go: no Go is known for Helm " + version)
	}
	return found
}
