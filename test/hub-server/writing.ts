import type { Exchange } from './exchange.js';
import { sha256 } from './reading.js';
import { Repository, type Account, type Repositories, type StoredFile } from './repositories.js';

export interface WritingLimits {
  /** Larger files go to large-file storage. */
  readonly regularBytes: number;
  /** Larger ones are uploaded there in parts of this size; null: in one. */
  readonly partBytes: number | null;
}

/** `POST /api/repos/create` */
export async function create(exchange: Exchange, hub: Repositories, account: Account): Promise<void> {
  const body = await exchange.json<{ name: string; organization?: string; visibility?: string; type: string }>();
  const name = `${body.organization ?? account.name}/${body.name}`;
  if (!name.startsWith(`${account.name}/`)) return exchange.refuse(403, null, "You don't have the rights");
  if (hub.repositories.has(name)) return exchange.refuse(409, null, 'You already created this dataset repo');
  const repository = new Repository(name);
  repository.isPrivate = body.visibility === 'private';
  hub.repositories.set(name, repository);
  exchange.send(200, { url: `${exchange.address.origin}/datasets/${name}`, name, id: name });
}

/** `POST /api/datasets/:repo/preupload/:branch` */
export async function preupload(exchange: Exchange, { regularBytes }: WritingLimits): Promise<void> {
  const { files } = await exchange.json<{ files: { path: string; size: number; sample: string }[] }>();
  exchange.send(200, {
    files: files.map(({ path, size }) => ({ path, uploadMode: size > regularBytes ? 'lfs' : 'regular' })),
  });
}

/** `POST /datasets/:repo.git/info/lfs/objects/batch` (git-lfs, with the hub's own way to upload in parts) */
export async function batch(exchange: Exchange, hub: Repositories, { partBytes }: WritingLimits): Promise<void> {
  const { objects, transfers } = await exchange.json<{
    objects: { oid: string; size: number }[];
    transfers: string[];
  }>();
  const { origin } = exchange.address;
  const actions = ({ oid, size }: { oid: string; size: number }) => {
    if (hub.large.has(oid)) return {};
    if (partBytes === null || size <= partBytes) return { upload: { href: `${origin}/upload/${oid}` } };
    const parts = Array.from({ length: Math.ceil(size / partBytes) }, (_, part): [string, string] => [
      String(part + 1).padStart(5, '0'),
      `${origin}/upload/${oid}?part=${part + 1}`,
    ]);
    const header = { chunk_size: String(partBytes), ...Object.fromEntries(parts) };
    return { upload: { href: `${origin}/upload/${oid}/complete`, header } };
  };
  exchange.send(
    200,
    {
      transfer: transfers.includes('multipart') ? 'multipart' : 'basic',
      objects: objects.map((object) => ({ ...object, actions: actions(object) })),
    },
    { 'x-request-id': 'batch' },
  );
}

/** Parts of uploads that are not complete, by the hash that the whole must have. */
export class Uploads {
  private readonly parts = new Map<string, Map<number, Buffer>>();

  constructor(private readonly hub: Repositories) {}

  /** `PUT /upload/:oid`, with `?part` or whole */
  async take(exchange: Exchange, oid: string): Promise<void> {
    const content = await exchange.body();
    const part = exchange.address.searchParams.get('part');
    if (part === null) return this.keep(exchange, oid, content);
    const parts = this.parts.get(oid) ?? new Map<number, Buffer>();
    this.parts.set(oid, parts.set(Number(part), content));
    exchange.send(200, {}, { etag: `"${sha256(content)}"` });
  }

  /** `POST /upload/:oid/complete` */
  async complete(exchange: Exchange, oid: string): Promise<void> {
    const { parts } = await exchange.json<{ parts: { partNumber: number; etag: string }[] }>();
    const given = this.parts.get(oid);
    const whole = parts.map(({ partNumber }) => given?.get(partNumber) ?? Buffer.alloc(0));
    this.keep(exchange, oid, Buffer.concat(whole));
  }

  private keep(exchange: Exchange, oid: string, content: Buffer): void {
    if (sha256(content) !== oid) return exchange.refuse(400, null, 'the content has another hash');
    this.hub.large.set(oid, content);
    exchange.send(200, {});
  }
}

/** `POST /api/datasets/:repo/commit/:branch`: lines of JSON, the header first */
export async function takeCommit(exchange: Exchange, hub: Repositories, repository: Repository): Promise<void> {
  type Line =
    | { key: 'header'; value: { summary: string } }
    | { key: 'file'; value: { path: string; content: string; encoding: 'base64' } }
    | { key: 'lfsFile'; value: { path: string; oid: string; size: number } };
  const lines = (await exchange.body())
    .toString()
    .split('\n')
    .map((line) => JSON.parse(line) as Line);
  const files = new Map<string, StoredFile>();
  let title = '';
  for (const { key, value } of lines) {
    if (key === 'header') title = value.summary;
    else if (key === 'file') files.set(value.path, { content: Buffer.from(value.content, 'base64'), isLarge: false });
    else {
      const content = hub.large.get(value.oid);
      if (content?.length !== value.size) return exchange.refuse(400, null, `LFS pointer to nothing: ${value.oid}`);
      files.set(value.path, { content, isLarge: true });
    }
  }
  const oid = repository.commit(title, files);
  const commitUrl = `${exchange.address.origin}/datasets/${repository.name}/commit/${oid}`;
  exchange.send(200, { success: true, commitOid: oid, commitUrl, hookOutput: '' });
}
