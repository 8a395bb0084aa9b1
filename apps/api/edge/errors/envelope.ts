import { CONTEXT_LENGTH_EXCEEDED, maximumContextLength, promptIsTooLong } from '#calls/hosted/context-length.js';
import { atOwnBase } from '../base-urls.js';
import { HttpError } from './http-error.js';

/** The error format. `+detail` adds the native `detail` beside the dialect's own envelope. */
export type Dialect = 'native' | 'openai' | 'openai+detail' | 'anthropic' | 'anthropic+detail';

/** The dialect of a request: by its version header, else by its path (wire details, section 2). */
export function dialectOf(url: string, hasAnthropicVersion: boolean): Dialect {
  if (hasAnthropicVersion) return 'anthropic';
  const path = atOwnBase('POST', url);
  if (!path.startsWith('/v1/')) return 'native';
  if (/^\/v1\/messages(?:[/?]|$)/.test(path)) return 'anthropic+detail';
  if (/^\/v1\/models(?:[/?]|$)/.test(path)) return 'openai+detail';
  if (/^\/v1\/(?:chat\/completions|completions|responses|embeddings|files|fine_tuning|batches)(?:[/?]|$)/.test(path))
    return 'openai';
  // The client of an unknown route may read either shape.
  return 'openai+detail';
}

/** Both vendors answer 400 if a prompt is too long, whichever engine or provider detected it. */
export function inDialect(error: HttpError, dialect: Dialect): HttpError {
  if (dialect === 'native' || !isTooLong(error) || error.status === 400) return error;
  return new HttpError(400, error.message, error.options);
}

const isTooLong = ({ options }: HttpError): boolean => options.code === CONTEXT_LENGTH_EXCEEDED;

/** The body of an error in a dialect. */
export function errorBody(error: HttpError, dialect: Dialect, requestId: string): object {
  switch (dialect) {
    case 'native':
      return native(error);
    case 'openai':
      return { ...billing(error), error: openai(error) };
    case 'openai+detail':
      return { detail: detail(error), ...billing(error), error: openai(error) };
    case 'anthropic':
      return anthropic(error, requestId);
    case 'anthropic+detail':
      return { ...anthropic(error, requestId), detail: detail(error) };
  }
}

const detail = (error: HttpError) => error.options.detail ?? error.message;

/** Fields of billing errors on every route; none for other errors. */
function billing({ message, options: { code, resolutionUrl } }: HttpError): object {
  return resolutionUrl === undefined ? {} : { code, message, resolution_url: resolutionUrl };
}

function native(error: HttpError): object {
  const { code, scope, queueLength, resolutionUrl, errors } = error.options;
  if (resolutionUrl !== undefined) return billing(error);
  switch (error.status) {
    case 500:
      return { error: 'internal_error', message: error.message };
    case 429:
      return { detail: detail(error), code, scope, ...(queueLength !== undefined && { queue_length: queueLength }) };
    case 422:
      return { detail: detail(error), errors: errors ?? [] };
    default:
      return errors ? { detail: detail(error), errors } : { detail: detail(error) };
  }
}

function openai(error: HttpError): object {
  const { param, errors, resolutionUrl } = error.options;
  return {
    code: openaiCode(error),
    type: openaiType(error.status),
    param: param ?? (errors?.[0]?.loc.slice(1).join('.') || null),
    message: isTooLong(error) ? maximumContextLength(error.message) : error.message,
    ...(resolutionUrl !== undefined && { resolution_url: resolutionUrl }),
  };
}

/** The codes that users of OpenAI's SDKs compare with (https://platform.openai.com/docs/guides/error-codes); else Anneal's own. */
function openaiCode({ status, options: { code, param } }: HttpError): string | null {
  if (status === 401) return 'invalid_api_key';
  if (status === 402) return code ?? 'insufficient_quota';
  if (status === 404 && param === 'model') return 'model_not_found';
  return code === 'rate_limited' ? 'rate_limit_exceeded' : (code ?? null);
}

function openaiType(status: number): string {
  if (status === 401) return 'authentication_error';
  if (status === 402) return 'insufficient_quota';
  if (status === 403 || status === 451) return 'permission_error';
  if (status === 425 || status === 429) return 'rate_limit_error';
  return status >= 500 ? 'server_error' : 'invalid_request_error';
}

function anthropic(error: HttpError, requestId: string): object {
  const { code, resolutionUrl } = error.options;
  const ofMoney = resolutionUrl === undefined ? {} : { code, resolution_url: resolutionUrl };
  const message = isTooLong(error) ? promptIsTooLong(error.message) : error.message;
  return {
    type: 'error',
    error: { type: anthropicType(error.status), message, ...ofMoney },
    request_id: requestId,
  };
}

/** Types from https://docs.claude.com/en/api/errors; the rest from the wire details, section 2. */
function anthropicType(status: number): string {
  switch (status) {
    case 401:
      return 'authentication_error';
    case 402:
      return 'billing_error';
    case 403:
    case 451:
      return 'permission_error';
    case 404:
      return 'not_found_error';
    case 413:
      return 'request_too_large';
    case 425:
    case 429:
      return 'rate_limit_error';
    case 529:
      return 'overloaded_error';
    default:
      return status >= 500 ? 'api_error' : 'invalid_request_error';
  }
}
