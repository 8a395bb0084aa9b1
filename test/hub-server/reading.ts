import { createHash } from 'node:crypto';
import type { Exchange } from './exchange.js';
import type { Repository, StoredFile } from './repositories.js';

const PAGE = 2;

/** `GET /api/datasets/:repo/revision/:revision` */
export function sendInfo(exchange: Exchange, repository: Repository, revision: string): void {
  const commit = repository.at(revision);
  if (commit === null) return exchange.refuse(404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  exchange.send(200, {
    _id: createHash('md5').update(repository.name).digest('hex').slice(0, 24),
    id: repository.name,
    private: repository.isPrivate,
    gated: repository.isGated ? 'manual' : false,
    downloads: 0,
    likes: 0,
    lastModified: '2030-01-01T00:00:00.000Z',
    sha: commit.oid,
    ...(repository.card !== null && { cardData: repository.card }),
  });
}

/** `GET /api/datasets/:repo/tree/:revision`, in small pages that link to one another. */
export function sendTree(exchange: Exchange, repository: Repository, revision: string): void {
  const commit = repository.at(revision);
  if (commit === null) return exchange.refuse(404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  const cursor = Number(exchange.address.searchParams.get('cursor') ?? 0);
  const entries = [...commit.files].map(([path, { content, isLarge }]) => ({
    type: 'file',
    path,
    size: content.length,
    oid: createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex'),
    ...(isLarge && { lfs: { oid: sha256(content), size: content.length, pointerSize: 130 } }),
  }));
  const next = new URL(exchange.address);
  next.searchParams.set('cursor', String(cursor + PAGE));
  const more = cursor + PAGE < entries.length;
  exchange.send(200, entries.slice(cursor, cursor + PAGE), more ? { link: `<${next.href}>; rel="next"` } : {});
}

/**
 * `GET /datasets/:repo/resolve/:revision/:path`
 * @param storage where large files are redirected to
 */
export function sendFile(
  exchange: Exchange,
  repository: Repository,
  { revision, path, storage }: { readonly revision: string; readonly path: string; readonly storage: string },
): StoredFile | null {
  const file = repository.at(revision)?.files.get(path);
  if (file === undefined) {
    exchange.refuse(404, 'EntryNotFound', 'Entry not found');
    return null;
  }
  const hash = sha256(file.content);
  const headers = { etag: `"${hash}"`, 'x-repo-commit': repository.at(revision)!.oid };
  if (!file.isLarge) exchange.sendContent(file.content, headers);
  else
    exchange.redirect(`${storage}/storage/${hash}?signature=of-the-storage`, {
      'x-linked-size': String(file.content.length),
      'x-linked-etag': `"${hash}"`,
    });
  return file;
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');
