import type { Client } from './client.js';

interface Upload {
  readonly dataset_name: string;
  readonly dataset_type: 'ner' | 'classification';
  readonly filename: string;
}

interface UploadedVersion {
  readonly status: string;
  readonly processing_error: string | null;
  readonly sample_size: number;
}

/**
 * Uploads a dataset and waits until its version is ready.
 * @param onStatus called with the version's status at each poll
 * @throws Error when the version fails, with the reason, or is not ready within a minute
 */
export async function uploadDataset(
  api: Client,
  upload: Upload,
  content: string | Uint8Array<ArrayBuffer>,
  onStatus: (status: string) => void = () => {},
): Promise<UploadedVersion> {
  const { presigned_url, dataset_id } = await api.post<{ presigned_url: string; dataset_id: string }>(
    '/felix/datasets/upload/url',
    upload,
  );
  const put = await fetch(presigned_url, { method: 'PUT', body: content });
  if (!put.ok) throw new Error(`PUT of ${upload.filename}: ${put.status} ${await put.text()}`);
  await api.post('/felix/datasets/upload/process', { dataset_id });
  const version = await api.until<UploadedVersion>(
    `/felix/datasets/${upload.dataset_name}/latest`,
    ({ status }) => {
      onStatus(status);
      return status === 'ready' || status === 'failed';
    },
    60,
  );
  if (version.status === 'failed') throw new Error(`${upload.dataset_name}: ${version.processing_error}`);
  return version;
}
