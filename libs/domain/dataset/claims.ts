import type { Env } from '../decider.js';
import { ConflictError } from '../errors.js';
import { refuseFullHistory } from './bounds.js';
import type { CommandOf } from './commands.js';
import type { DatasetEvent } from './events.js';
import { isBy, type DatasetState, type DatasetVersion } from './state.js';
import { readableVersion } from './versions.js';

/** Claims the requested version, or the newest ready one, for a job or an evaluation. */
export function claim(command: CommandOf<'claim-version'>, state: DatasetState, env: Env): readonly DatasetEvent[] {
  const { claimantKind, claimantId, requested } = command;
  const own = state.claims.find((claim) => isBy(claim, command) && claim.requested === requested);
  if (own) return [];
  refuseFullHistory(command.name, state);
  const versions = state.versions.filter((version) => version.workspaceId === command.workspaceId);
  const { versionId } = readableVersion(versions, command.name, requested);
  const claimed = { versionId, claimantKind, claimantId, requested, claimedAt: env.now };
  return [{ type: 'dataset-version-claimed.v1', data: claimed }];
}

export function release(command: CommandOf<'release-claims'>, state: DatasetState, env: Env): readonly DatasetEvent[] {
  const { claimantKind, claimantId } = command;
  const own = state.claims.filter((claim) => isBy(claim, command));
  if (own.length === 0) return [];
  const versionIds = [...new Set(own.map((claim) => claim.versionId))];
  const released = { versionIds, claimantKind, claimantId, releasedAt: env.now };
  return [{ type: 'dataset-claims-released.v1', data: released }];
}

/** @throws ConflictError naming the user of a claimed version */
export function refuseWhileClaimed(state: DatasetState, versions: readonly DatasetVersion[]): void {
  for (const { versionId, name, versionNumber } of versions) {
    const claim = state.claims.find((candidate) => candidate.versionId === versionId);
    if (claim === undefined) continue;
    const claimant = claim.claimantKind === 'job' ? 'training job' : 'evaluation';
    throw new ConflictError(
      `version ${versionNumber} of dataset ${JSON.stringify(name)} is in use by ${claimant} ${claim.claimantId}; ` +
        'wait until it has ended, or stop it',
    );
  }
}
