import type { IncomingHttpHeaders } from 'node:http';
import { isRecord } from '#primitives/values.js';
import { CONTEXT_LENGTH_EXCEEDED, contextLengthIn } from './context-length.js';
import type { AnswerHead } from './exchange.js';
import { HostedModelError, type HostedModelErrorKind } from './port.js';
import type { Provider } from './providers.js';

const MAX_MESSAGE_CHARACTERS = 1_000;

/** An answer that is no success. */
export class ProviderRefusal extends HostedModelError {
  constructor(
    kind: HostedModelErrorKind,
    message: string,
    details: HostedModelError['details'],
    /** The provider's exact value; null if it gave none. */
    readonly retryAfterMs: number | null = null,
    /** Whether the provider forbids retries (`x-should-retry: false`). */
    readonly isFinal = false,
  ) {
    super(kind, message, details);
  }
}

/** The caller's error for an unsuccessful answer. It reveals nothing about the operator's key and account. */
export function refusalOf(provider: Provider, { status, headers }: AnswerHead, body: string): ProviderRefusal {
  if (status === 400 || status === 422 || status === 413) {
    const { message, code, param } = errorIn(body);
    if (OUR_CODES.has(code) || OURS.test(message ?? '')) return refusalOf(provider, { status: 402, headers }, '');
    const isTooLong = message !== undefined && contextLengthIn(message) !== null;
    return new ProviderRefusal('rejected', shown(message ?? "the model's provider refused the request", provider), {
      provider: provider.name,
      upstreamStatus: status,
      ...(isTooLong ? { code: CONTEXT_LENGTH_EXCEEDED } : code !== undefined && { code: shown(code, provider) }),
      ...(param !== undefined && { param: shown(param, provider) }),
    });
  }
  const failed = { kind: 'unavailable', message: `the model's provider failed (status ${status}); try again` } as const;
  const { kind, message } = MEANINGS.get(status) ?? failed;
  const retryAfterMs = retryAfterOf(headers);
  const details = {
    provider: provider.name,
    upstreamStatus: status,
    ...(retryAfterMs !== null && { retryAfterSeconds: Math.max(1, Math.ceil(retryAfterMs / 1_000)) }),
  };
  return new ProviderRefusal(kind, message, details, retryAfterMs, headers['x-should-retry'] === 'false');
}

/**
 * Some providers answer 400 when our account has no credit or is unverified, or our key is invalid: Anthropic, OpenAI,
 * Google.
 */
const OURS =
  /(?:^|: )(?:Your (?:credit balance is too low|organization must be verified)|API key (?:not valid|expired)|Incorrect API key)/i;
const OUR_CODES = new Set<string | undefined>(['billing_hard_limit_reached', 'billing_not_active', 'invalid_api_key']);

export const TAKES_NO_MORE = "the model's provider takes no more requests now; try again";
export const LATE_ANSWER = "the model's provider did not answer in time";

const SATURATED = { kind: 'saturated', message: TAKES_NO_MORE } as const;
const LATE = { kind: 'timeout', message: LATE_ANSWER } as const;
const LOCKED = {
  kind: 'unavailable',
  message: "the model's provider refuses this installation's credentials",
} as const;
const MEANINGS = new Map<number, { readonly kind: HostedModelErrorKind; readonly message: string }>([
  [429, SATURATED],
  [529, SATURATED],
  [408, LATE],
  [504, LATE],
  [401, LOCKED],
  [402, LOCKED],
  [403, LOCKED],
  [404, { kind: 'unavailable', message: "the model's provider does not serve this model now" }],
]);

/** The error for an answer that is malformed or broke off. */
export const senseless = (provider: Provider, what: string, cause?: unknown): HostedModelError =>
  new HostedModelError('unavailable', `the model's provider ${what}`, { provider: provider.name }, { cause });

const MAX_RETRY_AFTER_MS = 3_600_000;

/** `retry-after-ms`, as some providers have it, or `Retry-After` (RFC 9110, section 10.2.3): seconds, or a date. */
function retryAfterOf(headers: IncomingHttpHeaders): number | null {
  const exact = String(headers['retry-after-ms'] ?? '').trim();
  const given = String(headers['retry-after'] ?? '').trim();
  if (exact === '' && given === '') return null;
  const isNumber = (text: string) => /^\d{1,9}(?:\.\d{1,9})?$/.test(text);
  const ms = isNumber(exact) ? Number(exact) : isNumber(given) ? Number(given) * 1_000 : Date.parse(given) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), MAX_RETRY_AFTER_MS) : null;
}

/**
 * A text, or `{error: {message, code, param, details}}`, alone or in a list, `{error: "..."}`, `{errors}`, `{message}`, or `{detail}`, a
 * text or a list of `{loc, msg}`, as providers have it. Gateways have the provider's own words in `metadata.raw`.
 */
function errorIn(body: string): { message?: string; code?: string; param?: string } {
  let value: unknown;
  try {
    value = JSON.parse(body);
    if (Array.isArray(value)) value = value[0];
  } catch {
    // A page is of a proxy, and for people.
    const text = body.trim();
    return text === '' || text.startsWith('<') ? {} : { message: text };
  }
  if (!isRecord(value)) return {};
  const { error = value.errors ?? value } = value as { error?: unknown; errors?: unknown };
  if (typeof error === 'string') return { message: error };
  if (Array.isArray(error)) return messageIn(detailOf(error));
  const { message, detail, details, code, param, metadata } = (error ?? {}) as Readonly<Record<string, unknown>>;
  const general = typeof message === 'string' ? message : undefined;
  const exact = isRecord(metadata) ? rawOf(metadata['raw']) : detailOf(details);
  const said = joined(general, exact) ?? detailOf(detail);
  return {
    ...messageIn(said),
    ...(typeof code === 'string' && { code }),
    ...(typeof param === 'string' && { param }),
  };
}

/** The words of the provider behind a gateway, as text or as its error. */
function rawOf(raw: unknown): string | undefined {
  if (typeof raw === 'string' && !raw.startsWith('{')) return raw;
  return errorIn(typeof raw === 'string' ? raw : JSON.stringify(raw ?? null)).message;
}

const messageIn = (message: string | undefined): { message?: string } => (message === undefined ? {} : { message });

/** A list is of a validation: where and what. Google has such lists within the entries of another. */
function detailOf(detail: unknown): string | undefined {
  if (!Array.isArray(detail)) return typeof detail === 'string' ? detail : undefined;
  const problems = (detail as unknown[]).flatMap((each) =>
    isRecord(each) && Array.isArray(each['fieldViolations']) ? (each['fieldViolations'] as unknown[]) : [each],
  );
  const told = problems.flatMap((problem): string[] => {
    if (typeof problem === 'string') return [problem];
    const { loc, field, msg, message, description, detail: own } = isRecord(problem) ? problem : {};
    const where = Array.isArray(loc) ? loc.join('.') : field;
    const what = [msg, message, description, own].find((said) => typeof said === 'string');
    if (typeof what !== 'string') return [];
    return [typeof where === 'string' && where !== '' ? `${where}: ${what}` : what];
  });
  return told.length > 0 ? told.slice(0, 10).join('; ') : undefined;
}

const joined = (general: string | undefined, raw: string | undefined): string | undefined =>
  general === undefined || raw === undefined || general.includes(raw) ? (general ?? raw) : `${general}: ${raw}`;

/**
 * The provider's message, without the operator's key and the provider's internal address, which some providers repeat.
 */
function shown(message: string, { key, baseUrl }: Provider): string {
  const { host } = new URL(baseUrl);
  const unlocated = message.replaceAll(baseUrl, '[address]').replaceAll(host, '[address]');
  const said = key === null ? unlocated : unlocated.replaceAll(key, '[key]').replaceAll(/\bsk-[\w*-]{8,}/g, '[key]');
  return said.length > MAX_MESSAGE_CHARACTERS ? `${said.slice(0, MAX_MESSAGE_CHARACTERS)}...` : said;
}
