import { api, body, fetchAnswer, refusal, type Schema } from './client.js';

export type OnError = NonNullable<Schema['UploadUrlBody']['on_error']>;
export type UploadedType = NonNullable<Schema['UploadUrlBody']['dataset_type']>;

/**
 * Uploads a file as the next version of a dataset, and has it processed.
 * @param type what its rows are; default: texts with labels
 * @param onError what becomes of rows that are not valid; default: a few are left out
 * @returns that version's number
 */
export async function uploadDataset(
  name: string,
  filename: string,
  content: Blob | string,
  type?: UploadedType,
  onError?: OnError,
): Promise<string> {
  const { presigned_url, dataset_id, version_number } = await body(
    api.POST('/felix/datasets/upload/url', {
      body: {
        dataset_name: name,
        filename,
        ...(type && { dataset_type: type }),
        ...(onError && { on_error: onError }),
      },
    }),
  );
  const sent = await fetchAnswer(ownAddress(presigned_url), { method: 'PUT', body: content });
  if (!sent.ok) throw await refusal(sent);
  await body(api.POST('/felix/datasets/upload/process', { body: { dataset_id } }));
  return version_number;
}

/** The API may know itself by another name than the browser does: 127.0.0.1, say, instead of localhost. */
export function ownAddress(address: string): string {
  const { pathname, search } = new URL(address);
  return pathname.startsWith('/objects/') ? pathname + search : address;
}
