import type { Env } from '../decider.js';
import { refuseFullHistory } from './bounds.js';
import type { CommandOf } from './commands.js';
import type { DatasetEvent, VersionDescription } from './events.js';
import type { DatasetState } from './state.js';
import { versionById } from './versions.js';

const UNDESCRIBED: VersionDescription = { purpose: null, source: null, license: null, consent: null };
const FIELDS = Object.keys(UNDESCRIBED) as (keyof VersionDescription)[];

/** Changes what people say of a version, which itself is sealed. Fields that are absent stay. @throws NotFoundError, ConflictError for a full history */
export function describeVersion(
  { versionId, workspaceId, description, by }: CommandOf<'describe-version'>,
  state: DatasetState,
  env: Env,
): readonly DatasetEvent[] {
  const version = versionById(state, versionId, workspaceId);
  const described = descriptionEvent(versionId, version.description ?? UNDESCRIBED, description, by, env);
  if (described.length > 0) refuseFullHistory(version.name, state);
  return described;
}

/** No event if nothing differs. */
export function descriptionEvent(
  versionId: string,
  before: VersionDescription,
  given: Partial<VersionDescription>,
  by: string,
  env: Env,
): readonly DatasetEvent[] {
  const after = Object.fromEntries(
    FIELDS.map((field) => [field, given[field] === undefined ? before[field] : given[field]]),
  ) as unknown as VersionDescription;
  if (FIELDS.every((field) => after[field] === before[field])) return [];
  return [
    { type: 'dataset-version-described.v1', data: { versionId, ...after, describedBy: by, describedAt: env.now } },
  ];
}

export const firstDescription = (versionId: string, given: Partial<VersionDescription>, by: string, env: Env) =>
  descriptionEvent(versionId, UNDESCRIBED, given, by, env);
