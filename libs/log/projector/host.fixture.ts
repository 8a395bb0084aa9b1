import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expectedAfter, type EventToAppend } from '#ports/event-store/port.js';
import { openSqliteEventStore, type SqliteEventStore } from '#ports/event-store/sqlite/index.js';
import type { JsonObject } from '#domain/json.js';
import type { ReadStore } from '#ports/read-store/port.js';
import { ProjectionHost, type ProjectionHostOptions } from './host.js';
import type { Projection } from './projection.js';
import type { ProjectionAdvance } from './status.js';
import { collectionNameOf, projectionIn } from './collection.js';

/** A projection host over a real log and a real read store, for this folder's specifications. */

/** Opens an empty read store in an empty folder. The result removes it. */
export type OpenReadStore = (
  directory: string,
) => Promise<{ readonly store: ReadStore; readonly clear: () => Promise<void> }>;

/** Balances of accounts, numbered within their workspace. An event with `poison` fails until `heal` is called. */
export const accounts: Projection = {
  name: 'accounts',
  version: 1,
  indexes: [{ fields: ['workspaceId', 'n'] }],
  ordinals: [{ field: 'n', within: ['workspaceId'] }],
  key: ({ data }) => data['account'] as string,
  on: {
    'opened.v1'(_, { data }) {
      failIfPoisoned(data);
      return { id: data['account']!, workspaceId: 'w1', balance: 0 };
    },
    'paid.v1'(document, { data }) {
      failIfPoisoned(data);
      return document && { ...document, balance: (document['balance'] as number) + (data['amount'] as number) };
    },
  },
};
let healed = false;

function failIfPoisoned(data: JsonObject): void {
  if (data['poison'] === true && !healed) throw new Error('cannot be applied');
}

export const names: Projection = {
  name: 'names',
  version: 1,
  indexes: [],
  key: ({ data }) => data['account'] as string,
  on: { 'named.v1': (_, { data }) => ({ name: data['name']! }) },
};

export const heal = (): void => {
  healed = true;
};

export let log: SqliteEventStore;
export let store: ReadStore;
let clear: () => Promise<void>;
export let host: ProjectionHost | null;
let directory: string;
let heads: Map<string, number>;
let advanced: Map<string, ProjectionAdvance>;
let onAdvanced: () => void;

/** Opens and closes them around each test of the calling suite. */
export function useProjectionHost(open: OpenReadStore): void {
  beforeEach(async () => {
    healed = false;
    directory = await mkdtemp(join(tmpdir(), 'projections-'));
    log = await openSqliteEventStore({ directory, durability: 'normal' });
    ({ store, clear } = await open(join(directory, 'read')));
    host = null;
    heads = new Map();
    advanced = new Map();
    onAdvanced = () => undefined;
  });
  afterEach(async () => {
    await host?.close();
    await store.close();
    await clear();
    await log.close();
    await rm(directory, { recursive: true });
  });
}

let serial = 0;
export const append = async (account: string, ...events: readonly (readonly [string, JsonObject?])[]) => {
  const stream = `account-${account}`;
  const revision = heads.get(stream) ?? -1;
  heads.set(stream, revision + events.length);
  const toAppend = events.map(([type, data]): EventToAppend => {
    const id = `00000000-0000-4000-8000-${String((serial += 1)).padStart(12, '0')}`;
    const occurredAt = new Date().toISOString();
    const metadata = {
      workspaceId: 'w1',
      actor: 'user:u',
      correlationId: id,
      causationId: id,
      commandId: id,
      occurredAt,
    };
    return { id, type, data: { account, ...data }, metadata };
  });
  return (await log.append(stream, expectedAfter(revision), toAppend)).position;
};

/** Their collections. */
export const [ACCOUNTS, NAMES] = [accounts, names].map(collectionNameOf) as [string, string];

export const start = (
  projections: readonly Projection[] = [accounts, names],
  more: Partial<ProjectionHostOptions> = {},
) => {
  advanced.clear();
  host = new ProjectionHost({
    eventStore: log,
    readStore: store,
    projections,
    onAdvance(advances) {
      for (const advance of advances) advanced.set(projectionIn(advance.collection)!.name, advance);
      onAdvanced();
    },
    ...more,
  }).start();
  return host;
};
export const stop = async () => {
  await host?.close();
  host = null;
};

/** Resolves once all projections are live and have seen the position. */
export const seen = (position: string, projections = host!.status().map(({ name }) => name)) =>
  until(() => projections.every((name) => advanced.get(name)?.live && advanced.get(name)!.position >= position));
export const until = async (holds: () => boolean) => {
  while (!holds()) await new Promise<void>((resolve) => (onAdvanced = resolve));
};
export const stateOf = (name: string) => host!.status().find((status) => status.name === name)!;
export const rebuilt = async (name: string) => {
  await host!.rebuild(name);
  await until(() => stateOf(name).state === 'live');
};
export const balance = async (account: string) => (await store.get(ACCOUNTS, account))?.['balance'];
