import type { ObjectStore } from './port.js';

/** An object that says which log the objects belong to: a store without it is empty, or another one. */
export const MARK = 'installation/log';

/** @returns the id of the log that the objects belong to; null if they are not marked */
export async function markedFor(objectStore: Pick<ObjectStore, 'get' | 'stat'>): Promise<string | null> {
  if ((await objectStore.stat(MARK)) === null) return null;
  const mark = Buffer.concat(await Array.fromAsync(await objectStore.get(MARK)));
  return (JSON.parse(mark.toString()) as { logId: string }).logId;
}
