import type { ListFileEntry, listFiles as ListFiles } from '@huggingface/hub';
import { InvalidError, UnavailableError } from '#domain/errors.js';
import { hubClient } from './client.js';
import { COMMIT, isPlainPath } from './names.js';

const MAX_LISTED = 20_000;

/** The files of a repository, in all of its folders. @throws InvalidError if there are too many */
export async function filesOf(place: Parameters<typeof ListFiles>[0]): Promise<readonly ListFileEntry[]> {
  const { listFiles } = await hubClient();
  const listed: ListFileEntry[] = [];
  for await (const entry of listFiles({ ...place, recursive: true })) {
    if (listed.length === MAX_LISTED) throw tooMany(`more than ${MAX_LISTED} files`);
    if (entry.type === 'file' && isPlainPath(entry.path)) listed.push(entry);
  }
  return listed;
}

export const isCommit = (sha: unknown): sha is string => typeof sha === 'string' && COMMIT.test(sha);
/** Whether it is the hash of a file, by git or by large-file storage. */
export const isOid = (oid: string): boolean => /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(oid);

export const odd = (): UnavailableError =>
  new UnavailableError('the hub sent an answer that cannot be read; try again later');

export const tooMany = (what: string): InvalidError =>
  new InvalidError({ path: ['repo_id'], message: `has ${what}`, type: 'out_of_range' });
