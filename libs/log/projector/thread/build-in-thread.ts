import type { BuildAside } from '../build-beside.js';
import type { AbsorbedTo } from '../runner.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';
import type { BuildProgress } from './build-service.js';
import type { ProjectionLocations } from './locations.js';

/** Builds projections in a thread of their own, so that live ones are not slowed: all in the same one, where they read together. */
export function buildInThread(locations: ProjectionLocations): BuildAside {
  let thread: Promise<Thread> | null = null;
  let builds = 0;
  const module = import.meta.resolve('./build-service.js');
  const start = () => startThread([{ name: 'build', module, options: locations }], { name: 'build' });
  return async ({ name }, generation, signal, onProgress) => {
    if (signal.aborted) return;
    builds += 1;
    const starting = (thread ??= start());
    try {
      await buildOne(await starting, name, generation, signal, onProgress);
    } finally {
      builds -= 1;
      if (builds === 0) {
        thread = null;
        await starting.then((started) => started.close());
      }
    }
  };
}

let lastId = 0;

async function buildOne(
  thread: Thread,
  name: string,
  generation: number,
  signal: AbortSignal,
  onProgress: (progress: AbsorbedTo) => void,
): Promise<void> {
  const id = (lastId += 1);
  const unlisten = thread.listen<BuildProgress>('build', 'progress', (progress) => {
    if (progress.id === id) onProgress(progress);
  });
  const stop = () => void thread.call('build', 'stop', [id]).catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    if (!signal.aborted) await thread.call('build', 'build', [id, name, generation]);
  } finally {
    signal.removeEventListener('abort', stop);
    unlisten();
  }
}
