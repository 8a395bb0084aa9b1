import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { routesOf, type ApiDocument } from '#test/fuzz/document.js';
import { run } from '#test/servers/tools.js';
import { startTestApi, type TestApi } from '#test/support/api.js';
import { describeWith } from '#test/torch/environment.js';
import { goGenerator, javaGenerator, npmGenerators, pythonGenerators, SOURCES } from './tools.js';

let api: TestApi;
let document: ApiDocument;
let folder: string;
let file: string;
beforeAll(async () => {
  api = await startTestApi();
  document = (await api.call('GET', '/openapi.json', undefined, {})).body as ApiDocument;
  folder = await mkdtemp(join(tmpdir(), 'anneal-generators-'));
  file = join(folder, 'openapi.json');
  await writeFile(file, JSON.stringify(document));
});
afterAll(async () => {
  await api.close();
  await rm(folder, { recursive: true, force: true });
});

const generated = async (name: string): Promise<string> => {
  const to = join(folder, name);
  await mkdir(to);
  return to;
};

const COMPILER_OPTIONS = {
  ...{ strict: true, target: 'es2022', module: 'nodenext', skipLibCheck: true, types: [] },
  ...{ outDir: 'out', noEmitOnError: true },
};

await describeWith('a client for TypeScript', npmGenerators, (tools) => {
  it('of openapi-typescript and of hey-api compiles, and makes a call', async () => {
    const to = await generated('typescript');
    const bin = (name: string) => join(tools, 'node_modules', '.bin', name);
    await symlink(join(tools, 'node_modules'), join(to, 'node_modules'));
    await cp(join(SOURCES, 'npm', 'call.ts.txt'), join(to, 'call.ts'));
    await writeFile(join(to, 'package.json'), '{"type": "module"}');
    await writeFile(
      join(to, 'tsconfig.json'),
      JSON.stringify({ compilerOptions: COMPILER_OPTIONS, files: ['call.ts'] }),
    );
    await run(bin('openapi-typescript'), [file, '--output', 'types.ts'], { directory: to });
    const output = { path: 'hey', module: { extension: '.js' } };
    await writeFile(join(to, 'hey.json'), JSON.stringify({ input: file, output, logs: { file: false } }));
    await run(bin('openapi-ts'), ['--file', 'hey.json'], { directory: to });
    await run(bin('tsc'), ['--project', '.'], { directory: to });
    expect(await run(process.execPath, [join('out', 'call.js'), api.url, api.key], { directory: to })).toBe(
      'openapi-fetch\nhey-api\n',
    );
  });
});

await describeWith('a client for Python', pythonGenerators, (tools) => {
  it('of openapi-python-client has every route, and with models of datamodel-code-generator makes a call', async () => {
    const to = await generated('python');
    const packages = join(tools, 'packages');
    const options = (environment: Record<string, string> = {}) => ({
      directory: to,
      environment: { PYTHONPATH: [to, packages].join(delimiter), PYTHONDONTWRITEBYTECODE: '1', ...environment },
    });
    const config = join(to, 'config.yaml');
    await writeFile(config, 'post_hooks: []\n');
    const client = ['--path', file, '--config', config, '--meta', 'none', '--output-path', 'client'];
    await run('python3', ['-m', 'openapi_python_client', 'generate', ...client], options());
    const models = ['--input', file, '--output', 'models.py', '--output-model-type', 'pydantic_v2.BaseModel'];
    await run('python3', ['-m', 'datamodel_code_generator', ...models, '--disable-warnings'], options());
    const functions = await readdir(join(to, 'client', 'api'), { recursive: true });
    const routes = functions.filter((name) => name.endsWith('.py') && !name.endsWith('__init__.py'));
    expect(routes).toHaveLength(routesOf(document).length);
    const call = join(SOURCES, 'python', 'call.py');
    expect(await run('python3', [call, api.url, api.key], options())).toBe('python True\n');
  });
});

const generate = async (jars: string, language: string, ...more: readonly string[]): Promise<string> => {
  const to = await generated(language);
  const [cli] = (await readdir(jars)).filter((name) => name.startsWith('openapi-generator-cli-'));
  const parts = 'apiDocs=false,modelDocs=false,apiTests=false,modelTests=false';
  const args = ['-i', file, '-g', language, '-o', to, '--global-property', parts, ...more];
  await run('java', ['-jar', join(jars, cli!), 'generate', ...args]);
  return to;
};

await describeWith('a client for Java', javaGenerator, (jars) => {
  it('of openapi-generator compiles, and makes a call', async () => {
    const to = await generate(jars, 'java');
    const sources = (await readdir(join(to, 'src', 'main'), { recursive: true })).filter((name) =>
      name.endsWith('.java'),
    );
    const list = [...sources.map((name) => join(to, 'src', 'main', name)), join(SOURCES, 'java', 'Call.java')];
    await writeFile(join(to, 'sources.txt'), list.join('\n'));
    const classpath = join(jars, '*');
    await run('javac', ['-nowarn', '-cp', classpath, '-d', join(to, 'out'), `@${join(to, 'sources.txt')}`]);
    const call = ['-cp', [join(to, 'out'), classpath].join(delimiter), 'Call', api.url, api.key];
    expect(await run('java', call)).toBe('java\n');
  });
});

await describeWith('a client for Go', goGenerator, (jars) => {
  it('of openapi-generator compiles, and makes a call', async () => {
    const to = await generate(jars, 'go', '--additional-properties', 'packageName=anneal');
    await mkdir(join(to, 'call'));
    await cp(join(SOURCES, 'go', 'call.go'), join(to, 'call', 'main.go'));
    await run('go', ['mod', 'edit', '-module', 'example.com/anneal'], { directory: to });
    expect(await run('go', ['run', './call', api.url, api.key], { directory: to })).toBe('go\n');
  });
});
