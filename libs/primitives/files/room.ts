import { statfs } from 'node:fs/promises';

/** @param lacking makes the error, of gigabytes for people @throws that error where the folder's disk has fewer bytes left */
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
