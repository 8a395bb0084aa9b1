import { cp, mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { run } from '#test/servers/tools.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { reportedBy, runPytest } from '#test/support/pytest.js';
import { describeWith } from '#test/torch/environment.js';
import { clientPython, MODULES, PACKAGE } from './environment.js';
import { generated, MODULES_OF_TYPES } from './generate.js';

/** Says what the installed package needs, and which version it is of. */
const SAYS = `
import importlib.metadata, importlib.resources, json, anneal
package = importlib.metadata.distribution("anneal-client")
typed = importlib.resources.files(anneal).joinpath("py.typed").is_file()
needed = [each for each in package.requires if "extra" not in each]
print(json.dumps([needed, typed, package.version == anneal.__version__, package.metadata["License-Expression"]]))
`;

await describeWith('the Python client', clientPython, (python) => {
  let api: TestApi;
  let folder: string;
  beforeAll(async () => {
    api = await startTestApi();
    folder = await mkdtemp(join(tmpdir(), 'anneal-client-'));
  });
  afterAll(async () => {
    await api.close();
    await rm(folder, { recursive: true, force: true });
  });

  it.each(MODULES_OF_TYPES)(
    'has the current types and descriptions in $file (npm run client:python)',
    async (module) => {
      const { body } = await api.call('GET', '/openapi.json', undefined, {});
      expect(await readFile(join(MODULES, module.file), 'utf8')).toBe(await generated(module, body, python));
    },
  );

  it.each([
    ['ruff', ['format', '--check', '--no-cache', '.']],
    ['ruff', ['check', '--no-cache', '.']],
    ['mypy', ['--cache-dir=/dev/null', '--no-error-summary']],
  ])('gives %s %j nothing to report', async (tool, args) => {
    expect(await reportedBy(python, tool, args, { directory: PACKAGE })).toBe('');
  });

  it('is a wheel that needs httpx2 and pydantic alone', async () => {
    await cp(PACKAGE, join(folder, 'package'), { recursive: true });
    await run(python, ['-m', 'flit_core.wheel', '--outdir', folder], { directory: join(folder, 'package') });
    const [wheel = ''] = (await readdir(folder)).filter((name) => name.endsWith('.whl'));
    const said = await run(python, ['-c', SAYS], {
      directory: folder,
      environment: { PYTHONPATH: join(folder, wheel) },
    });
    expect(JSON.parse(said)).toEqual([['httpx2>=2.0,<3', 'pydantic>=2.10,<3'], true, true, 'Apache-2.0']);
  });

  it('passes its own tests on a system: README and notebooks among them', async () => {
    const environment = { ANNEAL_BASE_URL: api.url, ANNEAL_API_KEY: api.key, NO_PROXY: '*' };
    const result = await runPytest(python, 'tests', { directory: PACKAGE, environment });
    expect(result.failures).toEqual([]);
    expect(result.skipped).toBe(0);
    expect(result.tests).toBeGreaterThan(70);
    // Trainings one after the other: four minutes on busy cores.
  }, 1_800_000);
});
