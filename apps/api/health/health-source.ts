/** Injection token of the list of `HealthSource`s. */
export const HEALTH_SOURCES = Symbol('health sources');

/** Something the process depends on, which can say how it is. */
export interface HealthSource {
  /** `event-store`, `read-store`, `projections`, `process-managers`. */
  readonly name: string;
  /** Soon, and without an error: what is wrong is `down` with the reason in its details. */
  check(): Promise<HealthReport>;
}

export interface HealthReport {
  /** `degraded`: it works, but not as it should; requests are still taken. */
  readonly status: 'up' | 'degraded' | 'down';
  readonly details: Readonly<Record<string, unknown>>;
}
