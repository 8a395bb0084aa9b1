import { Injectable } from '@nestjs/common';
import { Application } from '#application/application.js';
import { openCheckpoint, parseVerifier } from '#audit/checkpoint.js';
import { Inclusions } from '#audit/inclusion.js';
import { TreeDamagedError, TreeFiles } from '#audit/tree-files.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { NotFoundError, UnavailableError } from '#domain/errors.js';
import type { EventCitation, EventProof } from '../events/log-reader.js';
import type { CallLineage } from './lineage.js';

/** Proofs that the log has the events that an answer cites. */
@Injectable()
export class Proofs {
  constructor(private readonly application: Application) {}

  /** @throws NotFoundError before the first checkpoint, UnavailableError if the tree is damaged */
  async of(lineage: CallLineage): Promise<CallLineage> {
    const files = new TreeFiles(this.application.ports.objectStore);
    const checkpoint = await files.checkpoint();
    if (checkpoint === null) throw new NotFoundError('checkpoint', 'newest');
    const { keys } = await this.application.load(auditKeyDecider, AUDIT_KEYS);
    const public_keys = keys.map(({ verifier }) => verifier);
    try {
      const { size } = openCheckpoint(
        checkpoint,
        public_keys.map((key) => parseVerifier(key)),
      );
      const inclusions = new Inclusions(files, size);
      const proved = await proven(lineage, (position) => proofOf(inclusions, position));
      return { ...(proved as CallLineage), checkpoint, public_keys };
    } catch (error) {
      if (!(error instanceof TreeDamagedError)) throw error;
      throw new UnavailableError('the audit tree is damaged; see GET /health, and npx anneal audit verify');
    }
  }
}

/** null for an event that no checkpoint covers yet. */
async function proofOf(inclusions: Inclusions, position: string): Promise<EventProof | null> {
  const found = await inclusions.of(position);
  if (found === null) return null;
  return {
    leaf_index: found.leaf,
    digest: found.entry.slice(found.entry.lastIndexOf('\n') + 1),
    inclusion_proof: found.proof.map((hash) => Buffer.from(hash).toString('base64')),
  };
}

/** The same value, with a proof for each citation. */
async function proven(value: unknown, prove: (position: string) => Promise<EventProof | null>): Promise<unknown> {
  if (Array.isArray(value)) {
    const parts: unknown[] = [];
    for (const part of value) parts.push(await proven(part, prove));
    return parts;
  }
  if (typeof value !== 'object' || value === null) return value;
  if (isCitation(value)) return { ...value, proof: await prove(value.position) };
  const fields: [string, unknown][] = [];
  for (const [name, field] of Object.entries(value)) fields.push([name, await proven(field, prove)]);
  return Object.fromEntries(fields);
}

const isCitation = (value: object): value is EventCitation =>
  'position' in value && 'stream' in value && 'revision' in value && 'time' in value;
