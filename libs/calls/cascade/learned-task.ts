import type { PinnedObject } from '#domain/dataset/index.js';
import type { LearnedTask } from '#distillation/task.js';
import { ObjectNotFoundError, type ObjectStore } from '#ports/object-store/port.js';
import { verified } from '#ports/object-store/verified.js';

/** null: it was erased with its dataset version. @throws Error it is another one than was recorded, or cannot be read now */
export async function readLearnedTask(
  objectStore: Pick<ObjectStore, 'get'>,
  { key, sha256 }: Pick<PinnedObject, 'key' | 'sha256'>,
): Promise<LearnedTask | null> {
  try {
    const damaged = () => new Error(`${key} is not the task that was recorded`);
    const chunks = await Array.fromAsync(verified(await objectStore.get(key), sha256, damaged));
    return JSON.parse(Buffer.concat(chunks).toString()) as LearnedTask;
  } catch (error) {
    if (error instanceof ObjectNotFoundError) return null;
    throw error;
  }
}
