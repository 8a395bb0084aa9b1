import { CallRecorder, contentMac } from '#calls/recording/call-recorder.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { startTestApi } from '#test/support/api.js';
import { checkpointNow } from '#test/support/audited.js';
import { record } from './recorded-call.js';

/**
 * `node dist/test/bench/contents.js`: what recording a call costs with plain and with encrypted contents, in CPU of all threads of a whole
 * system on SQLite: events appended to the log, folded by every read model, and hashed into the audit tree up to a signed checkpoint. The
 * two systems are taken in turns, so that other work on the machine slows both alike.
 */

const CALLS = 2_000;
/** Calls that are answered together share an append. */
const MAX_AT_ONCE = 8;
const ROUNDS = 14;
const WARM_UP = 2;

const WAYS = ['plain', 'encrypted'] as const;
const systems = await Promise.all(
  WAYS.map(async (callContents) => {
    const api = await startTestApi({ callContents });
    const recorder = new CallRecorder(api.application.ports, contentMac(api.app.get(SecretKey)));
    return { api, recorder, times: [] as number[] };
  }),
);
for (let round = 0; round < ROUNDS; round += 1)
  for (let turn = 0; turn < WAYS.length; turn += 1) {
    const system = systems[(round + turn) % WAYS.length]!;
    const microseconds = await measured(system);
    if (round >= WARM_UP) system.times.push(microseconds);
  }
const medians = systems.map(({ times }) => median(times));
console.table(
  Object.fromEntries(
    WAYS.map((way, at) => [
      way,
      {
        'us a call': medians[at]!.toFixed(1),
        more: (medians[at]! - medians[0]!).toFixed(1),
        ratio: (medians[at]! / medians[0]!).toFixed(3),
      },
    ]),
  ),
);
await Promise.all(systems.map(({ api }) => api.close()));

/** CPU microseconds of a call. */
async function measured({ api, recorder }: (typeof systems)[number]): Promise<number> {
  const before = process.cpuUsage();
  for (let group = 0; group < CALLS / MAX_AT_ONCE; group += 1)
    await Promise.all(Array.from({ length: MAX_AT_ONCE }, () => record(recorder, 'by id')));
  await api.drained();
  await checkpointNow(api);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / CALLS;
}

function median(all: readonly number[]): number {
  return all.toSorted((a, b) => a - b)[Math.floor(all.length / 2)]!;
}
