import { invalidArgument } from './errors.js';

/** An append's or a tombstone's expected revision. */
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

/** A revision above JavaScript's integers is above every stream and below a tombstone. */
export const toRevision = (revision: string): number =>
  Number(BigInt.asUintN(64, BigInt(revision)) > HIGHEST ? HIGHEST : BigInt(revision));

const HIGHEST = BigInt(Number.MAX_SAFE_INTEGER - 1);
