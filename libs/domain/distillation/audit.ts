/** What audits of sure calls have shown: bets on the rate of disagreements, one for each stake. */
export type AuditEvidence = {
  readonly wealth: readonly number[];
  readonly audited: number;
  readonly disagreements: number;
};

/** Stakes: how far above its limit the rate of disagreements is supposed to be. */
const STAKES = [0.02, 0.05, 0.1] as const;
/** Evidence from which more calls are audited, and from which the teacher answers all. */
const SUSPECTED = 2;
const BROKEN = 10_000;
/** Share of the sure calls that is audited on suspicion: with fewer, a drift of five points is often noticed after 5,000 calls only. */
const SUSPICIOUS_SHARE = 0.5;

export const NO_EVIDENCE: AuditEvidence = { wealth: STAKES.map(() => 1), audited: 0, disagreements: 0 };

/**
 * The evidence after one more audited call. Each stake is a test martingale under the target that restarts when it falls below 1, so
 * that a change after many good calls is noticed as fast as one at the start (betting: Waudby-Smith and Ramdas, arXiv 2010.09686;
 * e-detectors: Shin et al., arXiv 2203.03532).
 * @param target the agreement that is held, 0 to 1, exclusive
 */
export function audited(
  { wealth, audited: calls, disagreements }: AuditEvidence,
  agrees: boolean,
  target: number,
): AuditEvidence {
  const limit = 1 - target;
  const error = agrees ? 0 : 1;
  const factor = (stake: number) => 1 + (stake * (error - limit)) / (limit * target);
  return {
    wealth: STAKES.map((stake, at) => Math.max(wealth[at] ?? 1, 1) * factor(stake)),
    audited: calls + 1,
    disagreements: disagreements + error,
  };
}

/** How strongly the audits speak against the target: the mean of the bets. */
export const evidenceOf = ({ wealth }: AuditEvidence): number =>
  wealth.reduce((sum, each) => sum + each, 0) / wealth.length;

/** Whether the target is not held any more: the teacher answers all calls from here on. */
export const isBroken = (evidence: AuditEvidence): boolean => evidenceOf(evidence) >= BROKEN;

export const isSuspected = (evidence: AuditEvidence): boolean => evidenceOf(evidence) >= SUSPECTED;

/** Share of the sure calls that the teacher is asked as well. */
export const auditShareOf = (suspected: boolean, share: number): number =>
  suspected ? Math.max(share, SUSPICIOUS_SHARE) : share;
