import autocannon from 'autocannon';
import { CallRecorder, contentMac } from '#calls/recording/call-recorder.js';
import { makeKey } from '#apps/demo/account.js';
import { Client } from '#apps/demo/client.js';
import { startSystem } from '#apps/demo/system.js';
import { SecretKey } from '#primitives/secrets/index.js';
import { startTestApi } from '#test/support/api.js';
import { checkpointNow } from '#test/support/audited.js';
import { cpuSeconds } from './cpu.js';
import { record } from './recorded-call.js';
import { median } from './quantile.js';
import { scaled } from './size.js';

/**
 * `node dist/test/bench/contents.js`: what a recorded call costs with plain and with encrypted contents, in CPU of all threads of a whole
 * system on SQLite: first its record alone (events appended to the log, folded by every read model, and hashed into the audit tree up to a
 * signed checkpoint), then the whole call over HTTP. The two systems are taken in turns, so that other work on the machine slows both alike.
 */

const ROUNDS = scaled(14, 3);
const WARM_UP = 2;
const CALLS = scaled(2_000, 16);
/** Calls that are answered together share an append. */
const MAX_AT_ONCE = 8;
const CONNECTIONS = 16;
const MODEL = 'anneal/encoder-base-v1';
const TEXT = 'Maria Rossi flew from Lisbon to Berlin on 3 May.';
const BODY = JSON.stringify({ model_id: MODEL, text: TEXT, schema: ['person', 'city', 'date'] });

const WAYS = ['plain', 'encrypted'] as const;
type Way = (typeof WAYS)[number];

/** A system that is measured. */
interface Measured {
  /** @returns CPU microseconds of a call */
  measure(): Promise<number>;
  close(): Promise<void>;
}

await compared('the record of a call', recording);
await compared('a recorded call over HTTP', serving);

async function compared(what: string, open: (way: Way) => Promise<Measured>): Promise<void> {
  const systems = await Promise.all(WAYS.map(open));
  const times: number[][] = WAYS.map(() => []);
  for (let round = 0; round < ROUNDS; round += 1)
    for (let turn = 0; turn < WAYS.length; turn += 1) {
      const at = (round + turn) % WAYS.length;
      const microseconds = await systems[at]!.measure();
      if (round >= WARM_UP) times[at]!.push(microseconds);
    }
  console.log(`${what}, CPU of all threads, medians of ${ROUNDS - WARM_UP} rounds of ${CALLS} calls`);
  const [plain] = times;
  console.table(
    Object.fromEntries(
      WAYS.map((way, at) => [
        way,
        {
          'us a call': median(times[at]!).toFixed(1),
          more: (median(times[at]!) - median(plain!)).toFixed(1),
          ratio: (median(times[at]!) / median(plain!)).toFixed(3),
          // Other work on the machine makes calls dearer, never cheaper.
          'of the least': (Math.min(...times[at]!) / Math.min(...plain!)).toFixed(3),
        },
      ]),
    ),
  );
  await Promise.all(systems.map((system) => system.close()));
}

async function recording(callContents: Way): Promise<Measured> {
  const api = await startTestApi({ callContents });
  const recorder = new CallRecorder(api.application.ports, contentMac(api.app.get(SecretKey)));
  return {
    async measure() {
      const before = process.cpuUsage();
      for (let group = 0; group < CALLS / MAX_AT_ONCE; group += 1)
        await Promise.all(Array.from({ length: MAX_AT_ONCE }, () => record(recorder, 'by id')));
      await api.drained();
      await checkpointNow(api);
      const { user, system } = process.cpuUsage(before);
      return (user + system) / CALLS;
    },
    close: () => api.close(),
  };
}

/** A process of its own, so that its client is not counted. */
async function serving(callContents: Way): Promise<Measured> {
  const system = await startSystem({ ANNEAL_RATE_LIMITS: 'off', ANNEAL_CALL_CONTENTS: callContents });
  const { secret_key: key } = await makeKey(new Client(system.url), system, 'bench');
  const headers = { 'content-type': 'application/json', 'x-api-key': key };
  let before = 0;
  return {
    /** Of the round before, with what it had left to be done after its answers. */
    async measure() {
      const now = cpuSeconds(system.pid);
      const spent = now - before;
      before = now;
      const { non2xx, errors } = await autocannon({
        ...{ url: `${system.url}/inference`, method: 'POST', body: BODY, headers },
        ...{ connections: CONNECTIONS, amount: CALLS },
      });
      if (non2xx > 0 || errors > 0) throw new Error(`${non2xx} bad answers, ${errors} errors`);
      return (spent / CALLS) * 1e6;
    },
    close: () => system.close(),
  };
}
