import type { Env } from '../decider.js';
import { refuseFullHistory } from './bounds.js';
import type { CommandOf, GivenDescription } from './commands.js';
import type { DatasetEvent, VersionDescription } from './events.js';
import type { DatasetState } from './state.js';
import { versionById } from './versions.js';

const FIELDS = [
  'purpose',
  'source',
  'license',
  'consent',
  'guidelines',
] as const satisfies (keyof VersionDescription)[];
const UNDESCRIBED: VersionDescription = { purpose: null, source: null, license: null, consent: null };

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
  given: GivenDescription,
  by: string,
  env: Env,
): readonly DatasetEvent[] {
  const said = (field: keyof VersionDescription): string | null => {
    const text = given[field];
    return text === undefined ? (before[field] ?? null) : text;
  };
  const guidelines = said('guidelines');
  const after: VersionDescription = {
    ...{ purpose: said('purpose'), source: said('source'), license: said('license'), consent: said('consent') },
    ...(guidelines !== null && { guidelines }),
  };
  if (FIELDS.every((field) => after[field] === before[field])) return [];
  return [
    { type: 'dataset-version-described.v1', data: { versionId, ...after, describedBy: by, describedAt: env.now } },
  ];
}

export const firstDescription = (versionId: string, given: GivenDescription, by: string, env: Env) =>
  descriptionEvent(versionId, UNDESCRIBED, given, by, env);
