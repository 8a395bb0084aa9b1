import {
  DeleteObjectCommand,
  DeleteObjectsCommand,
  GetObjectCommand,
  HeadBucketCommand,
  HeadObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { createHash } from 'node:crypto';
import { attachment } from '../attachment.js';
import { checkKey } from '../keys.js';
import {
  ObjectNotFoundError,
  ObjectStoreUnavailableError,
  ObjectTooLargeError,
  type ListedObject,
  type ObjectContent,
  type ObjectStore,
  type PutOptions,
  type StoredObject,
} from '../port.js';
import { parseS3Address, type S3Location } from './address.js';
import { createClients, type Clients } from './clients.js';
import { copyObject } from './copy.js';
import { download, nothing } from './download.js';
import { isChanged, isMissing, outage, portError, statusOf } from './errors.js';
import { upload, type Digest } from './upload.js';

export interface S3ObjectStoreOptions {
  /** Bytes per request when sealing copies an object; default: the protocol's maximum, 5 GiB. */
  readonly copyAtOnceBytes?: number;
  /** Limit until a response starts that a client waits for, including retries; default 8 s. */
  readonly answerMs?: number;
}

/** Limit of a short request that no client waits for, including retries. */
const QUESTION_MS = 20_000;
/** Shorter than a request's deadline, since a client waits for the answer. */
const ANSWER_MS = 8_000;
const SEAL_TRIES = 3;

/**
 * Opens the bucket that an address names. Sends no request yet: the first use of the store finds out whether the server
 * answers.
 * @throws TypeError naming the mistake in the address
 */
export async function openS3ObjectStore(address: string, options: S3ObjectStoreOptions = {}): Promise<ObjectStore> {
  const location = parseS3Address(address);
  const clients = createClients(location);
  try {
    await clients.quick.config.region();
  } catch (error) {
    clients.destroy();
    throw new TypeError('the address of the object store names no region: add ?region=..., or set AWS_REGION', {
      cause: error,
    });
  }
  return new S3ObjectStore(location, clients, options);
}

/** Objects in a bucket of S3, or of a server that speaks its protocol, below the prefix of the address. */
class S3ObjectStore implements ObjectStore {
  private readonly bucket: string;
  private readonly prefix: string;

  constructor(
    { bucket, prefix }: S3Location,
    private readonly clients: Clients,
    private readonly options: S3ObjectStoreOptions,
  ) {
    this.bucket = bucket;
    this.prefix = prefix;
  }

  private get answerMs(): number {
    return this.options.answerMs ?? ANSWER_MS;
  }

  async put(
    key: string,
    content: ObjectContent,
    { maxBytes = Infinity, sendChecksum = false }: PutOptions = {},
  ): Promise<StoredObject> {
    const target = { client: this.clients.quick, bucket: this.bucket, objectKey: this.objectKey(key), sendChecksum };
    return { key, ...(await upload(target, content, maxBytes)) };
  }

  async get(
    key: string,
    { start, end }: { readonly start: number; readonly end?: number } = { start: 0 },
  ): Promise<AsyncIterable<Uint8Array>> {
    const objectKey = this.objectKey(key);
    if (end !== undefined && end <= start) {
      if ((await this.stat(key)) === null) throw new ObjectNotFoundError(key);
      return nothing();
    }
    const { patient: client } = this.clients;
    return download({ client, bucket: this.bucket, objectKey, key, start, end, answerMs: this.answerMs });
  }

  async stat(key: string): Promise<{ readonly size: number; readonly version: string } | null> {
    const head = await this.head(key);
    return head && { size: head.size, version: head.etag };
  }

  /**
   * The server makes the copy from the object that was measured (its ETag), and the sha256 is the copy's own. So size
   * and hash are true of the copy, even if the first object is replaced.
   */
  async seal(from: string, to: string, options: { readonly maxBytes?: number } = {}): Promise<StoredObject> {
    const [source, target] = [this.objectKey(from), this.objectKey(to)];
    for (let attempt = 1; ; attempt += 1) {
      const head = await this.head(from);
      if (head === null) throw new ObjectNotFoundError(from);
      if (head.size > (options.maxBytes ?? Infinity)) throw new ObjectTooLargeError(options.maxBytes!);
      try {
        const { patient: client } = this.clients;
        const { copyAtOnceBytes: atOnceBytes } = this.options;
        const copy = { client, bucket: this.bucket, from: source, to: target, ...head };
        const sha256 = await copyObject({ ...copy, ...(atOnceBytes && { atOnceBytes }) });
        return { key: to, ...(sha256 === null ? await this.digest(to) : { size: head.size, sha256 }) };
      } catch (error) {
        // Replaced or removed since it was asked about: ask again.
        const again = isChanged(error) || isMissing(error);
        if (!again || attempt === SEAL_TRIES) throw portError(error, from);
      }
    }
  }

  async *list(prefix: string): AsyncIterable<ListedObject> {
    for await (const page of this.pages(prefix)) yield* page;
  }

  async delete(key: string): Promise<void> {
    const command = new DeleteObjectCommand({ Bucket: this.bucket, Key: this.objectKey(key) });
    await this.clients.quick.send(command, deadline()).catch((error: unknown) => {
      if (!isMissing(error)) throw outage(error);
    });
  }

  async deletePrefix(prefix: string): Promise<void> {
    // A page is as many keys as one deletion takes.
    for await (const page of this.pages(prefix)) {
      const Objects = page.map(({ key }) => ({ Key: this.prefix + key }));
      const command = new DeleteObjectsCommand({ Bucket: this.bucket, Delete: { Objects, Quiet: true } });
      const { Errors = [] } = await this.clients.quick.send(command, deadline()).catch((error: unknown) => {
        throw outage(error);
      });
      const refused = Errors.find(({ Code }) => Code !== 'NoSuchKey');
      if (refused) throw new ObjectStoreUnavailableError(`an object was not deleted (${refused.Code ?? 'no reason'})`);
    }
  }

  /** S3 cannot limit the size of a PUT: the caller of `seal` gives the limit. */
  async presignPut(key: string, { expiresInSeconds }: { readonly expiresInSeconds: number }): Promise<string> {
    return this.sign(new PutObjectCommand({ Bucket: this.bucket, Key: this.objectKey(key) }), expiresInSeconds);
  }

  async presignGet(
    key: string,
    options: { readonly expiresInSeconds: number; readonly fileName: string },
  ): Promise<string> {
    const command = new GetObjectCommand({
      Bucket: this.bucket,
      Key: this.objectKey(key),
      ResponseContentDisposition: attachment(options.fileName),
    });
    return this.sign(command, options.expiresInSeconds);
  }

  async close(): Promise<void> {
    this.clients.destroy();
  }

  private async sign(command: GetObjectCommand | PutObjectCommand, expiresIn: number): Promise<string> {
    try {
      return await getSignedUrl(this.clients.presigning, command, { expiresIn });
    } catch (error) {
      throw outage(error);
    }
  }

  private async head(key: string): Promise<{ readonly size: number; readonly etag: string } | null> {
    const command = new HeadObjectCommand({ Bucket: this.bucket, Key: this.objectKey(key) });
    try {
      const { ContentLength, ETag } = await this.clients.quick.send(command, deadline(this.answerMs));
      return { size: ContentLength ?? 0, etag: ETag ?? '' };
    } catch (error) {
      if (!isMissing(error)) throw outage(error);
      await this.requireBucket();
      return null;
    }
  }

  /** An answer to HEAD does not say whether the object is missing or its bucket. */
  private async requireBucket(): Promise<void> {
    try {
      await this.clients.quick.send(new HeadBucketCommand({ Bucket: this.bucket }), deadline(this.answerMs));
    } catch (error) {
      // A bucket that refuses the question (403) exists.
      if (statusOf(error) !== 403) throw outage(error);
    }
  }

  private async digest(key: string): Promise<Digest> {
    const hash = createHash('sha256');
    let size = 0;
    for await (const chunk of await this.get(key)) {
      hash.update(chunk);
      size += chunk.byteLength;
    }
    return { size, sha256: hash.digest('hex') };
  }

  private async *pages(prefix: string): AsyncIterable<ListedObject[]> {
    let after: string | undefined;
    do {
      const command = new ListObjectsV2Command({
        Bucket: this.bucket,
        Prefix: this.prefix + prefix,
        ...(after !== undefined && { StartAfter: after }),
      });
      const { Contents = [], IsTruncated } = await this.clients.quick
        .send(command, deadline())
        .catch((error: unknown) => {
          throw outage(error);
        });
      if (Contents.length === 0) return;
      after = IsTruncated ? Contents.at(-1)!.Key : undefined;
      yield Contents.map(({ Key = '', Size = 0, ETag = '' }) => ({
        ...{ key: Key.slice(this.prefix.length), size: Size, version: ETag },
      }));
    } while (after !== undefined);
  }

  /** @throws TypeError */
  private objectKey(key: string): string {
    checkKey(key);
    return this.prefix + key;
  }
}

const deadline = (ms = QUESTION_MS) => ({ abortSignal: AbortSignal.timeout(ms) });
