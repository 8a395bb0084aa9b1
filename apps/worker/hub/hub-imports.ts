import type { Application } from '#application/application.js';
import { HubTokens } from '#application/hub-tokens.js';
import { Slots } from '#confined-process/index.js';
import type { DatasetEvent } from '#domain/dataset/index.js';
import type { RecordedEvent } from '#event-store/port.js';
import type { Hub } from '#hub/index.js';
import type { ProcessManager } from '#process-manager/process-manager.js';
import type { SecretKey } from '#secrets/index.js';
import { VersionImporter, type ImportOptions } from './import-version.js';

/** Versions whose file is still to be fetched, by id, oldest first. */
export type OpenImports = ReadonlyMap<string, OpenImport>;

export interface OpenImport {
  readonly versionId: string;
  /** Id of the dataset's stream. */
  readonly stream: string;
}

export interface HubWork extends Partial<ImportOptions> {
  readonly hub: Hub;
  readonly secret: SecretKey;
  readonly maxBytes: number;
}

const AT_ONCE = 2;
const LOOKED_AT = 16;
const GIVE_UP_MS = 60 * 60 * 1000;
/** A request that keeps a token for its work has asked for it by then, or died. */
const ASKED_WITHIN_MS = 10 * 60 * 1000;

/** Takes every import that was asked for to its end, a few at a time, the oldest first. */
export function hubImports(
  application: Application,
  { hub, secret, giveUpMs = GIVE_UP_MS, maxBytes }: HubWork,
): ProcessManager<OpenImports, OpenImport> {
  const tokens = new HubTokens(application.ports.coordination, secret);
  const importer = new VersionImporter(application, hub, tokens, { giveUpMs, maxBytes });
  const slots = new Slots(AT_ONCE);
  // What one that died has left behind; if this fails, they last a day.
  void forgetLeftBehind(application, tokens).catch(() => undefined);
  return {
    name: 'hub-imports',
    handles: [
      'dataset-version-import-requested.v1',
      'dataset-version-sealed.v1',
      'dataset-version-failed.v1',
      'dataset-version-deleted.v1',
    ],
    initial: new Map(),
    evolve,
    pending: (open) => [...open.values()].slice(0, LOOKED_AT),
    key: ({ versionId }) => versionId,
    execute: ({ stream, versionId }, signal) =>
      slots.run(async () => {
        if (!signal.aborted) await importer.import(stream, versionId, signal);
      }),
  };
}

export function evolve(open: OpenImports, recorded: RecordedEvent): OpenImports {
  const event = recorded as unknown as DatasetEvent;
  if (event.type === 'dataset-version-import-requested.v1') {
    const { versionId } = event.data;
    return new Map(open).set(versionId, { versionId, stream: recorded.stream.slice('dataset-'.length) });
  }
  if (!('versionId' in event.data) || !open.has(event.data.versionId)) return open;
  const others = new Map(open);
  others.delete(event.data.versionId);
  return others;
}

/** Tokens whose work has ended, or was never asked for: whoever should have removed them has died. */
export async function forgetLeftBehind(
  application: Application,
  tokens: HubTokens,
  ageMs = ASKED_WITHIN_MS,
): Promise<void> {
  const left = new Set(await tokens.olderThan(ageMs));
  if (left.size === 0) return;
  const types = ['dataset-version-import-requested.v1', 'dataset-version-sealed.v1', 'dataset-version-failed.v1'];
  let open: OpenImports = new Map();
  const filter = { types: [...types, 'dataset-version-deleted.v1'] };
  for await (const event of application.ports.eventStore.readAll({ filter })) open = evolve(open, event);
  for (const versionId of left) if (!open.has(versionId)) await tokens.forget(versionId);
}
