import { globSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { describeWithChecker, promtool } from '#test/deployments/tools.js';
import { run } from '#test/servers/tools.js';
import { startTestApi } from '#test/support/api.js';

const ROOT = join(import.meta.dirname, '../../..');
const FOLDER = join(ROOT, 'deploy/monitoring');
const RULES = ['alerts.yml', 'slo.yml'].map((file) => join(FOLDER, file));

interface Dashboard {
  readonly panels: readonly { readonly targets: readonly { readonly expr: string }[] }[];
}

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'anneal-promtool-'));
});
afterAll(() => rm(folder, { recursive: true }));

describeWithChecker('promtool', await promtool(), (path) => {
  it('finds nothing wrong with the names, types and meanings of the metrics', async () => {
    const api = await startTestApi({ metricsPort: 0 });
    const file = join(folder, 'metrics.txt');
    await writeFile(file, await api.metrics());
    await api.close();
    // It reads them from its standard input.
    expect(await run('/bin/sh', ['-c', '"$0" check metrics < "$1"', path, file])).toBe('');
  });

  it('accepts the rules', async () => {
    expect(await run(path, ['check', 'rules', '--lint=all', '--lint-fatal', ...RULES])).toContain('SUCCESS');
  });

  it('accepts the configuration of the scraper in docker-compose.yml, with its rules', async () => {
    expect(await run(path, ['check', 'config', join(FOLDER, 'prometheus.yml')])).toContain('SUCCESS');
  });

  it.each(['alerts', 'slo'])('sees the rules of %s.yml raise what their tests say, and nothing else', async (name) => {
    const tests = join(ROOT, 'test/monitoring', `${name}.test.yml`);
    expect(await run(path, ['test', 'rules', tests])).toContain('SUCCESS');
  });

  it('understands the query of every panel', async () => {
    const files = globSync('grafana/*.json', { cwd: FOLDER });
    expect(files).toHaveLength(5);
    const boards = await Promise.all(
      files.map(async (file) => JSON.parse(await readFile(join(FOLDER, file), 'utf8')) as Dashboard),
    );
    const rules = boards
      .flatMap(({ panels }) => panels.flatMap(({ targets }) => targets))
      .map(({ expr }, at) => ({ record: `panel:${at}`, expr: expr.replaceAll(/\$__(rate_)?interval/g, '5m') }));
    const file = join(folder, 'panels.yml');
    await writeFile(file, stringify({ groups: [{ name: 'panels', rules }] }));
    expect(await run(path, ['check', 'rules', '--lint=none', file])).toContain(`${rules.length} rules found`);
  });

  it('would refuse a rule that Prometheus does not understand', async () => {
    const file = join(folder, 'wrong.yml');
    await writeFile(file, (await readFile(RULES[0]!, 'utf8')).replace('up{job="anneal"} == 0', 'up{job="anneal"} ='));
    await expect(run(path, ['check', 'rules', file])).rejects.toThrow();
  });
});
