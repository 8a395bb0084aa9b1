import { audited, auditShareOf, isBroken, isSuspected, NO_EVIDENCE } from '#domain/distillation/audit.js';
import { randomNumbers } from '#primitives/random-numbers.js';
import { TARGETS } from './results.js';

const RUNS = 1_000;
const AUDIT_SHARE = 0.02;
/** Sure calls of a run, until a drift is to be noticed, and of which none may be given back where nothing is wrong. */
const CALLS = 10_000;
const NOTICED_WITHIN = 5_000;

export interface AuditFigures {
  readonly target: number;
  /** Of the sure calls. */
  readonly agreement: number;
  /** Shares of the runs that were given back to the teacher. */
  readonly returned: number;
  readonly withinNoticed: number;
  /** Sure calls until then; null if fewer than that share of the runs was given back. */
  readonly median: number | null;
  readonly ninth: number | null;
  /** Share of the sure calls that were audited. */
  readonly audits: number;
}

/** Audits of sure calls by the code of the domain, with an agreement that is 5 points below the target, at it, and a point above it. */
export const simulatedAudits = (runs = RUNS): readonly AuditFigures[] =>
  TARGETS.flatMap((target) =>
    [target - 0.05, target, target + 0.01].map((agreement) => figures(target, agreement, runs)),
  );

function figures(target: number, agreement: number, runs: number): AuditFigures {
  const random = randomNumbers(Math.round(target * 1_000 + agreement * 100_000));
  const all = Array.from({ length: runs }, () => run(target, agreement, random));
  const calls = all.map(({ until }) => until).sort((one, other) => one - other);
  const shareWithin = (most: number) => calls.filter((until) => until <= most).length / runs;
  const quantile = (share: number) => {
    const until = calls[Math.ceil(share * runs) - 1]!;
    return Number.isFinite(until) ? until : null;
  };
  const seen = calls.reduce((sum, until) => sum + Math.min(until, CALLS), 0);
  return {
    ...{ target, agreement: Number(agreement.toFixed(2)), returned: shareWithin(CALLS) },
    ...{ withinNoticed: shareWithin(NOTICED_WITHIN), median: quantile(0.5), ninth: quantile(0.9) },
    audits: all.reduce((sum, { audits }) => sum + audits, 0) / seen,
  };
}

/** @returns the sure calls until all are given back to the teacher; Infinity: never */
function run(target: number, agreement: number, random: () => number) {
  let evidence = NO_EVIDENCE;
  for (let call = 1; call <= CALLS; call += 1) {
    if (random() >= auditShareOf(isSuspected(evidence), AUDIT_SHARE)) continue;
    evidence = audited(evidence, random() < agreement, target);
    if (isBroken(evidence)) return { until: call, audits: evidence.audited };
  }
  return { until: Infinity, audits: evidence.audited };
}
