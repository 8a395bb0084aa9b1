import { isUtf8 } from 'node:buffer';
import { inBytes, UnreadableFileError, type FileLimits } from '../limits.js';
import type { ZipArchive, ZipEntry } from './zip.js';

const PAIRED = /\.(txt|ann)$/i;

/** Whether an archive holds documents of BRAT. */
export const holdsBrat = ({ entries }: Pick<ZipArchive, 'entries'>): boolean =>
  entries.some(({ name }) => /\.ann$/i.test(name)) && entries.some(({ name }) => /\.txt$/i.test(name));

/**
 * The pairs of `.txt` and `.ann` files of an archive as lines of JSON: `{"text", "ann", "id"}`, one of which may be
 * missing. Other files are skipped.
 * @throws UnreadableFileError (while iterating) for a file that is too long or not UTF-8, and for errors of the archive
 */
export async function* bratLines(archive: ZipArchive, packedBytes: number, limits: FileLimits): AsyncGenerator<Buffer> {
  const documents = Map.groupBy(
    archive.entries.filter(({ name }) => PAIRED.test(name)),
    ({ name }) => name.replace(PAIRED, ''),
  );
  let total = 0;
  for (const [id, entries] of documents) {
    const document: Record<string, string> = {};
    for (const entry of entries) {
      const text = await textOf(archive, entry, limits);
      total += Buffer.byteLength(text);
      // Entries may overlap in the archive, so that each is small and all together are not.
      if (total > limits.unpackedBytes || (total > limits.ratioFromBytes && total > limits.ratio * packedBytes))
        throw new UnreadableFileError(
          'the zip archive unpacks to far more than its size, which is taken for an attack',
        );
      document[/\.ann$/i.test(entry.name) ? 'ann' : 'text'] = text;
    }
    yield Buffer.from(`${JSON.stringify({ ...document, id })}\n`);
  }
}

async function textOf(archive: ZipArchive, entry: ZipEntry, limits: FileLimits): Promise<string> {
  const name = JSON.stringify(entry.name.slice(0, 80));
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of archive.read(entry, limits)) {
    length += chunk.length;
    if (length > limits.rowBytes)
      throw new UnreadableFileError(`${name} is longer than ${inBytes(limits.rowBytes)}, the most that one row may be`);
    chunks.push(chunk);
  }
  const bytes = Buffer.concat(chunks);
  if (!isUtf8(bytes)) throw new UnreadableFileError(`${name} is not UTF-8; save it as UTF-8`);
  return bytes.toString();
}
