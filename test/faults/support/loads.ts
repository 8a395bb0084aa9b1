import { setTimeout as sleep } from 'node:timers/promises';
import { ask, type Outcome } from './requests.js';
import type { Random } from './seed.js';
import { eventually } from '#test/support/eventually.js';

/** Clients of the API that go on whatever happens, until told to stop. */
export interface Load {
  stop(): Promise<void>;
}

/** The processes that clients may turn to, and how. */
export interface Target {
  /** Base addresses of the running APIs. */
  readonly urls: () => readonly string[];
  readonly key: string;
  readonly random: Random;
  /** A request for a training job. */
  readonly job?: object;
}

/** Pause of a client between two requests. */
const THINK_MS = 30;

/** The outcomes that clients saw, by the names they chose. */
export type Told = ReadonlyMap<string, Outcome>;

/** Clients that create projects one after another, each under a new name. */
export function creating(target: Target, clients: number, prefix = 'c'): Load & { readonly told: Told } {
  const told = new Map<string, Outcome>();
  return {
    told,
    ...clientsOf(clients, async (name) => {
      told.set(prefix + name, await anyApi(target, 'POST', '/projects', { name: prefix + name }));
    }),
  };
}

/** Clients that make inference calls one after another; the name is part of the text. */
export function inferring(target: Target, clients: number, prefix = 'call'): Load & { readonly told: Told } {
  const told = new Map<string, Outcome>();
  return {
    told,
    ...clientsOf(clients, async (name) => {
      const text = `${prefix} ${name}: Anna Smith flies to Paris`;
      const body = { model_id: 'anneal/encoder-base-v1', text, schema: { entities: ['person', 'city'] } };
      told.set(text, await anyApi(target, 'POST', '/inference', body));
    }),
  };
}

/** Clients that start a job and stop it immediately, one after another; outcomes of the stops are by job id. */
export function startingAndStopping(
  target: Target,
  clients: number,
): Load & { readonly told: Told; readonly stopped: Told } {
  const told = new Map<string, Outcome>();
  const stopped = new Map<string, Outcome>();
  const once = async (name: string) => {
    const body = { ...target.job, model_name: `job ${name}` };
    const started = await anyApi(target, 'POST', '/felix/training-jobs', body);
    told.set(body.model_name, started);
    if (started.kind === 'broken' || started.status !== 200) return;
    const { id } = started.body as { id: string };
    await eventually(async () => {
      const outcome = await anyApi(target, 'POST', `/felix/training-jobs/${id}/stop`);
      if (outcome.kind === 'broken' || outcome.status === 503) return false;
      stopped.set(id, outcome);
      return true;
    });
  };
  return { told, stopped, ...clientsOf(clients, once) };
}

export interface UploadedSet {
  readonly rows: number;
  /** The version's id. */
  readonly id: string;
}

/** Clients that upload datasets of one version, retrying as long as it takes. Some never call `process`. */
export function uploading(
  target: Target,
  clients: number,
): Load & { readonly processed: ReadonlyMap<string, UploadedSet>; readonly left: ReadonlySet<string> } {
  const processed = new Map<string, UploadedSet>();
  const left = new Set<string>();
  const once = async (client: string) => {
    const name = `set-${client}`;
    const begun = await anyApi(target, 'POST', '/felix/datasets/upload/url', { dataset_name: name });
    if (begun.kind === 'broken' || begun.status !== 200) return;
    const { dataset_id: id, presigned_url: address } = begun.body as { dataset_id: string; presigned_url: string };
    const rows = 50 + target.random.below(400);
    const put = await fetch(address, { method: 'PUT', body: jsonl(rows) });
    if (!put.ok) throw new Error(`PUT: ${put.status} ${await put.text()}`);
    if (target.random.below(5) === 0) return void left.add(name);
    await eventually(async () => {
      const outcome = await anyApi(target, 'POST', '/felix/datasets/upload/process', { dataset_id: id });
      if (outcome.kind === 'broken' || outcome.status === 503) return false;
      // A read model may be far behind while no worker leads: then this version is not known yet.
      if (outcome.status === 404) return false;
      if (outcome.status !== 202) throw new Error(`process: ${outcome.status} ${JSON.stringify(outcome.body)}`);
      processed.set(name, { rows, id });
      return true;
    });
  };
  return { processed, left, ...clientsOf(clients, once) };
}

const jsonl = (rows: number): string =>
  Array.from({ length: rows }, (_, row) => {
    const city = `Town${row}`;
    return `${JSON.stringify({ text: `fly to ${city}`, entities: [[city, 'destination']] })}\n`;
  }).join('');

export function clientsOf(count: number, once: (name: string) => Promise<void>): Load {
  const stopped = new AbortController();
  const goOn = async (client: number) => {
    for (let turn = 0; !stopped.signal.aborted; turn += 1) {
      await once(`${client}-${turn}`);
      await sleep(THINK_MS);
    }
  };
  const running = Promise.all(Array.from({ length: count }, (_, client) => goOn(client)));
  // The rejection is delivered to whoever stops it.
  running.catch(() => undefined);
  return {
    async stop() {
      stopped.abort();
      await running;
    },
  };
}

async function anyApi({ urls, key, random }: Target, method: string, path: string, body?: unknown): Promise<Outcome> {
  const running = urls();
  const url = running[random.below(running.length)];
  if (url === undefined) return { kind: 'broken', reason: 'no API runs', seconds: 0 };
  return ask(url, key, method, path, body);
}
