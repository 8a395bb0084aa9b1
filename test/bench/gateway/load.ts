import autocannon from 'autocannon';
import { Agent, request } from 'undici';
import { cpuOf } from './process.js';

/** The address and form of calls. */
export interface Target {
  readonly url: string;
  /** null: what it costs is not measured. */
  readonly pid: number | null;
  /** Headers of each caller, used in turn. */
  readonly callers: readonly Readonly<Record<string, string>>[];
}

export interface Kind {
  readonly model: string;
  readonly stream: boolean;
}

export interface Load {
  /** CPU microseconds a call, of all threads. */
  readonly cpuUs: number;
  /** The same by thread: `main` serves HTTP. */
  readonly threadsUs: Readonly<Record<string, number>>;
  readonly callsPerSecond: number;
}

const CONNECTIONS = 32;
const PATH = '/v1/chat/completions';

const bodyOf = ({ model, stream }: Kind): string =>
  JSON.stringify({
    model,
    messages: [
      {
        role: 'system',
        content: 'You are a helpful assistant. Answer in one paragraph, and do not say more than is asked.',
      },
      {
        role: 'user',
        content: 'Which of the rivers of Europe is the longest, and through which countries does it flow?',
      },
    ],
    ...(stream && { stream: true, stream_options: { include_usage: true } }),
  });

const asked = new Map<string, number>();

/** Calls made of a target so far. */
export const callsMade = ({ url }: Pick<Target, 'url'>): number => asked.get(url) ?? 0;

/** Calls from as many connections as keep it busy. @throws Error where a call is not answered with success */
export async function load({ url, pid, callers }: Target, kind: Kind, calls: number): Promise<Load> {
  const body = bodyOf(kind);
  const run = (amount: number) => {
    asked.set(url, callsMade({ url }) + amount);
    return autocannon({
      url,
      amount,
      connections: CONNECTIONS,
      requests: callers.map((headers) => ({
        ...{ method: 'POST' as const, path: PATH, body },
        headers: { 'content-type': 'application/json', ...headers },
      })),
    });
  };
  // A second warm-up run: V8 compiles in background threads.
  await run(calls);
  const before = cpuOf(pid!);
  const start = performance.now();
  const result = await run(calls);
  const seconds = (performance.now() - start) / 1_000;
  const after = cpuOf(pid!);
  const made = result['2xx'];
  if (result.non2xx > 0 || result.errors > 0) throw new Error(`${result.non2xx} bad answers, ${result.errors} errors`);
  return {
    cpuUs: ((after.all - before.all) / made) * 1e6,
    threadsUs: Object.fromEntries(
      [...after.threads].map(([name, spent]) => [
        name,
        Math.round(((spent - (before.threads.get(name) ?? 0)) / made) * 1e6),
      ]),
    ),
    callsPerSecond: made / seconds,
  };
}

/** Milliseconds to the first bytes of streams, one call after another, to each target in turn. */
export async function firstBytes(targets: readonly (Target & Kind)[], calls: number): Promise<number[][]> {
  const dispatcher = new Agent();
  const times = targets.map((): number[] => []);
  for (let call = -20; call < calls; call += 1)
    for (const [index, target] of targets.entries()) {
      const start = performance.now();
      const { statusCode, body } = await request(target.url + PATH, {
        ...{ method: 'POST', dispatcher, body: bodyOf(target) },
        headers: { 'content-type': 'application/json', ...target.callers[Math.abs(call) % target.callers.length] },
      });
      if (statusCode !== 200) throw new Error(`status ${statusCode}`);
      let first = 0;
      for await (const _ of body) first ||= performance.now() - start;
      asked.set(target.url, callsMade(target) + 1);
      if (call >= 0) times[index]!.push(first);
    }
  await dispatcher.close();
  return times;
}
