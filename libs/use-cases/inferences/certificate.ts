import type { ErasureEvent } from '#domain/erasure/index.js';
import { NotFoundError } from '#domain/errors.js';
import { cite, type LogReader } from '../events/log-reader.js';
import type { ErasureCertificate } from '#apps/api/routes/inferences/erasure-dto.js';
import type { Handed } from './learned.js';

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
