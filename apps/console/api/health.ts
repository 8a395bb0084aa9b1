import { fetchAnswer, refusal } from './client.js';

export interface Part {
  readonly status: 'up' | 'degraded' | 'down';
  readonly [detail: string]: unknown;
}

/** The body of `/health`. */
export interface Health {
  readonly status: 'ok' | 'damaged' | 'error';
  readonly details: Readonly<Record<string, Part>>;
}

/** @throws ApiError if the answer is no health report; a system with a part down reports it with 503 */
export async function fetchHealth(): Promise<Health> {
  const response = await fetchAnswer('/health');
  if (!response.ok && response.status !== 503) throw await refusal(response);
  return (await response.json()) as Health;
}

/** The things inside a part, by name. */
export const inner = (part: Part | undefined): readonly (readonly [string, Readonly<Record<string, unknown>>])[] =>
  Object.entries(part ?? {}).flatMap(([name, value]) =>
    typeof value === 'object' && value !== null ? [[name, value as Record<string, unknown>] as const] : [],
  );
