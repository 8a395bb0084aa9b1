import { open, stat } from 'node:fs/promises';
import type { Hub, HubModelRequest } from './hub.js';
import type { HubFile } from './splits.js';

/**
 * Fetches a file of a model repository to a path, and resumes an interrupted download. The bytes are not verified.
 * @returns how many bytes are stored, as they come; the first before any is fetched
 * @throws as `Hub.readModel`; fetched bytes stay
 */
export async function* fetchModelFile(
  hub: Pick<Hub, 'readModel'>,
  source: HubModelRequest,
  file: HubFile,
  path: string,
  signal?: AbortSignal,
): AsyncGenerator<number> {
  let done = await stat(path).then(
    ({ size }) => (size > file.size ? 0 : size),
    () => 0,
  );
  yield done;
  const handle = await open(path, done === 0 ? 'w' : 'a');
  try {
    if (done < file.size)
      for await (const chunk of hub.readModel(source, file, done, signal)) {
        await handle.appendFile(chunk);
        done += chunk.length;
        yield done;
      }
    await handle.sync();
  } finally {
    await handle.close();
  }
}
