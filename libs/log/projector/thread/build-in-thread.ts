import type { BuildAside } from '../build-beside.js';
import type { AbsorbedTo } from '../runner.js';
import { startThread } from '#primitives/thread/thread.js';
import type { ProjectionLocations } from './locations.js';

/** Builds projections one after another in their own thread, so that live ones are not slowed. */
export function buildInThread(locations: ProjectionLocations): BuildAside {
  let last: Promise<unknown> = Promise.resolve();
  return (projection, generation, signal, onProgress) => {
    const build = () => buildOne(locations, projection.name, generation, signal, onProgress);
    const built = last.then(build, build);
    last = built;
    return built;
  };
}

async function buildOne(
  locations: ProjectionLocations,
  name: string,
  generation: number,
  signal: AbortSignal,
  onProgress: (progress: AbsorbedTo) => void,
): Promise<void> {
  if (signal.aborted) return;
  const module = import.meta.resolve('./build-service.js');
  const thread = await startThread([{ name: 'build', module, options: locations }], { name: `build ${name}` });
  thread.listen<AbsorbedTo>('build', 'progress', onProgress);
  const stop = () => void thread.call('build', 'stop', []).catch(() => undefined);
  signal.addEventListener('abort', stop);
  try {
    if (!signal.aborted) await thread.call('build', 'build', [name, generation]);
  } finally {
    signal.removeEventListener('abort', stop);
    await thread.close();
  }
}
