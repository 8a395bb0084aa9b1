import type { Json, JsonObject } from '#domain/json.js';
import { isRecord } from '#primitives/values.js';

/** Limits of a virtual key that a key here does not have. */
const LIMITS = [
  ...['max_budget', 'soft_budget', 'budget_duration', 'rpm_limit', 'tpm_limit', 'max_parallel_requests', 'models'],
  ...[
    'model_max_budget',
    'model_rpm_limit',
    'model_tpm_limit',
    'allowed_routes',
    'permissions',
    'team_id',
    'guardrails',
  ],
] as const;

/**
 * Commands that make a key for each virtual key of LiteLLM (`GET /key/list?return_full_object=true`), with comments on the limits that
 * are left out. LiteLLM keeps hashes, so the keys themselves are new.
 */
export function keyCommandsOf(file: Json): readonly string[] {
  const { keys } = isRecord(file) ? file : { keys: file };
  const listed = Array.isArray(keys) ? (keys as readonly Json[]) : [];
  return listed.filter(isRecord).flatMap((each) => {
    const key = each as JsonObject;
    const name = [key['key_alias'], key['key_name']].find((text) => typeof text === 'string' && text !== '') ?? 'key';
    if (key['blocked'] === true) return [`# ${quoted(name as string)} is blocked there: no key`];
    const { expires } = key;
    const expiry = typeof expires === 'string' && expires !== '' ? ` --expires-at ${quoted(expires)}` : '';
    const limits = LIMITS.filter((limit) => !isNone(key[limit])).map(
      (limit) => `${limit} ${JSON.stringify(key[limit])}`,
    );
    return [
      `npx anneal key create ${quoted((name as string).slice(0, 100))}${expiry}`,
      ...(limits.length > 0 ? [`#   left out: ${limits.join(', ')}`] : []),
    ];
  });
}

const isNone = (value: Json | undefined): boolean =>
  value === undefined || value === null || (typeof value === 'object' && Object.keys(value).length === 0);

/** For a shell. */
const quoted = (text: string): string => `'${text.replaceAll(/[\u0000-\u001f\u007f]/g, ' ').replaceAll("'", "'\\''")}'`;
