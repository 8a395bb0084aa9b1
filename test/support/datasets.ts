import type { Answer, TestApi } from './api.js';

/** Uploads a file as clients do and waits until it is ready or failed. @returns the version's record */
export async function uploadDataset(
  api: Pick<TestApi, 'call' | 'until'>,
  body: { readonly dataset_name: string } & Record<string, unknown>,
  content: string | Uint8Array,
  headers?: Record<string, string>,
): Promise<Answer['body']> {
  const offered = await api.call('POST', '/felix/datasets/upload/url', body, headers);
  if (offered.status !== 200) throw new Error(`upload/url: ${JSON.stringify(offered.body)}`);
  const { presigned_url, dataset_id, version_number } = offered.body;
  const put = await fetch(presigned_url, { method: 'PUT', body: content as string });
  if (put.status !== 200) throw new Error(`PUT: ${put.status} ${await put.text()}`);
  await api.call('POST', '/felix/datasets/upload/process', { dataset_id }, headers);
  const path = `/felix/datasets/${encodeURIComponent(body.dataset_name)}/${version_number}`;
  return settled(api, path, headers);
}

/** @returns the record at this path once it is ready or failed */
export async function settled(
  api: Pick<TestApi, 'call' | 'until'>,
  path: string,
  headers?: Record<string, string>,
): Promise<Answer['body']> {
  const { body } = await api.until(
    () => api.call('GET', path, undefined, headers),
    (answer) => ['ready', 'failed'].includes(answer.body.status),
  );
  return body;
}
