import type { ExpectedVersion } from '../log/check-commit.js';
import { invalidArgument } from './errors.js';
import type { StreamMessages } from './messages.js';

/** The four alternatives as append, delete and tombstone requests have them. */
interface WithExpectedRevision {
  hasRevision(): boolean;
  getRevision(): string;
  hasNoStream(): boolean;
  hasAny(): boolean;
  hasStreamExists(): boolean;
}

/** @throws ServiceError when none is given */
export function fromExpectedRevision(options: WithExpectedRevision): ExpectedVersion {
  if (options.hasRevision()) return { kind: 'revision', revision: toRevision(options.getRevision()) };
  if (options.hasNoStream()) return { kind: 'no-stream' };
  if (options.hasAny()) return { kind: 'any' };
  if (options.hasStreamExists()) return { kind: 'stream-exists' };
  throw invalidArgument('an expected revision is missing');
}

/** @throws ServiceError when none is given */
export const fromExpectedPosition = (options: StreamMessages.BatchAppendReq.Options): ExpectedVersion =>
  fromExpectedRevision({
    hasRevision: () => options.hasStreamPosition(),
    getRevision: () => options.getStreamPosition(),
    hasNoStream: () => options.hasNoStream(),
    hasAny: () => options.hasAny(),
    hasStreamExists: () => options.hasStreamExists(),
  });

/** What is beyond JavaScript's integers is beyond every stream, and below a tombstone. */
export const toRevision = (revision: string): number =>
  Number(BigInt.asUintN(64, BigInt(revision)) > HIGHEST ? HIGHEST : BigInt(revision));

const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER - 1);
