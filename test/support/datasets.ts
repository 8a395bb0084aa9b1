import type { Answer, TestApi } from './api.js';

/** Uploads a file as clients do and waits until it is ready or failed. @returns the version's record */
export async function uploadDataset(
  api: Pick<TestApi, 'call'>,
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
  return settled(() => api.call('GET', path, undefined, headers));
}

/** Asks again until the version is ready or failed; at most a minute. */
export async function settled(get: () => Promise<Answer>): Promise<Answer['body']> {
  const deadline = Date.now() + 60_000;
  for (;;) {
    const { body } = await get();
    if (['ready', 'failed'].includes(body.status)) return body;
    if (Date.now() > deadline) throw new Error(`still ${body.status}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
