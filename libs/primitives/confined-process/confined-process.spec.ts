import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { DEFAULT_LIMITS } from '#rows/formats/index.js';
import { ConfinedProcess, NoRoomError, withFolder } from './index.js';

const program = new URL('../../rows/processing/child.js', import.meta.url);
const job = {
  datasetType: 'ner',
  format: null,
  fileName: 'rows.jsonl',
  columnMapping: {},
  limits: DEFAULT_LIMITS,
  threads: 1,
  heapMiB: 64,
} as const;
const limits = { heapMiB: 64, memoryMiB: 1024, silenceMs: 60_000, totalMs: 60_000 };
const signal = new AbortController().signal;

describe('a confined process', () => {
  it('is not considered hanging while its input is delayed', async () => {
    await withFolder(60_000, async (folder) => {
      const child = new ConfinedProcess({ ...job, folder }, { ...limits, silenceMs: 1, program, folder, signal });
      const waited = new AbortController();
      async function* slow(): AsyncIterable<Uint8Array> {
        // Hundreds of times as long as it may be silent itself.
        await sleep(500);
        waited.abort();
        yield Buffer.from('{}\n');
      }
      const fed = child.feed(slow());
      const message = child.next().then(
        () => 'a message',
        () => 'an end',
      );
      const first = await Promise.race([
        message,
        new Promise((resolve) => waited.signal.addEventListener('abort', () => resolve('waited'))),
      ]);
      expect(first).toBe('waited');
      await child.stop();
      await Promise.all([fed, message]);
    });
  });

  it('reports a full disk, rather than a crash, if that ended it', async () => {
    await withFolder(60_000, async (folder) => {
      const full = join(folder, 'full.mjs');
      await writeFile(full, "throw Object.assign(new Error('no space left'), { code: 'ENOSPC' });");
      const child = new ConfinedProcess(
        { ...job, folder },
        { ...limits, program: pathToFileURL(full), folder, signal },
      );
      await expect(child.next()).rejects.toBeInstanceOf(NoRoomError);
    });
  });

  (process.platform === 'linux' ? test : test.skip)('is ended when it exceeds its memory limit', async () => {
    await withFolder(60_000, async (folder) => {
      const child = new ConfinedProcess({ ...job, folder }, { ...limits, memoryMiB: 5, program, folder, signal });
      await expect(child.next()).rejects.toThrow('it needed more than 5 MiB of memory');
    });
  });
});
