import { HostedModelError } from './port.js';
import type { Provider } from './providers.js';

const LONGEST_MESSAGE = 1_000;

/** What an answer that is no success means for the caller. Of our own key and account nothing is told. */
export function refusalOf(
  provider: Provider,
  status: number,
  retryAfter: string | null,
  body: string,
): HostedModelError {
  const retryAfterSeconds = secondsOf(retryAfter);
  const details = { upstreamStatus: status, ...(retryAfterSeconds !== null && { retryAfterSeconds }) };
  if (status === 400 || status === 422 || status === 413) {
    const { message, code, param } = errorIn(body);
    return new HostedModelError('rejected', withoutKey(message ?? 'the provider refused the request', provider), {
      upstreamStatus: status,
      ...(code !== undefined && { code }),
      ...(param !== undefined && { param }),
    });
  }
  if (status === 429 || status === 529 || status === 503)
    return new HostedModelError(
      'saturated',
      `the provider ${provider.name} takes no more requests now; try again`,
      details,
    );
  if (status === 408 || status === 504)
    return new HostedModelError('timeout', `the provider ${provider.name} did not answer in time`, details);
  if (status === 401 || status === 403)
    return new HostedModelError(
      'unavailable',
      `the provider ${provider.name} does not let this installation in`,
      details,
    );
  if (status === 404)
    return new HostedModelError('unavailable', `the provider ${provider.name} does not serve this model now`, details);
  return new HostedModelError(
    'unavailable',
    `the provider ${provider.name} failed (status ${status}); try again`,
    details,
  );
}

/** What cannot be made sense of, or broke off. */
export const senseless = (provider: Provider, what: string, cause?: unknown): HostedModelError =>
  new HostedModelError('unavailable', `the provider ${provider.name} ${what}`, {}, { cause });

/** `Retry-After` in seconds (RFC 9110, section 10.2.3): a number, or a date. */
function secondsOf(header: string | null): number | null {
  if (header === null) return null;
  const seconds = /^\d{1,6}$/.test(header.trim()) ? Number(header) : (Date.parse(header) - Date.now()) / 1_000;
  return Number.isFinite(seconds) ? Math.min(Math.max(Math.ceil(seconds), 1), 3_600) : null;
}

/** `{error: {message, code, param}}`, `{error: "..."}`, `{message}` or `{detail}`, as providers have it. */
function errorIn(body: string): { message?: string; code?: string; param?: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
  } catch {
    return {};
  }
  if (typeof value !== 'object' || value === null) return {};
  const { error = value } = value as { error?: unknown };
  if (typeof error === 'string') return { message: error };
  const { message, detail, code, param } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const said = typeof message === 'string' ? message : typeof detail === 'string' ? detail : undefined;
  return {
    ...(said !== undefined && { message: said }),
    ...(typeof code === 'string' && { code }),
    ...(typeof param === 'string' && { param }),
  };
}

/** A provider that repeats our key in a message does not make us repeat it. */
function withoutKey(message: string, { key }: Provider): string {
  const said = key === null ? message : message.replaceAll(key, '[key]').replaceAll(/\bsk-[\w*-]{8,}/g, '[key]');
  return said.length > LONGEST_MESSAGE ? `${said.slice(0, LONGEST_MESSAGE)}...` : said;
}
