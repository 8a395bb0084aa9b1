import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { eventually } from '#test/support/eventually.js';
import { startTestApi, type TestSystem } from '#test/support/api.js';

const FOLDER = join(import.meta.dirname, '../../deploy/monitoring');

interface Rules {
  readonly groups: readonly {
    readonly rules: readonly {
      readonly alert: string;
      readonly expr: string;
      readonly annotations: Readonly<Record<string, string>>;
    }[];
  }[];
}

interface Dashboard {
  readonly panels: readonly { readonly title: string; readonly targets: readonly { readonly expr: string }[] }[];
}

/** Names of Anneal's metrics, and of Node's, in an expression of PromQL. */
const namesIn = (expression: string): readonly string[] => expression.match(/\b(?:anneal|nodejs|process)_\w+/g) ?? [];

/** Prometheus adds these to the name of a histogram. */
const familyOf = (name: string): string => name.replace(/_(bucket|sum|count)$/, '');

describe('alert rules and the dashboard', () => {
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
    scraped = await api.metrics();
  });
  afterAll(async () => {
    await api.close();
    await rm(backups, { recursive: true, force: true });
  });

  const isServed = (name: string) => new RegExp(`^# TYPE ${name} `, 'm').test(scraped);

  it('use only metrics that a process serves', () => {
    const { groups } = parse(readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')) as Rules;
    const { panels } = JSON.parse(readFileSync(join(FOLDER, 'grafana.json'), 'utf8')) as Dashboard;
    const asked = [
      ...groups.flatMap(({ rules }) => rules.map(({ alert, expr }) => [alert, expr] as const)),
      ...panels.flatMap(({ title, targets }) => targets.map(({ expr }) => [title, expr] as const)),
    ].flatMap(([by, expr]) => namesIn(expr).map((name) => [by, familyOf(name)] as const));
    expect(asked.length).toBeGreaterThan(30);
    expect(asked.filter(([, name]) => !isServed(name))).toEqual([]);
  });

  it('name a section of docs/ that says what to do', () => {
    const { groups } = parse(readFileSync(join(FOLDER, 'alerts.yml'), 'utf8')) as Rules;
    const slugOf = (heading: string) =>
      heading
        .toLowerCase()
        .replaceAll(/[^a-z0-9 -]/g, '')
        .replaceAll(' ', '-');
    const leadsNowhere = ({ annotations }: Rules['groups'][number]['rules'][number]) => {
      const [page = '', section] = annotations['runbook_url']!.split('#');
      const text = readFileSync(join(FOLDER, '../..', page), 'utf8');
      return ![...text.matchAll(/^#+ (.+)$/gm)].some(([, heading]) => slugOf(heading!) === section);
    };
    expect(groups.flatMap(({ rules }) => rules.filter(leadsNowhere).map(({ alert }) => alert))).toEqual([]);
  });

  it('are documented: docs/operate/operations.md names every metric of Anneal', () => {
    const page = readFileSync(join(FOLDER, '../../docs/operate/operations.md'), 'utf8');
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
    expect(scraped).toMatch(/^anneal_work_failing\{manager="[a-z-]+"\} 0$/m);
  });
});
