import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Exchange } from './exchange.js';
import { sendFile, sendInfo, sendTree, sha256 } from './reading.js';
import { Repositories, type Account } from './repositories.js';
import { batch, create, preupload, takeCommit, Uploads, type WritingLimits } from './writing.js';

export interface Seen {
  readonly method: string;
  readonly path: string;
  readonly token: string | null;
}

/** A failure for the next request that it accepts. */
export type Fault = (exchange: Exchange) => boolean;

/**
 * Speaks the Hugging Face hub's protocol for dataset repositories, and for files of models, as far as `@huggingface/hub` 2.17 uses it to create, commit
 * to, list and download: the paths, the error codes in headers, pages of listings, git-lfs with uploads in one or in parts, and
 * redirects to a storage of its own.
 */
export class HubServer extends Repositories {
  readonly seen: Seen[] = [];
  /** Called first with each request; returns true if it has answered. */
  fault: Fault | null = null;
  limits: WritingLimits = { regularBytes: 1_000, partBytes: null };
  /** Address to which large files are redirected; null: this server. */
  storage: string | null = null;
  private readonly uploads = new Uploads(this);
  private readonly server: Server;

  private constructor(server: Server) {
    super();
    this.server = server;
  }

  static async start(): Promise<HubServer> {
    const server = createServer((request, response) => void hub.answer(request, response));
    const hub = new HubServer(server);
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    return hub;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** Whether a secret occurred anywhere but in its own header. */
  sawInAddresses = (secret: string): boolean => this.seen.some(({ path }) => path.includes(secret));

  close(): Promise<void> {
    return new Promise((resolve) => {
      this.server.close(() => resolve());
      this.server.closeAllConnections();
    });
  }

  private async answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const exchange = new Exchange(request, response);
    const { address, token } = exchange;
    this.seen.push({ method: request.method ?? '', path: address.pathname + address.search, token });
    try {
      if (this.fault?.(exchange)) return;
      await this.route(exchange);
    } catch (error) {
      if (!response.headersSent) exchange.refuse(500, null, String(error));
    }
  }

  private async route(exchange: Exchange): Promise<void> {
    const path = decodeURIComponent(exchange.address.pathname);
    const method = exchange.request.method ?? '';
    const stored = /^\/storage\/([0-9a-f]{64})$/.exec(path);
    if (stored) return this.sendStored(exchange, stored[1]!);
    const upload = /^\/upload\/([0-9a-f]{64})(\/complete)?$/.exec(path);
    if (upload)
      return upload[2] ? this.uploads.complete(exchange, upload[1]!) : this.uploads.take(exchange, upload[1]!);
    const account = this.accountOf(exchange);
    if (account === undefined) return exchange.refuse(401, null, 'Invalid credentials in Authorization header');
    if (path === '/api/repos/create')
      return account?.mayWrite ? create(exchange, this, account) : exchange.refuse(403, null, 'Forbidden');
    const [, kind, name = '', action, rest = ''] =
      /^\/(?:(api\/datasets|datasets|api\/models)\/)?((?:[^/]+\/)?[^/]+?)(?:\.git)?\/(revision|tree|resolve|preupload|commit|info)\/(.+)$/.exec(
        path,
      ) ?? [];
    const repository = this.repositories.get(name);
    if (repository?.isModel !== !kind?.endsWith('datasets') || !this.mayRead(repository, account))
      // The hub does not tell a stranger whether there is such a repository.
      return exchange.refuse(account === null ? 401 : 404, 'RepoNotFound', 'Repository not found');
    if (repository.isGated && !account) return exchange.refuse(401, 'GatedRepo', 'Access is restricted');
    if (action === 'revision') return sendInfo(exchange, repository, rest);
    if (action === 'tree') return sendTree(exchange, repository, rest);
    if (action === 'resolve') {
      const [, revision = '', file = ''] = /^([^/]+)\/(.+)$/.exec(rest) ?? [];
      sendFile(exchange, repository, { revision, path: file, storage: this.storage ?? this.url });
      return;
    }
    if (method !== 'POST' || !account?.mayWrite || !name.startsWith(`${account.name}/`))
      return exchange.refuse(403, null, 'Forbidden: you need write access');
    if (action === 'preupload') return preupload(exchange, this.limits);
    if (action === 'info') return batch(exchange, this, this.limits);
    return takeCommit(exchange, this, repository);
  }

  /** null: nobody; undefined: a token that is not known. */
  private accountOf({ token }: Exchange): Account | null | undefined {
    return token === null ? null : this.accounts.get(token);
  }

  private sendStored(exchange: Exchange, hash: string): void {
    const all = [...this.repositories.values()].flatMap(({ commits }) =>
      commits.flatMap(({ files }) => [...files.values()]),
    );
    const file = all.find(({ content }) => sha256(content) === hash);
    if (file) exchange.sendContent(file.content, { etag: `"${hash}"` });
    else exchange.refuse(403, null, 'AccessDenied');
  }
}
