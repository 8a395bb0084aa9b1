import { api, body } from '../../api/client.js';

/** States in which a version stays. */
export const SETTLED: ReadonlySet<string> = new Set(['ready', 'failed', 'initialized']);

/** @throws Error with the upload's problem */
export async function whenReady(name: string, version: string): Promise<void> {
  for (;;) {
    const { status, processing_error: error } = await body(
      api.GET('/felix/datasets/{name}/{version}', { params: { path: { name, version } } }),
    );
    if (status === 'failed') throw new Error(error ?? 'The rows could not be read');
    if (SETTLED.has(status)) return;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}
