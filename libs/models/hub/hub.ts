import { ConflictError, UnavailableError } from '#domain/errors.js';
import type { HubSource } from '#domain/dataset/index.js';
import type { Egress } from '#primitives/egress/index.js';
import { HubAnswerError } from './answers.js';
import { hubClient } from './client.js';
import { asDomainError, HubTransport } from './transport.js';
import { filesOf, isCommit, isOid, odd, tooMany } from './listing.js';
import { encodedPath } from './names.js';
import { featuresOfCard, featuresOfInfos } from './features.js';
import { splitOf, type HubFile } from './splits.js';

/** Limit of what events can hold of a repository. */
const MAX_FILES = 2_000;
/** File in which older repositories describe their columns, beside the card. */
const INFOS = 'dataset_infos.json';
const MAX_INFOS_BYTES = 4 * 1024 * 1024;
const MAX_PATH_CHARACTERS = 200_000;
/** Setting for the operator's token for models. */
const TOKEN_SETTING = 'ANNEAL_HUB_TOKEN';

export interface HubRequest {
  readonly repoId: string;
  readonly revision: string | null;
  readonly config: string | null;
  readonly split: string | null;
  /** A client's own; it is sent to the hub's own address only. */
  readonly token: string | null;
}

/** The metadata of a dataset card; untrusted. */
interface HubCard {
  readonly configs?: unknown;
  readonly dataset_info?: unknown;
}

interface HubRows {
  readonly source: HubSource;
  /** The `features` of the configuration, as the card or `dataset_infos.json` has them; untrusted. */
  readonly features: unknown;
}

interface HubUpload {
  readonly repoId: string;
  readonly token: string;
  readonly isPrivate: boolean;
  readonly title: string;
  readonly path: string;
  readonly content: Blob;
}

/** A file of a model repository. */
export interface HubModelFile extends HubFile {
  /** Of its content: sha256 if the hub keeps it in large-file storage (64 digits), else git's hash of the blob (40). */
  readonly oid: string;
}

export type HubModelRequest = Pick<HubRequest, 'repoId' | 'revision' | 'token'>;

interface HubModel {
  readonly commit: string;
  /** From the card; untrusted. */
  readonly licence: unknown;
  readonly files: readonly HubModelFile[];
}

/** A repository at a commit or branch, from which files are read. */
interface Place extends Pick<HubRequest, 'repoId' | 'revision' | 'token'> {
  readonly type: 'dataset' | 'model';
  /** The commit or branch. */
  readonly at: string;
}

interface Pushed {
  readonly url: string;
  /** The commit's id. */
  readonly commit: string;
  readonly isNewRepository: boolean;
}

/**
 * A Hugging Face hub, by its own library. Large files go by plain LFS in both directions: the library's Xet transfer is not
 * used, since there the hub names further servers to send the rows to.
 * All methods throw DomainErrors: NotFoundError, InvalidError naming the field of the request, UnavailableError.
 */
export class Hub {
  private readonly transport: HubTransport;

  constructor(
    /** Base address without a trailing slash. */
    readonly url: string,
    egress: Egress,
  ) {
    this.transport = new HubTransport(url, egress);
  }

  /**
   * Finds the files of a split, at the commit to which the revision points now, and what the repository declares about
   * its columns.
   */
  async find({ repoId, revision, config, split, token }: HubRequest, signal?: AbortSignal): Promise<HubRows> {
    const asked = { repoId, revision, withToken: token !== null, writes: false };
    const { source, card, infos } = await this.transport.ask(asked, signal, async (fetch) => {
      const common = this.transport.common(fetch, token);
      const { datasetInfo } = await hubClient();
      const info = await datasetInfo({
        ...common,
        name: repoId,
        additionalFields: ['sha', 'cardData'],
        ...(revision !== null && { revision }),
      });
      const { sha, cardData } = info as { sha?: unknown; cardData?: HubCard | null };
      if (!isCommit(sha)) throw odd();
      const listed = (await filesOf({ ...common, repo: { type: 'dataset', name: repoId }, revision: sha })).map(
        ({ path, size }): HubFile => ({ path, size }),
      );
      const found = splitOf(listed, cardData?.configs, { config, split });
      const characters = found.files.reduce((sum, { path }) => sum + path.length, 0);
      if (found.files.length > MAX_FILES || characters > MAX_PATH_CHARACTERS)
        throw tooMany(`more than ${MAX_FILES} files in this split`);
      return {
        source: { repoId, revision, commit: sha, ...found, withToken: token !== null },
        card: cardData?.dataset_info,
        infos: listed.find(({ path, size }) => path === INFOS && size <= MAX_INFOS_BYTES),
      };
    });
    const features = featuresOfCard(card, source.config);
    if (features !== undefined || infos === undefined) return { source, features };
    const content = Buffer.concat(await Array.fromAsync(this.read(source, infos, token, signal)));
    return { source, features: featuresOfInfos(content.toString(), source.config) };
  }

  /** The bytes of a file as they come. @throws UnavailableError, while iterating too, when they break off */
  read(
    source: Pick<HubSource, 'repoId' | 'revision' | 'commit'>,
    file: HubFile,
    token: string | null,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const { repoId, revision, commit: at } = source;
    return this.download({ type: 'dataset', repoId, revision, at, token }, file, 0, signal);
  }

  /** The files of a model repository, at the commit to which the revision points now. @param revision null: the default branch */
  async findModel({ repoId, revision, token }: HubModelRequest, signal?: AbortSignal): Promise<HubModel> {
    const asked = { repoId, revision, withToken: token !== null, writes: false, tokenIn: TOKEN_SETTING };
    return this.transport.ask(asked, signal, async (fetch) => {
      const common = this.transport.common(fetch, token);
      const { modelInfo } = await hubClient();
      const info = await modelInfo({
        ...common,
        name: repoId,
        additionalFields: ['sha', 'cardData'],
        ...(revision !== null && { revision }),
      });
      const { sha, cardData } = info as { sha?: unknown; cardData?: { readonly license?: unknown } | null };
      if (!isCommit(sha)) throw odd();
      const listed = await filesOf({ ...common, repo: { type: 'model', name: repoId }, revision: sha });
      const files = listed.map(({ path, size, oid, lfs }) => ({ path, size, oid: lfs?.oid ?? oid ?? '' }));
      if (files.some(({ oid }) => !isOid(oid))) throw odd();
      return { commit: sha, licence: cardData?.license, files };
    });
  }

  /**
   * The bytes of a file of a model repository as they come.
   * @param revision null: the default branch
   * @param from how many bytes to skip, to resume a download
   * @throws ConflictError when the hub's file has another size
   * @throws UnavailableError, while iterating too, when the connection breaks
   */
  readModel(
    { repoId, revision, token }: HubModelRequest,
    file: HubFile,
    from: number,
    signal?: AbortSignal,
  ): AsyncGenerator<Uint8Array> {
    const at = revision ?? 'main';
    return this.download({ type: 'model', repoId, revision, at, token }, file, from, signal);
  }

  private async *download(
    { type, repoId, revision, at, token }: Place,
    { path, size }: HubFile,
    from: number,
    signal: AbortSignal | undefined,
  ): AsyncGenerator<Uint8Array> {
    // A range of an empty file cannot be asked for.
    if (size === 0) return;
    const asked = {
      ...{ repoId, revision, withToken: token !== null, writes: false },
      ...(type === 'model' && { tokenIn: TOKEN_SETTING }),
    };
    const address = await this.transport.ask(asked, signal, async (fetch) => {
      const { fileDownloadInfo } = await hubClient();
      const info = await fileDownloadInfo({
        ...{ hubUrl: this.url, fetch, repo: { type, name: repoId } as const },
        ...{ path: encodedPath(path), revision: at },
        ...(token !== null && { accessToken: token }),
      });
      if (info === null) throw new HubAnswerError(404, 'EntryNotFound', null);
      if (info.size !== size && type === 'model') throw otherFile(`${path} of ${repoId}`, info.size, size);
      if (info.size !== size) throw odd();
      return info.url;
    });
    const fetch = this.transport.fetch(signal);
    const headers = {
      ...(token !== null && { authorization: `Bearer ${token}` }),
      ...(from > 0 && { range: `bytes=${from}-` }),
    };
    let got = from;
    try {
      const { status, body } = await fetch(address, { headers });
      // A storage may ignore the range and send everything.
      let unwanted = status === 206 ? 0 : from;
      for await (const chunk of (body ?? []) as AsyncIterable<Uint8Array>) {
        const wanted = chunk.subarray(Math.min(unwanted, chunk.length));
        unwanted -= chunk.length - wanted.length;
        if (wanted.length === 0) continue;
        got += wanted.length;
        if (got > size) throw odd();
        yield wanted;
      }
    } catch (error) {
      throw asDomainError(error, asked, signal);
    }
    if (got !== size)
      throw new UnavailableError('the hub broke the connection in the middle of a file; try again later');
  }

  /** Makes one commit with one file, and the repository if there is none. All or nothing. */
  async push({ repoId, token, isPrivate, title, path, content }: HubUpload, signal?: AbortSignal): Promise<Pushed> {
    const asked = { repoId, revision: null, withToken: true, writes: true };
    const repo = { type: 'dataset', name: repoId } as const;
    const common = { hubUrl: this.url, accessToken: token, repo };
    const { commit, createRepo } = await hubClient();
    const isNewRepository = await this.transport.ask(asked, signal, async (fetch) => {
      try {
        await createRepo({ ...common, fetch, visibility: isPrivate ? 'private' : 'public' });
        return true;
      } catch (error) {
        if (error instanceof HubAnswerError && error.status === 409) return false;
        throw error;
      }
    });
    try {
      const done = await commit({
        ...common,
        fetch: this.transport.fetch(signal),
        operations: [{ operation: 'addOrUpdate', path, content }],
        title,
        useXet: false,
        ...(signal && { abortSignal: signal }),
      });
      const oid = done?.commit.oid;
      if (typeof oid !== 'string' || !/^[0-9a-f]{7,64}$/.test(oid)) throw odd();
      return { url: `${this.url}/datasets/${repoId}`, commit: oid, isNewRepository };
    } catch (error) {
      throw asDomainError(error, asked, signal);
    }
  }
}

const otherFile = (file: string, has: number, known: number): ConflictError =>
  new ConflictError(`${file} has ${has} bytes, not ${known}: the hub has another file now`);
