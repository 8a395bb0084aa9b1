import { api, body, fetchAnswer, refusal, type Schema } from './client.js';

/** How a file is read. */
export type Reading = Schema['ReadingPreviewBody'];
export type OnError = NonNullable<Reading['on_error']>;
export type UploadedType = NonNullable<Reading['dataset_type']>;

interface Sent {
  readonly id: string;
  readonly name: string;
  /** Its number. */
  readonly version: string;
}

/** Sends a file as the next version of a dataset, which then waits to be processed. */
export async function sendFile(
  name: string,
  filename: string,
  content: Blob | string,
  reading: Reading,
): Promise<Sent> {
  const { presigned_url, dataset_id, version_number } = await body(
    api.POST('/felix/datasets/upload/url', { body: { ...reading, dataset_name: name, filename } }),
  );
  const sent = await fetchAnswer(ownAddress(presigned_url), { method: 'PUT', body: content });
  if (!sent.ok) throw await refusal(sent);
  return { id: dataset_id, name, version: version_number };
}

/** The first rows of a sent file as they would be read. */
export const previewFile = ({ name, version }: Omit<Sent, 'id'>, reading: Reading): Promise<Schema['UploadPreview']> =>
  body(api.POST('/felix/datasets/{name}/{version}/preview', { params: { path: { name, version } }, body: reading }));

export const processFile = (id: string, reading: Reading = {}): Promise<Schema['DatasetVersionRecord']> =>
  body(api.POST('/felix/datasets/upload/process', { body: { ...reading, dataset_id: id } }));

/**
 * Uploads a file as the next version of a dataset, and has it processed.
 * @param type what its rows are; default: texts with labels
 * @returns that version's number
 */
export async function uploadDataset(
  name: string,
  filename: string,
  content: Blob | string,
  type?: UploadedType,
): Promise<string> {
  const { id, version } = await sendFile(name, filename, content, type ? { dataset_type: type } : {});
  await processFile(id);
  return version;
}

/** The API may know itself by another name than the browser does: 127.0.0.1, say, instead of localhost. */
export function ownAddress(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname.startsWith('/objects/') ? pathname + search : address;
}
