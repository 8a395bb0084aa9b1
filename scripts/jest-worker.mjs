// A process of scripts/jest-runner.mjs: runs spec files with jest-circus, in the Node that they are written for.
import { jestExpect } from '@jest/expect';
import { ModernFakeTimers } from '@jest/fake-timers';
import * as circus from 'jest-circus';
import { formatResultsErrors } from 'jest-message-util';
import { ModuleMocker } from 'jest-mock';
import { registerHooks } from 'node:module';
import { setImmediate as turn } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { messageParent } from 'jest-worker';

const { afterAll, afterEach, beforeAll, beforeEach, describe, it, test } = circus;
const mocker = new ModuleMocker(globalThis);
const MOCKS = ['fn', 'spyOn', 'mocked', 'replaceProperty', 'clearAllMocks', 'resetAllMocks', 'restoreAllMocks'];
const TIMERS = [
  ...['useFakeTimers', 'useRealTimers', 'setSystemTime', 'getRealSystemTime', 'getTimerCount', 'clearAllTimers'],
  ...['advanceTimersByTime', 'advanceTimersByTimeAsync', 'runAllTimers', 'runAllTimersAsync', 'runOnlyPendingTimers'],
];
/** The part of Jest's object that specs need; modules cannot be mocked. */
const jest = Object.fromEntries(MOCKS.map((name) => [name, mocker[name].bind(mocker)]));
const globals = { afterAll, afterEach, beforeAll, beforeEach, describe, expect: jestExpect, it, test };
Object.assign(globalThis, globals);

// `@jest/globals` refuses to be loaded outside of Jest's own runner.
const names = { ...globals, jest };
globalThis[Symbol.for('anneal.jest')] = names;
const source = Object.keys(names).map((name) => `export const ${name} = own.${name};`);
const url = `data:text/javascript,${encodeURIComponent(`const own = globalThis[Symbol.for('anneal.jest')];${source.join('')}`)}`;
registerHooks({
  resolve: (specifier, context, next) =>
    specifier === '@jest/globals' ? { url, shortCircuit: true } : next(specifier, context),
});

/** Closes what spec files of this process share: `test/support/shared-api.ts`. */
const closers = (globalThis[Symbol.for('anneal.shared')] = []);

/** Called once in each process, after its last file. */
export async function closeShared() {
  for (const close of closers.splice(0)) await close();
}

// An unhandled rejection fails the test that runs, or its file, or the next file if none runs.
let betweenFiles = null;
const fail = (error) => {
  const { currentlyRunningTest, unhandledErrors } = circus.getState();
  (betweenFiles ?? currentlyRunningTest?.errors ?? unhandledErrors).push(error);
};
process.on('uncaughtException', fail);
process.on('unhandledRejection', fail);

/** Events after which errors of what was not awaited still belong to what has ended. */
const ENDS = new Set(['test_fn_success', 'test_fn_failure', 'hook_success', 'hook_failure', 'run_finish']);
circus.addEventHandler(async (event) => {
  if (ENDS.has(event.name)) await turn();
  if (event.name === 'test_start')
    jestExpect.setState({ assertionCalls: 0, suppressedErrors: [], expectedAssertionsNumber: null });
  if (event.name !== 'test_done') return;
  const { suppressedErrors } = jestExpect.getState();
  event.test.errors.push(
    ...suppressedErrors,
    ...jestExpect.extractExpectedAssertionsErrors().map(({ error }) => error),
  );
});

/** @returns what Jest's reporters read, or why the file could not be loaded */
export async function runFile({ path, config, globalConfig }) {
  messageParent('started');
  const environment = { ...process.env };
  const timers = new ModernFakeTimers({ config, global: globalThis });
  for (const name of TIMERS) jest[name] = timers[name].bind(timers);
  circus.resetState();
  const { testNamePattern, testTimeout } = globalConfig;
  circus.setState({
    ...circus.getState(),
    parentProcess: process,
    ...(testTimeout && { testTimeout }),
    testNamePattern: testNamePattern ? new RegExp(testNamePattern, 'i') : null,
  });
  circus.getState().unhandledErrors.push(...(betweenFiles ?? []));
  betweenFiles = null;
  jestExpect.setState({ testPath: path, expand: globalConfig.expand });
  const exit = process.exit;
  process.exit = (code) => {
    throw new Error(`process.exit(${code ?? ''}) was called`);
  };
  const start = Date.now();
  try {
    const unloadable = await import(pathToFileURL(path).href).then(() => null, toldError);
    if (unloadable) return { unloadable };
    const { testResults, unhandledErrors } = await circus.run();
    return resultOf(path, testResults, unhandledErrors, { start, end: Date.now() }, config, globalConfig);
  } finally {
    betweenFiles = [];
    process.exit = exit;
    timers.useRealTimers();
    mocker.restoreAllMocks();
    for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name];
    Object.assign(process.env, environment);
  }
}

/** An error with nothing that processes cannot send to each other. */
const toldError = (error) => ({ message: String(error?.message ?? error), stack: String(error?.stack ?? error) });

function resultOf(path, tests, unhandledErrors, { start, end }, config, globalConfig) {
  const testResults = tests.map(assertionResult);
  const count = (status) => testResults.filter((each) => each.status === status).length;
  const runtime = end - start;
  const unhandled = unhandledErrors.join('\n');
  return {
    console: null,
    failureMessage:
      [formatResultsErrors(testResults, config, globalConfig, path), unhandled].filter(Boolean).join('\n\n') || null,
    leaks: false,
    numFailingTests: count('failed'),
    numPassingTests: count('passed'),
    numPendingTests: count('pending'),
    numTodoTests: count('todo'),
    openHandles: [],
    perfStats: {
      start,
      end,
      runtime,
      slow: runtime / 1_000 > config.slowTestThreshold,
      loadTestEnvironmentStart: start,
      loadTestEnvironmentEnd: start,
      setupAfterEnvStart: start,
      setupAfterEnvEnd: start,
      setupFilesStart: start,
      setupFilesEnd: start,
    },
    skipped: false,
    snapshot: { added: 0, fileDeleted: false, matched: 0, unchecked: 0, uncheckedKeys: [], unmatched: 0, updated: 0 },
    testExecError: unhandled === '' ? undefined : { message: '', stack: unhandled },
    testFilePath: path,
    testResults,
  };
}

function assertionResult({
  testPath,
  status,
  errors,
  duration,
  invocations,
  location,
  numPassingAsserts,
  startedAt,
  retryReasons,
}) {
  const [, ...titles] = testPath;
  const statuses = { skip: 'pending', todo: 'todo' };
  return {
    ancestorTitles: titles.slice(0, -1),
    duration,
    failing: false,
    failureDetails: [],
    failureMessages: [...errors],
    fullName: titles.join(' '),
    invocations,
    location,
    numPassingAsserts,
    retryReasons: [...retryReasons],
    startAt: startedAt,
    status: statuses[status] ?? (errors.length > 0 ? 'failed' : 'passed'),
    title: titles.at(-1),
  };
}
