/** A part of the tests that is run by itself. */
export interface Lane {
  readonly name: string;
  /** Arguments of Node, from the root of the project. */
  readonly command: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  /** The command runs Jest and takes its arguments. Any other lane is one test, which passes if the command succeeds. */
  readonly isJest?: true;
}

const JEST = 'node_modules/jest/bin/jest.js';

/** @param specs globs of spec files; without them, those of `npm test` */
const jest = (name: string, specs: readonly string[] = [], options: readonly string[] = []): Lane => ({
  name,
  // Jest's option takes every word behind it, so a flag follows.
  command: [JEST, ...(specs.length > 0 ? ['--testMatch', ...specs] : []), '--passWithNoTests', ...options],
  isJest: true,
});

/** Some of their tests train networks or compile clients: on a busy machine that takes longer than anything in a daily spec. */
const release = (name: string, specs: readonly string[]): Lane => jest(name, specs, ['--testTimeout=3600000']);

const servers = (options: readonly string[] = []): Lane => ({
  name: 'servers',
  command: ['dist/test/servers/run-tests.js', ...options],
  isJest: true,
});

const DEMO: Lane = { name: 'demo', command: ['dist/apps/demo/main.js'] };

/** `npm run test:change`, of `.ci/run`: what a change breaks in daily work. */
const CHANGE: readonly Lane[] = [
  jest('tests'),
  servers(['--quick']),
  jest('browser', ['**/test/console/whole-story.browser.spec.js']),
  DEMO,
];

const CLIENTS = '**/test/clients/**/*.release.spec.js';
const SYSTEM_KILLS = '**/crash/system.release.spec.js';
const PYTHON = '**/engines/torch/python.release.spec.js';

/** `npm run test:all`, before a release: everything. */
const ALL: readonly Lane[] = [
  { ...jest('tests'), environment: { ANNEAL_FUZZ_REQUESTS: '5000' } },
  release('release', ['**/*.release.spec.js', `!${CLIENTS}`, `!${PYTHON}`, `!${SYSTEM_KILLS}`]),
  {
    ...release('kills', ['**/crash/crash.spec.js', SYSTEM_KILLS]),
    environment: { ANNEAL_CRASH_KILLS: '200', ANNEAL_SYSTEM_KILLS: '200' },
  },
  release('clients', [CLIENTS]),
  release('python', [PYTHON]),
  jest('browser', ['**/*.browser.spec.js']),
  servers(),
  { name: 'base-model', command: ['dist/test/quality/base-model-rebuild.js'] },
  { name: 'bench', command: ['scripts/bench.mjs', 'smoke'] },
  {
    name: 'bench-servers',
    command: ['scripts/bench.mjs', 'distributed'],
    environment: { ANNEAL_BENCH_SCALE: '0.001' },
  },
  DEMO,
];

export const LANES = { change: CHANGE, all: ALL } as const;
