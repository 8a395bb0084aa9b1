import { statfs } from 'node:fs/promises';

/**
 * @param lacking creates the error, from gigabytes for people
 * @throws that error if the folder's disk has less room left
 */
export async function requireDiskRoom(
  folder: string,
  needed: number,
  lacking: (needed: string, left: string) => Error,
): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const left = bavail * bsize;
  if (left < needed) throw lacking(gigabytes(needed), gigabytes(left));
}

const gigabytes = (bytes: number): string => (bytes / 1e9).toFixed(1);
