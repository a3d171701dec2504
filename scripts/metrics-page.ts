/** Writes docs/metrics.md from the metrics that the code registers. A test compares the file. */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { createMetrics, type MetricDescription } from '../src/telemetry/metrics.ts'

const PAGE = 'docs/metrics.md'

const INTRODUCTION = `# Metrics

\`GET /metrics\` returns these metrics in the Prometheus format. Requests from loopback that come through no proxy need no
credentials. All others need \`METRICS_TOKEN\` as a bearer token:

\`\`\`yaml
scrape_configs:
  - job_name: workspace-admin
    authorization:
      credentials: <METRICS_TOKEN>
    static_configs:
      - targets: ['workspaces.example.com:8000']
\`\`\`

[deploy/grafana-dashboard.json](../deploy/grafana-dashboard.json) is a dashboard for Grafana, and
[deploy/alerts.yml](../deploy/alerts.yml) has alert rules for Prometheus. Scrape every node. Counters and histograms cover
one node since its start, so add them up. Gauges of export runs and lag, mail, deletion, sessions and backups are read from the
database. They are the same on every node, so take the maximum.

No label has a value per user, project or export: lag and runs are per type of destination, and \`GET
/api/projects/{project_id}/batch_exports/\` shows single exports. A node reads the database for scrapes at most once in ten
seconds. Its statements read at most 10,000 rows of small tables or index ranges, and never events. A series without a value is
left out: connections on SQLite, labels that have not occurred yet, and everything from the database while it does not answer.
`

const table = (metrics: MetricDescription[]): string =>
  [
    '| name | type | labels | meaning |',
    '|---|---|---|---|',
    ...metrics
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(
        ({ name, type, labels, help }) =>
          `| \`${name}\` | ${type} | ${labels.map((label) => `\`${label}\``).join(', ')} | ${help.replaceAll('|', '\\|')} |`,
      ),
  ].join('\n')

/** The text of docs/metrics.md. */
export async function metricsPage(): Promise<string> {
  const all = await createMetrics().describe()
  const own = all.filter(({ name }) => name.startsWith('workspace_'))
  const process = all.filter(({ name }) => !name.startsWith('workspace_'))
  return `${INTRODUCTION}
## Server

${table(own)}

## Process

${table(process)}
`
}

if (process.argv[1] === fileURLToPath(import.meta.url)) writeFileSync(PAGE, await metricsPage())
