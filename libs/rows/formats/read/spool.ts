import { open } from 'node:fs/promises';

/** Writes bytes to a file of the attempt's own. */
export async function spool(bytes: AsyncIterable<Buffer>, path: string): Promise<void> {
  const file = await open(path, 'w', 0o600);
  try {
    for await (const chunk of bytes)
      for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
  } finally {
    await file.close();
  }
}
