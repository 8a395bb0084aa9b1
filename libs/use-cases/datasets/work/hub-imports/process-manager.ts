import type { Application } from '#application/application.js';
import { HubTokens } from '#application/hub-tokens.js';
import { FairSlots } from '#primitives/fair-share/fair-slots.js';
import type { Hub } from '#models/hub/index.js';
import { evolve } from '#log/projector/handlers.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { openVersions, type OpenVersion, type OpenVersions } from '../open-versions.js';
import { VersionImporter, type ImportOptions } from './import-version.js';

export interface HubWork extends Partial<ImportOptions> {
  readonly hub: Hub;
  readonly secret: SecretKey;
  readonly maxBytes: number;
}

const MAX_AT_ONCE = 2;
const GIVE_UP_MS = 60 * 60 * 1000;
/** By then a request that keeps a token for its work has requested it, or died. */
const ASKED_WITHIN_MS = 10 * 60 * 1000;

/** Versions whose file is still to be fetched. */
const OPEN = openVersions('dataset-version-import-requested.v1', [
  'dataset-version-sealed.v1',
  'dataset-version-failed.v1',
  'dataset-version-deleted.v1',
]);

/** Completes every requested import, a few at a time, workspaces in turns, the oldest of each first. */
export function hubImports(
  application: Application,
  { hub, secret, giveUpMs = GIVE_UP_MS, maxBytes }: HubWork,
): ProcessManager<OpenVersions, OpenVersion> {
  const tokens = new HubTokens(application.ports.coordination, secret);
  const importer = new VersionImporter(application, hub, tokens, { giveUpMs, maxBytes });
  const slots = new FairSlots(MAX_AT_ONCE);
  // Removes tokens that a dead process left behind; if this fails, they expire after a day.
  void application.background.once('forget-hub-tokens', forgetLeftBehind(application, tokens));
  return {
    name: 'hub-imports',
    ...OPEN,
    execute: ({ stream, versionId, workspaceId }, signal) =>
      slots.run(workspaceId, async () => {
        if (!signal.aborted) await importer.import(stream, versionId, signal);
      }),
  };
}

/** Removes tokens whose work has ended or was never requested, because the process that should have done so died. */
export async function forgetLeftBehind(
  application: Application,
  tokens: HubTokens,
  ageMs = ASKED_WITHIN_MS,
): Promise<void> {
  const left = new Set(await tokens.olderThan(ageMs));
  if (left.size === 0) return;
  let open = OPEN.initial;
  const filter = { types: Object.keys(OPEN.on) };
  for await (const event of application.ports.eventStore.readAll({ filter })) open = evolve(OPEN.on, open, event);
  for (const versionId of left) if (!open.has(versionId)) await tokens.forget(versionId);
}
