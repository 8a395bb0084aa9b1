import { invalidArgument } from './errors.js';

/** Where an append or a tombstone expects its stream to end. */
interface WithExpectedRevision {
  hasRevision(): boolean;
  getRevision(): string;
  hasNoStream(): boolean;
}

/** @returns the stream's last revision, -1 for no stream. @throws ServiceError when it is any other expectation */
export function fromExpectedRevision(options: WithExpectedRevision): number {
  if (options.hasRevision()) return toRevision(options.getRevision());
  if (options.hasNoStream()) return -1;
  throw invalidArgument('an exact revision is missing');
}

/** What is beyond JavaScript's integers is beyond every stream, and below a tombstone. */
export const toRevision = (revision: string): number =>
  Number(BigInt.asUintN(64, BigInt(revision)) > HIGHEST ? HIGHEST : BigInt(revision));

const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER - 1);
