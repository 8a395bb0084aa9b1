import { within } from '#primitives/waiting/within.js';

/** A dependency of the process that can report its health. */
export interface HealthSource {
  /** `event-store`, `read-store`, `projections`, `process-managers`. */
  readonly name: string;
  /** Resolves soon, and never rejects: a failure is `down` with the reason in its details. */
  check(): Promise<HealthReport>;
}

export interface HealthReport {
  /**
   * `degraded`: it works, but not as it should; requests are still taken. `damaged`: the same, and what it has stored is not what was
   * written.
   */
  readonly status: 'up' | 'degraded' | 'damaged' | 'down';
  readonly details: Readonly<Record<string, unknown>>;
}

type Parts = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** Body of `/health`: 503 if the status is `error`, else 200. `damaged`: stored data are not what was written. */
export interface Health {
  readonly status: 'ok' | 'damaged' | 'error';
  /** The parts that work, by name. */
  readonly info: Parts;
  /** The parts that do not. */
  readonly error: Parts;
  /** All parts, by name. */
  readonly details: Parts;
}

/** Body of `/health/ready`: 200 if the status is `ok`, else 503. */
interface Readiness {
  readonly status: 'ok' | 'unavailable';
  /** Whether the log accepts writes; absent in a process without a log. */
  readonly writes?: boolean;
}

/** Body of `/health/live`. */
export const LIVE = { status: 'ok' } as const;

const CHECK_DEADLINE_MS = 2_000;

/** Asks all sources at once. */
export async function explainHealth(sources: readonly HealthSource[]): Promise<Health> {
  const parts = await Promise.all(sources.map(async (source) => [source.name, await reported(source)] as const));
  const isDown = ([, { status }]: (typeof parts)[number]) => status === 'down';
  const info = Object.fromEntries(parts.filter((part) => !isDown(part)));
  const error = Object.fromEntries(parts.filter(isDown));
  return withDamage({ status: parts.some(isDown) ? 'error' : 'ok', info, error, details: { ...info, ...error } });
}

/** The same, with the status of a part whose data are damaged. */
export const withDamage = (health: Health): Health =>
  health.status === 'ok' && Object.values(health.details).some(({ intact }) => intact === false)
    ? { ...health, status: 'damaged' }
    : health;

export function readinessOf({ status, details }: Health): Readiness {
  const writes = details['event-store']?.['writes'];
  return { status: status === 'error' ? 'unavailable' : 'ok', ...(typeof writes === 'boolean' && { writes }) };
}

/** Status of one source for `/health`. Answers within a bound and never throws. */
export async function reported(source: HealthSource) {
  const { status, details } = await checked(source);
  return {
    ...details,
    status: status === 'down' ? ('down' as const) : ('up' as const),
    ...((status === 'degraded' || status === 'damaged') && { degraded: true }),
    ...(status === 'damaged' && { intact: false }),
  };
}

class NoAnswerError extends Error {}

/** A part that does not answer in time is down, and so is one whose check fails. */
async function checked(source: HealthSource): Promise<HealthReport> {
  const late = () => new NoAnswerError(`no answer in ${CHECK_DEADLINE_MS} ms`);
  try {
    return await within(CHECK_DEADLINE_MS, source.check(), late);
  } catch (error) {
    if (error instanceof NoAnswerError) return { status: 'down', details: { reason: error.message } };
    return { status: 'down', details: { reason: error instanceof Error ? error.name : 'unknown' } };
  }
}
