import { badRequest } from '../../edge/errors/http-error.js';
import type { FastifyRequest } from '../../edge/http.js';

/** Versions of the Messages API; the older one is the default. */
export const VERSIONS = ['2023-06-01', '2026-10-21'] as const;
export type ApiVersion = (typeof VERSIONS)[number];

/** The version that a request names in `anthropic-version`. @throws HttpError 400 for any other */
export function versionOf({ headers }: FastifyRequest): ApiVersion {
  const named = headers['anthropic-version'];
  if (named === undefined) return '2023-06-01';
  const version = VERSIONS.find((each) => each === named);
  if (version) return version;
  throw badRequest(`anthropic-version: must be one of ${VERSIONS.join(', ')}`, { code: 'invalid_version' });
}

/** The headers that are passed on to a provider of the same style. */
export function headersOf(version: ApiVersion, { headers }: FastifyRequest): Readonly<Record<string, string>> {
  const betas = headers['anthropic-beta'];
  return {
    'anthropic-version': version,
    ...(betas !== undefined && { 'anthropic-beta': String(betas) }),
  };
}
