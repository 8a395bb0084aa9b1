import { createHash } from 'node:crypto';
import { basename, dirname } from 'node:path/posix';
import type { Exchange } from './exchange.js';
import type { Repository } from './repositories.js';

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
    siblings: [...commit.files.keys()].map((rfilename) => ({ rfilename })),
    ...(repository.card !== null && { cardData: repository.card }),
  });
}

/** `GET /api/datasets/:repo/tree/:revision`, in small pages that link to one another: files, and the folders that they are in. */
export function sendTree(exchange: Exchange, repository: Repository, revision: string): void {
  const commit = repository.at(revision);
  if (commit === null) return exchange.refuse(404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  const cursor = Number(exchange.address.searchParams.get('cursor') ?? 0);
  const paths = [...commit.files.keys()];
  const folders = new Set(paths.filter((path) => path.includes('/')).map(dirname));
  const entries = [
    ...[...folders].map((path) => ({ type: 'directory', path, size: 0, oid: gitHash(Buffer.from(path)) })),
    ...[...commit.files].map(([path, { content, isLarge }]) => ({
      ...{ type: 'file', path, size: content.length, oid: gitHash(isLarge ? pointerTo(content) : content) },
      ...(isLarge && {
        lfs: { oid: sha256(content), size: content.length, pointerSize: pointerTo(content).length },
        xetHash: xetHash(content),
      }),
    })),
  ];
  const next = new URL(exchange.address);
  next.searchParams.set('cursor', String(cursor + PAGE));
  const more = cursor + PAGE < entries.length;
  exchange.send(200, entries.slice(cursor, cursor + PAGE), more ? { link: `<${next.href}>; rel="next"` } : {});
}

/** A file of a repository, in the path of a request. */
interface FilePlace {
  readonly revision: string;
  readonly path: string;
}

/**
 * `GET|HEAD /datasets/:repo/resolve/:revision/:path`: redirects to a cache of this server, and for a large file to the storage. A client
 * that can fetch from Xet, and says so, gets the facts for that.
 * @param storage where large files are
 */
export function redirectToFile(
  exchange: Exchange,
  repository: Repository,
  { revision, path, storage }: FilePlace & { readonly storage: string },
): void {
  const commit = repository.at(revision);
  if (commit === null) return exchange.refuse(404, 'RevisionNotFound', `Invalid rev id: ${revision}`);
  const file = commit.files.get(path);
  if (file === undefined) return exchange.refuse(404, 'EntryNotFound', 'Entry not found');
  const { content } = file;
  if (!file.isLarge) {
    const kind = repository.isModel ? 'models' : 'datasets';
    const encoded = path.split('/').map(encodeURIComponent).join('/');
    const cache = `/api/resolve-cache/${kind}/${repository.name}/${commit.oid}/${encoded}`;
    const etag = encodeURIComponent(`"${gitHash(content)}"`);
    return exchange.redirect(307, `${cache}?${encodeURIComponent(exchange.address.pathname)}=&etag=${etag}`);
  }
  const hash = sha256(content);
  const xet = xetHash(content);
  const { origin } = exchange.address;
  const refreshUrl = `${origin}/api/models/${repository.name}/xet-read-token/${commit.oid}`;
  const reconstructionUrl = `https://cas-server.example/v1/reconstructions/${xet}`;
  const headers = {
    'x-repo-commit': commit.oid,
    'x-linked-size': String(content.length),
    'x-linked-etag': `"${hash}"`,
    'x-xet-hash': xet,
    link: `<${refreshUrl}>; rel="xet-auth", <${reconstructionUrl}>; rel="xet-reconstruction-info"`,
  };
  if (exchange.request.headers.accept?.includes(XET_FACTS))
    exchange.send(200, { hash: xet, refreshUrl, reconstructionUrl }, { ...headers, 'content-type': XET_FACTS });
  else exchange.redirect(302, `${storage}/storage/${hash}?X-Amz-Expires=3600&X-Amz-Signature=signed`, headers);
}

const XET_FACTS = 'application/vnd.xet-fileinfo+json';

/** `GET|HEAD /api/resolve-cache/datasets/:repo/:commit/:path`: a file that is not large, compressed where that is possible */
export function sendCached(exchange: Exchange, repository: Repository, { revision, path }: FilePlace): void {
  const file = repository.at(revision)?.files.get(path);
  if (file === undefined) return exchange.refuse(404, 'EntryNotFound', 'Entry not found');
  const name = basename(path).replaceAll('"', '');
  const headers = {
    ...{ etag: `"${gitHash(file.content)}"`, 'x-repo-commit': revision },
    'content-disposition': `inline; filename*=UTF-8''${encodeURIComponent(name)}`,
  };
  const { range, 'accept-encoding': encodings } = exchange.request.headers;
  if (range === undefined && encodings?.toString().includes('gzip')) exchange.sendCompressed(file.content, headers);
  else exchange.sendContent(file.content, headers);
}

export const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

/** Git's hash of a blob. */
const gitHash = (content: Buffer): string =>
  createHash('sha1').update(`blob ${content.length}\0`).update(content).digest('hex');

/** The pointer that git stores in place of a large file. @see https://github.com/git-lfs/git-lfs/blob/main/docs/spec.md */
const pointerTo = (content: Buffer): Buffer =>
  Buffer.from(`version https://git-lfs.github.com/spec/v1\noid sha256:${sha256(content)}\nsize ${content.length}\n`);

/** A text that looks like a hash of Xet. It need not be one: no client here computes it. */
const xetHash = (content: Buffer): string => sha256(Buffer.concat([Buffer.from('xet'), content]));
