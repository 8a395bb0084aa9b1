import { generationJobDecider, jobOfRows } from '#domain/generation-job/index.js';
import type { Application } from '../application.js';

/** Ids of the keys of what was said to the generators that made these objects, and of why they failed. */
export async function keysOfGeneration(
  application: Pick<Application, 'load'>,
  objects: readonly string[],
): Promise<readonly string[]> {
  const jobs = new Set(objects.map(jobOfRows).filter((id) => id !== null));
  const states = await Promise.all([...jobs].map((id) => application.load(generationJobDecider, id)));
  return states.flatMap((job) => (job.status === 'none' ? [] : job.keys));
}
