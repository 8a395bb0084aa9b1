import { OperationError } from '#apps/operator/operation.js';
import type { Json, JsonObject } from '#domain/json.js';
import { printableLines } from '#domain/printable.js';

/** Sends a request to the API. @throws Error with the API's own words when it is refused */
export type Send = (
  method: 'GET' | 'POST' | 'PUT',
  path: string,
  /** JSON; a text is JSON lines. */
  body?: JsonObject | string,
) => Promise<{ readonly status: number; readonly body: Json }>;

export const urlOption = { type: 'string', default: 'http://127.0.0.1:8080', describe: 'Address of the API' } as const;

const LINES = 'application/x-ndjson';

/** Requests as the key in KEY. @param taken a refusal with this status is no error @throws OperationError without a key */
export function apiAt(url: string, taken?: number): Send {
  const key = process.env['KEY'];
  if (!key) throw new OperationError('`KEY` must be set to an API key; make one with: npx anneal key create NAME');
  return async (method, path, body) => {
    const answer = await fetch(`${url}${path}`, {
      method,
      headers: { 'x-api-key': key, 'content-type': typeof body === 'string' ? LINES : 'application/json' },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    }).catch((error: unknown) => {
      throw new OperationError(
        `${url} does not answer (${(error as Error).message}): start the system, or give its address with --url`,
      );
    });
    const text = await answer.text();
    if (!answer.ok && answer.status !== taken) throw new OperationError(printableLines(text));
    return { status: answer.status, body: JSON.parse(text) as Json };
  };
}
