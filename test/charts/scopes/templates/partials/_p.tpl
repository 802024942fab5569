{{ define "scopes.p" }}p{{ end }}
this text is not printed {{ fail "nor is this run" }}
