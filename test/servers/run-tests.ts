import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { TEST_DEPLOYMENT } from '#test/deployments/test-api.js';
import { MISSING_SERVERS, TEST_SERVERS, type NamedServer, type ServerKind } from './describe.js';
import { onInterrupt } from './on-interrupt.js';
import { S3_CREDENTIALS } from './s3.js';
import { neededBy } from './needed.js';
import { QUICK_SERVERS, QUICK_SUITES } from './quick.js';
import { EVERYTHING, startAll, type Programs, type Started } from './start-all.js';

/**
 * `npm run test:servers [-- ARGS]`: the suites that need servers (`*.servers.spec.ts`), against all those that can be started
 * here, and then the specs of the API that depend on stores once more on those. Arguments are Jest's: `dist/libs/ports/bus`.
 * `--quick` runs the suites of quick.ts on fewer servers. Real servers are named by ANNEAL_TEST_ESDB and ANNEAL_TEST_MONGODB.
 */
const ROOT = join(import.meta.dirname, '..', '..', '..');
const REAL: readonly (readonly [ServerKind, string, string])[] = [
  ['esdb', 'EventStoreDB', 'ANNEAL_TEST_ESDB'],
  ['mongodb', 'MongoDB', 'ANNEAL_TEST_MONGODB'],
];

/** Jest projects and their environments, run one after the other: tests of outages and clocks need the machine to themselves. */
const PROJECTS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  servers: {},
  'API on servers': { [TEST_DEPLOYMENT]: 'servers' },
};

const given = process.argv.slice(2);
const quick = given.includes('--quick');
const args = [...(quick ? QUICK_SUITES : []), ...given.filter((arg) => arg !== '--quick')];

const directory = await mkdtemp(join(tmpdir(), 'anneal-test-servers-'));
const servers = await startAll(await needed(), directory, (line) => console.log(line));
try {
  const environment = {
    ...S3_CREDENTIALS,
    [TEST_SERVERS]: JSON.stringify(named(servers)),
    [MISSING_SERVERS]: JSON.stringify(servers.missing),
  };
  const codes: number[] = [];
  for (const [name, its] of Object.entries(PROJECTS)) {
    const own = args.map((arg) => (arg.startsWith('--outputFile=') ? arg.replace(/(\.json)?$/, `-${name}$1`) : arg));
    // Jest's option takes every word behind it.
    const code = await jest(['--passWithNoTests', ...own, '--selectProjects', name], { ...environment, ...its });
    codes.push(code ?? 1);
    if (code === null) break;
  }
  process.exitCode = Math.max(...codes);
} finally {
  await servers.stop();
  await rm(directory, { recursive: true, force: true });
}

/** A word that is no option chooses suites by their path. */
async function needed(): Promise<Partial<Programs>> {
  const patterns = args.filter((arg) => !arg.startsWith('-'));
  const { default: config } = (await import(join(ROOT, 'jest.servers.config.mjs'))) as {
    readonly default: { readonly projects: readonly { readonly testMatch: readonly string[] }[] };
  };
  const onServers = config.projects[1]!.testMatch.map((file) => file.replace('<rootDir>/', ''));
  return neededBy(patterns, onServers, quick ? QUICK_SERVERS : EVERYTHING);
}

/** Real ones first: where one server is enough, it is a real one. */
function named({ running }: Started): Partial<Record<ServerKind, NamedServer[]>> {
  const all: Partial<Record<ServerKind, NamedServer[]>> = {};
  for (const [kind, name, variable] of REAL) {
    const address = process.env[variable];
    if (address) (all[kind] ??= []).push({ name: `${name} of ${variable}`, address });
  }
  for (const { kind, name, address } of running) (all[kind] ??= []).push({ name, address });
  return all;
}

/** @returns its exit status; null if a signal ended it */
async function jest(args: readonly string[], environment: Readonly<Record<string, string>>): Promise<number | null> {
  const bin = join(ROOT, 'node_modules', 'jest', 'bin', 'jest.js');
  const config = join(ROOT, 'jest.servers.config.mjs');
  const child = spawn(
    process.execPath,
    ['--experimental-vm-modules', '--disable-warning=ExperimentalWarning', bin, '--config', config, ...args],
    { cwd: ROOT, env: { ...process.env, ...environment }, stdio: 'inherit' },
  );
  onInterrupt(() => child.kill());
  const [code] = (await once(child, 'exit')) as [number | null];
  return code;
}
