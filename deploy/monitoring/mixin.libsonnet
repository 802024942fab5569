// SPDX-License-Identifier: Apache-2.0
// The alerts and the dashboard as a mixin (monitoring.mixins.dev), for those who build their rules with Jsonnet:
//   (import 'mixin.libsonnet') + { _config+:: { runbookBase: 'https://git.example.com/chartwright/', disabled: ['ChartwrightRolledBack'] } }
{
  _config+:: {
    // What precedes runbook_url, which is relative to the repository.
    runbookBase: '',
    // Names of alerts to leave out.
    disabled: [],
    // Other values by name of an alert: 'for', and labels to add or replace.
    'for': {},
    labels: {},
    // Tags of the dashboard.
    dashboardTags: ['chartwright'],
  },

  local config = self._config,
  local alert(rule) =
    local name = rule.alert;
    rule {
      [if std.objectHas(config['for'], name) then 'for']: config['for'][name],
      labels+: if std.objectHas(config.labels, name) then config.labels[name] else {},
      annotations+: { runbook_url: config.runbookBase + super.runbook_url },
    },

  prometheusAlerts+:: {
    groups+: [
      group {
        rules: [alert(rule) for rule in group.rules if !std.member(config.disabled, rule.alert)],
      }
      for group in std.parseYaml(importstr 'alerts.yaml').groups
    ],
  },

  grafanaDashboards+:: {
    'chartwright.json': (import 'dashboard.json') + { tags: config.dashboardTags },
  },
}
