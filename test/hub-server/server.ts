import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Exchange } from './exchange.js';
import { redirectToFile, sendCached, sendInfo, sendTree, sha256 } from './reading.js';
import { Repositories, type Account, type Repository } from './repositories.js';
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
 * to, list and download: the paths, the error codes in headers, pages of listings, git-lfs with uploads in one or in parts, files behind
 * redirects to a cache and to a storage with signed addresses, facts for Xet, compressed texts, and gates that hide files but not their
 * list. `snapshot_download` of Python's `huggingface_hub` 2.4 downloads from it, with HF_HUB_DISABLE_XET.
 */
export class HubServer extends Repositories {
  readonly seen: Seen[] = [];
  /** Called first with each request; returns true if it has answered. */
  fault: Fault | null = null;
  limits: WritingLimits = { regularBytes: 1_000, partBytes: null };
  /** The server to which requests for large files are redirected; null: this one, with the token of the request. */
  storage: HubServer | null = null;
  private isOnlyStorage = false;
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

  /** Has another server send its large files, as the hub's storage does. */
  async startStorage(): Promise<HubServer> {
    this.storage = await HubServer.start();
    this.storage.isOnlyStorage = true;
    for (const [name, repository] of this.repositories) this.storage.repositories.set(name, repository);
    return this.storage;
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
    const cached = /^\/api\/resolve-cache\/(?:models|datasets)\/((?:[^/]+\/)?[^/]+)\/([0-9a-f]{40})\/(.+)$/.exec(path);
    const account = this.accountOf(exchange);
    if (account === undefined) return exchange.refuse(401, null, 'Invalid credentials in Authorization header');
    if (path === '/api/repos/create')
      return account?.mayWrite ? create(exchange, this, account) : exchange.refuse(403, null, 'Forbidden');
    const [, kind, name = '', action, rest = ''] =
      /^\/(?:(api\/datasets|datasets|api\/models)\/)?((?:[^/]+\/)?[^/]+?)(?:\.git)?\/(revision|tree|resolve|preupload|commit|info)\/(.+)$/.exec(
        path,
      ) ?? [];
    if (cached) return this.sendCached(exchange, account, cached);
    const repository = this.repositories.get(name);
    if (repository?.isModel !== !kind?.endsWith('datasets') || !this.mayRead(repository, account))
      // The hub does not tell a stranger whether there is such a repository.
      return exchange.refuse(account === null ? 401 : 404, 'RepoNotFound', 'Repository not found');
    if (action === 'revision') return sendInfo(exchange, repository, rest);
    if (action === 'tree') return sendTree(exchange, repository, rest);
    if (action === 'resolve') {
      if (repository.isGated && !isOf(account, repository)) return refuseGated(exchange, name, account);
      const [, revision = '', file = ''] = /^([^/]+)\/(.+)$/.exec(rest) ?? [];
      return redirectToFile(exchange, repository, { revision, path: file, storage: (this.storage ?? this).url });
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

  private sendCached(exchange: Exchange, account: Account | null, [, name, revision, path]: RegExpExecArray): void {
    const repository = this.repositories.get(name!);
    if (!repository || !this.mayRead(repository, account) || (repository.isGated && !isOf(account, repository)))
      return exchange.refuse(404, 'RepoNotFound', 'Repository not found');
    sendCached(exchange, repository, { revision: revision!, path: path! });
  }

  private sendStored(exchange: Exchange, hash: string): void {
    const { address, request } = exchange;
    // A storage that is not the hub takes one way of authentication: the signature.
    if (this.isOnlyStorage && request.headers.authorization !== undefined)
      return exchange.refuse(400, null, 'Only one auth mechanism allowed');
    if (!address.searchParams.has('X-Amz-Signature')) return exchange.refuse(403, null, 'AccessDenied');
    const all = [...this.repositories.values()].flatMap(({ commits }) =>
      commits.flatMap(({ files }) => [...files.values()]),
    );
    const file = all.find(({ content }) => sha256(content) === hash);
    if (file) exchange.sendContent(file.content, { etag: `"${hash}"` });
    else exchange.refuse(403, null, 'AccessDenied');
  }
}

/** Whether a repository is of an account; no other account has been given access to gated ones. */
const isOf = (account: Account | null, { name }: Repository): boolean =>
  account !== null && name.startsWith(`${account.name}/`);

function refuseGated(exchange: Exchange, name: string, account: Account | null): void {
  const restricted = `Access to model ${name} is restricted`;
  if (account !== null)
    return exchange.refuse(403, 'GatedRepo', `${restricted} and you are not in the authorized list.`);
  exchange.refuse(401, 'GatedRepo', `${restricted}. You must have access to it and be authenticated to access it.`);
}
