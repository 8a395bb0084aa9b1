import type { JsonObject } from '#domain/json.js';
import { argumentsOf, type Described, type ToolArguments } from './arguments.js';
import type { AskRoute, OwnAnswer } from './own-requests.js';

export const UPLOAD_ROUTE = 'POST /felix/datasets/upload/url';
/** Addresses of objects that this API serves; others are those of an S3 server. */
const SERVED = '/objects/';

/** The arguments of an upload in one step: those of its first request, and the rows. */
export function uploadArguments(document: Described): ToolArguments {
  const { inputSchema, ...rest } = argumentsOf({ route: UPLOAD_ROUTE }, document);
  const { properties, required } = inputSchema as unknown as Readonly<{ properties: JsonObject; required: string[] }>;
  const rows = {
    type: 'string',
    description: 'The content of the file: JSON lines, CSV, or another of the text formats',
  };
  return {
    ...rest,
    summary: 'Makes a new version of a dataset of labelled rows',
    inputSchema: { ...inputSchema, properties: { ...properties, rows }, required: [...required, 'rows'] },
  };
}

/** The three requests of an upload. @returns the record of the version, which is ready once it was checked */
export async function upload(
  { rows, ...about }: JsonObject,
  { request }: ToolArguments,
  ask: AskRoute,
): Promise<OwnAnswer> {
  if (typeof rows !== 'string' || rows.trim() === '') return refusal(422, 'rows: is required and must be a text');
  const offered = await ask(request(about));
  if (offered.status >= 400) return offered;
  const { upload_url, dataset_id } = JSON.parse(offered.text) as Readonly<Record<'dataset_id' | 'upload_url', string>>;
  const { pathname, search } = new URL(upload_url);
  const { status } = pathname.startsWith(SERVED)
    ? await ask({ method: 'PUT', url: pathname + search, body: rows })
    : await fetch(upload_url, { method: 'PUT', body: rows });
  if (status >= 400) return refusal(503, `the rows could not be stored (status ${status}); try again`);
  return ask({ method: 'POST', url: '/felix/datasets/upload/process', body: { dataset_id } });
}

const refusal = (status: number, detail: string): OwnAnswer => ({ status, text: JSON.stringify({ detail }) });
