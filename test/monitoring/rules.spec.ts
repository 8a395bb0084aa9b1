import { globSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { Metrics } from '#primitives/metrics/metrics.js';
import { eventually } from '#test/support/eventually.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = 'deploy/monitoring';

interface Rule {
  readonly alert?: string;
  readonly record?: string;
  readonly expr: string;
  readonly labels?: Readonly<Record<string, string>>;
  readonly annotations?: Readonly<Record<string, string>>;
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

const read = (file: string): string => readFileSync(join(ROOT, file), 'utf8');
const rules = ['alerts.yml', 'slo.yml'].flatMap((file) =>
  (parse(read(join(FOLDER, file))) as { groups: { rules: Rule[] }[] }).groups.flatMap((group) => group.rules),
);
const panels = globSync(`${FOLDER}/grafana/*.json`, { cwd: ROOT }).flatMap((file) =>
  (JSON.parse(read(file)) as Dashboard).panels.map((panel) => ({ ...panel, title: `${file}: ${panel.title}` })),
);
/** Every expression, by who asks it. */
const asking = [
  ...rules.map(({ alert, record, expr }) => [alert ?? record!, expr] as const),
  ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
];

/** Names of Anneal's metrics, and of Node's, in an expression of PromQL. */
const namesIn = (expression: string): readonly string[] => expression.match(/\b(?:anneal|nodejs|process)_\w+/g) ?? [];

/** Prometheus adds these to the name of a histogram. */
const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

describe('alert rules, service levels and dashboards', () => {
  let api: TestSystem;
  let backups: string;
  let scraped: string;
  beforeAll(async () => {
    backups = await mkdtemp(join(tmpdir(), 'anneal-monitoring-'));
    api = await startTestApi({ metricsPort: 0, backupTarget: { kind: 'folder', directory: backups } });
    await eventually(
      () => api.call('GET', '/health'),
      ({ body }) => body.details.backup.lastAt !== null,
    );
    await api.call('POST', '/inference', {
      ...{ model_id: 'anneal/encoder-base-v1', text: 'Maria went to Lisbon.', schema: ['person'] },
    });
    // Of a worker: in one process nobody else could lead.
    const worker = new Metrics();
    worker.watchLeaderships(() => [{ name: 'projections', role: 'leader' }]);
    scraped = (await api.metrics()) + (await worker.registry.getSingleMetricAsString('anneal_leads'));
  });
  afterAll(async () => {
    await api.close();
    await rm(backups, { recursive: true, force: true });
  });

  const isServed = (name: string) => new RegExp(`^# TYPE ${name} `, 'm').test(scraped);

  it('use only metrics that a process serves, and figures that a rule records', () => {
    const recorded = new Set(rules.map(({ record }) => record));
    const asked = asking.flatMap(([by, expr]) => namesIn(expr).map((name) => [by, familyOf(name)] as const));
    expect(asked.length).toBeGreaterThan(100);
    expect(asked.filter(([, name]) => !isServed(name))).toEqual([]);
    const figures = asking.flatMap(([by, expr]) => (expr.match(/\banneal:\w+:\w+/g) ?? []).map((name) => [by, name]));
    expect(figures.length).toBeGreaterThan(10);
    expect(figures.filter(([, name]) => !recorded.has(name))).toEqual([]);
  });

  it('pick use cases, process managers and routes that there are', async () => {
    const sources = globSync('libs/use-cases/**/*.ts', { cwd: ROOT }).map((file) => read(file));
    const useCases = new Set(
      sources.flatMap((text) => [...text.matchAll(/^export class (\w+)/gm)].map(([, name]) => name)),
    );
    const managers = new Set(
      [...scraped.matchAll(/^anneal_work_pending{manager="([^"]+)"}/gm)].map(([, name]) => name),
    );
    const paths = Object.keys((await api.call('GET', '/openapi.json')).body.paths);
    const picked = (by: RegExp) =>
      asking.flatMap(([, expr]) => [...expr.matchAll(by)].flatMap(([, names]) => names!.split('|')));
    const wanted = picked(/anneal_use_case_seconds_count{name=~?"([^"]+)"/g);
    expect(wanted.length).toBeGreaterThan(30);
    expect(wanted.filter((name) => !useCases.has(name))).toEqual([]);
    expect(picked(/manager=~?"([^"]+)"/g).filter((name) => !managers.has(name))).toEqual([]);
    const routes = asking.flatMap(([, expr]) => [...expr.matchAll(/route=(~?)"([^"]+)"/g)].map(([, , text]) => text!));
    for (const route of routes) expect(paths.filter((path) => new RegExp(`^(?:${route})$`).test(path))).not.toEqual([]);
  });

  it('follow the conventions of names: https://prometheus.io/docs/practices/naming/', () => {
    const types = [...scraped.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name, type]) => [name!, type!] as const);
    expect(types.filter(([name, type]) => name.endsWith('_total') !== (type === 'counter'))).toEqual([]);
    expect(types.filter(([name]) => /_(count|sum|bucket|ms|millis\w*|kb|mb)$/.test(name))).toEqual([]);
    expect(types.filter(([name, type]) => type === 'histogram' && !name.endsWith('_seconds'))).toEqual([]);
  });

  it('name a section of docs/ that says what to do', () => {
    const slugOf = (heading: string) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-');
    const leadsNowhere = ({ annotations }: Rule) => {
      const [page = '', section] = annotations!['runbook_url']!.split('#');
      return ![...read(page).matchAll(/^#+ (.+)$/gm)].some(([, heading]) => slugOf(heading!) === section);
    };
    const alerts = rules.filter(({ alert }) => alert !== undefined);
    expect(alerts.length).toBeGreaterThan(15);
    expect(alerts.filter(leadsNowhere).map(({ alert }) => alert)).toEqual([]);
  });

  it('tell each burn rate over the same windows', () => {
    const windows = Map.groupBy(
      rules.filter(({ record }) => record?.startsWith('anneal:budget_burn:')),
      ({ labels }) => labels!['slo'],
    );
    expect([...windows.keys()]).toEqual(['availability', 'latency', 'lag', 'queue_age', 'spend']);
    for (const [, each] of windows)
      for (const { record, expr } of each) {
        const window = record!.replace('anneal:budget_burn:rate', '');
        const ranges = [...expr.matchAll(/\[(\w+)\]/g)].map(([, range]) => range);
        expect([...new Set(ranges)]).toEqual([window]);
      }
  });

  it('are documented: docs/operate/operations.md names every metric of Anneal', () => {
    const page = read('docs/operate/operations.md');
    const served = [...scraped.matchAll(/^# TYPE (anneal_\w+) /gm)].map(([, name = '']) => name);
    expect(served.length).toBeGreaterThan(15);
    expect(served.filter((name) => !page.includes(name))).toEqual([]);
  });

  it("can rely on a runner's figures: capacity, tokens read, disk space", () => {
    expect(scraped).toMatch(/^anneal_runner_attempts\{kind="training"\} 0$/m);
    expect(scraped).toMatch(/^anneal_runner_attempt_room\{kind="training"\} 1$/m);
    expect(scraped).toMatch(/^anneal_runner_tokens_total\{direction="input"\} [1-9]\d*$/m);
    expect(scraped).toMatch(/^anneal_runner_calls\{kind="encoder"\} 0$/m);
    expect(scraped).toMatch(/^anneal_runner_models\{state="failed"\} 0$/m);
    expect(scraped).toMatch(/^anneal_disk_free_bytes [1-9]/m);
    expect(scraped).toMatch(/^anneal_call_tokens_total\{direction="input"\} [1-9]\d*$/m);
    expect(scraped).toMatch(/^anneal_runners_present 1$/m);
    expect(scraped).toMatch(/^anneal_work_oldest_waiting_seconds\{manager="training-dispatch"\} 0$/m);
    expect(scraped).toMatch(/^anneal_audit_signed_timestamp_seconds [1-9]/m);
    expect(scraped).toMatch(/^anneal_audit_problems 0$/m);
    expect(scraped).toMatch(/^anneal_work_failing\{manager="[a-z-]+"\} 0$/m);
  });
});
