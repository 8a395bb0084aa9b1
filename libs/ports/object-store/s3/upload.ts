import { PutObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { ObjectTooLargeError, type ObjectContent } from '../port.js';
import { outage } from './errors.js';

/** Content up to this size is uploaded in one request. S3 takes 10,000 parts at most: 80 GB. */
const PART_BYTES = 8 * 1024 * 1024;
/** Parts uploaded in parallel: with one being filled, they are what a stream holds in memory. */
const PARTS_AT_ONCE = 3;

export interface Digest {
  readonly size: number;
  /** Lower-case hex. */
  readonly sha256: string;
}

interface Target {
  readonly client: S3Client;
  readonly bucket: string;
  readonly objectKey: string;
  /** See `ObjectStore.put`. */
  readonly sendChecksum?: boolean;
}

/**
 * Stores content under a key, whole or not at all: an object appears with its last request. Large content is uploaded
 * in parts, which are removed if anything fails; a killed process leaves its parts to a lifecycle rule of the bucket
 * (AbortIncompleteMultipartUpload).
 * @throws ObjectTooLargeError, ObjectStoreUnavailableError, and what the content throws
 */
export async function upload(target: Target, content: ObjectContent, maxBytes: number): Promise<Digest> {
  if (content instanceof Uint8Array && content.byteLength <= PART_BYTES) return putWhole(target, content, maxBytes);
  const measured = new Measured(content instanceof Uint8Array ? slices(content) : content, maxBytes);
  const { client, bucket, objectKey } = target;
  const body = Readable.from(measured.content(), { objectMode: true, highWaterMark: 1 });
  const params = { Bucket: bucket, Key: objectKey, Body: body };
  try {
    await new Upload({ client, params, partSize: PART_BYTES, queueSize: PARTS_AT_ONCE }).done();
  } catch (error) {
    // The source's own failure is reported, not the clean-up's.
    if (measured.failure) throw measured.failure.error;
    throw outage(error);
  } finally {
    body.destroy();
  }
  return measured.digest();
}

async function putWhole(target: Target, content: Uint8Array, maxBytes: number): Promise<Digest> {
  const { client, bucket, objectKey, sendChecksum = false } = target;
  if (content.byteLength > maxBytes) throw new ObjectTooLargeError(maxBytes);
  const sha256 = createHash('sha256').update(content).digest();
  const checksum = sendChecksum && { ChecksumSHA256: sha256.toString('base64') };
  try {
    await client.send(new PutObjectCommand({ Bucket: bucket, Key: objectKey, Body: content, ...checksum }));
  } catch (error) {
    throw outage(error);
  }
  return { size: content.byteLength, sha256: sha256.toString('hex') };
}

/** Content on its way: counted, hashed and stopped at its limit. */
class Measured {
  /** The error that ended the content early. */
  failure: { readonly error: unknown } | null = null;
  private readonly hash = createHash('sha256');
  private size = 0;

  constructor(
    private readonly source: AsyncIterable<Uint8Array>,
    private readonly maxBytes: number,
  ) {}

  async *content(): AsyncIterable<Uint8Array> {
    try {
      for await (const chunk of this.source) {
        this.size += chunk.byteLength;
        if (this.size > this.maxBytes) throw new ObjectTooLargeError(this.maxBytes);
        this.hash.update(chunk);
        // An empty chunk would end a stream of bytes.
        if (chunk.byteLength > 0) yield chunk;
      }
    } catch (error) {
      this.failure = { error };
      throw error;
    }
  }

  digest(): Digest {
    return { size: this.size, sha256: this.hash.digest('hex') };
  }
}

async function* slices(content: Uint8Array): AsyncIterable<Uint8Array> {
  for (let offset = 0; offset < content.byteLength; offset += PART_BYTES)
    yield content.subarray(offset, offset + PART_BYTES);
}
