import type { Answer, TestApi } from './api.js';
import { settled } from './datasets.js';

/** Starts a generation job and waits until it is ready or failed. @returns the job's record */
export async function generate(
  api: Pick<TestApi, 'call' | 'until'>,
  body: object,
  headers?: Record<string, string>,
): Promise<Answer['body']> {
  const started = await api.call('POST', '/generate', body, headers);
  if (started.status !== 202) throw new Error(`generate: ${started.status} ${JSON.stringify(started.body)}`);
  return settled(api, `/generate/jobs/${started.body.job_id}`, headers);
}
