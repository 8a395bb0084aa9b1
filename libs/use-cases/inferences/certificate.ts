import type { ErasureEvent } from '#domain/erasure/index.js';
import { NotFoundError } from '#domain/errors.js';
import type { DestroyedKeys } from '#domain/inference/index.js';
import { cite, type EventCitation, type LogReader } from '../events/log-reader.js';
import type { Handed, LearnedFrom, Version } from './learned.js';

/** What was erased of a call, and what learned from it. */
export interface ErasureCertificate {
  readonly object: 'erasure_certificate';
  readonly inference_id: string;
  readonly erased_at: string;
  readonly erased_by: string;
  readonly keys: DestroyedKeys;
  readonly event: EventCitation;
  readonly learned: LearnedFrom;
  /** Dataset versions that were erased with it. */
  readonly erased_with: readonly Version[];
  /** Where the content is still stored, as far as known. */
  readonly remains: readonly string[];
}

/** The certificate of a call's erasure, made from its events. @throws NotFoundError if the call was not erased */
export async function certificateOf(
  log: LogReader,
  workspaceId: string,
  id: string,
  { learned, remains }: Pick<Handed, 'learned' | 'remains'>,
): Promise<ErasureCertificate> {
  const [erased, ...copies] = await log.events<ErasureEvent>(workspaceId, ['erasure', id]);
  if (erased?.type !== 'call-content-erased.v1') throw new NotFoundError('erasure of inference', id);
  const { erasedAt, keys = [] } = erased.data;
  const plain = keys.length === 0 ? ['the event log, if it has the content: no key was destroyed'] : [];
  return {
    object: 'erasure_certificate',
    inference_id: id,
    erased_at: erasedAt,
    erased_by: erased.metadata.actor,
    keys,
    event: cite(erased),
    learned,
    erased_with: learned.dataset_versions.filter((version) =>
      copies.some(({ data }) => 'versionIds' in data && data.versionIds.includes(version.version_id)),
    ),
    remains: [...plain, ...remains],
  };
}
