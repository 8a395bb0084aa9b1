import { setTimeout as sleep } from 'node:timers/promises';
import { DEFAULT_LIMITS } from '#dataset-formats/index.js';
import { FileReaderProcess } from './child-process.js';

const job = {
  datasetType: 'ner',
  format: null,
  fileName: 'rows.jsonl',
  columnMapping: {},
  limits: DEFAULT_LIMITS,
} as const;

describe('the process that reads a file', () => {
  test('is not taken to hang while the object store keeps it waiting', async () => {
    const limits = { heapMiB: 64, silenceMs: 1, totalMs: 60_000 };
    const reader = new FileReaderProcess(job, limits, new AbortController().signal);
    const waited = new AbortController();
    async function* slow(): AsyncIterable<Uint8Array> {
      // Hundreds of times as long as it may be silent itself.
      await sleep(500);
      waited.abort();
      yield Buffer.from('{}\n');
    }
    const fed = reader.feedSource(slow());
    const verdict = reader.next().then(
      () => 'a verdict',
      () => 'an end',
    );
    const first = await Promise.race([
      verdict,
      new Promise((resolve) => waited.signal.addEventListener('abort', () => resolve('waited'))),
    ]);
    expect(first).toBe('waited');
    await reader.stop();
    await Promise.all([fed, verdict]);
  });
});
