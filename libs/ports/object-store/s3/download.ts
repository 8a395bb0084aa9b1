import { GetObjectCommand, type S3Client } from '@aws-sdk/client-s3';
import type { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { ObjectStoreUnavailableError } from '../port.js';
import { isChanged, outage, portError, statusOf } from './errors.js';

/** Limit of silence, by the server or by a reader that forgot to read on. */
const IDLE_MS = 60_000;
const RESUMPTIONS = 4;

interface Wanted {
  readonly client: S3Client;
  readonly bucket: string;
  /** Key on the server. */
  readonly objectKey: string;
  /** Key as callers know it. */
  readonly key: string;
  readonly start: number;
  /** Exclusive. */
  readonly end: number | undefined;
  /** ETag that the object must have. */
  readonly ifMatch?: string;
  /** Limit until the content starts, including retries. */
  readonly answerMs: number;
}

/**
 * Content of an object from `start` to before `end`. A broken connection is reopened where it broke, as long as the
 * object is the same.
 * @throws ObjectNotFoundError, ObjectStoreUnavailableError
 */
export async function download(wanted: Wanted): Promise<AsyncIterable<Uint8Array>> {
  const first = await open(wanted);
  return first === null ? nothing() : resumed(wanted, first);
}

export async function* nothing(): AsyncIterable<Uint8Array> {}

interface Opened {
  readonly body: Readable;
  /** Ends the body after a while without progress; also when it is never read. */
  readonly idle: NodeJS.Timeout;
  readonly etag: string | undefined;
}

/** null when the range begins at the end or beyond. */
async function open({ client, bucket, objectKey, key, start, end, ifMatch, answerMs }: Wanted): Promise<Opened | null> {
  const range = start > 0 || end !== undefined ? `bytes=${start}-${end === undefined ? '' : end - 1}` : undefined;
  const command = new GetObjectCommand({
    Bucket: bucket,
    Key: objectKey,
    ...(range && { Range: range }),
    ...(ifMatch && { IfMatch: ifMatch }),
  });
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), answerMs);
  try {
    const { Body, ETag } = await client.send(command, { abortSignal: late.signal });
    const body = Body as Readable;
    // It broke while not being read: the next read reports it.
    body.on('error', () => undefined);
    const idle = setTimeout(() => body.destroy(new Error(`nothing read for ${IDLE_MS} ms`)), IDLE_MS).unref();
    return { body, idle, etag: ETag };
  } catch (error) {
    if (statusOf(error) === 416) return null;
    if (isChanged(error)) throw new ObjectStoreUnavailableError(`object ${key} was replaced while it was read`);
    throw portError(error, key);
  } finally {
    // A download that has begun has no deadline.
    clearTimeout(timer);
  }
}

async function* resumed(wanted: Wanted, first: Opened): AsyncIterable<Uint8Array> {
  let opened: Opened | null = first;
  let { start } = wanted;
  let broken = 0;
  while (opened) {
    try {
      for await (const chunk of watched(opened)) {
        start += chunk.byteLength;
        broken = 0;
        yield chunk;
      }
      return;
    } catch (error) {
      broken += 1;
      if (broken > RESUMPTIONS) throw outage(error);
      await sleep(100 * 2 ** broken);
    }
    if (start === wanted.end) return;
    opened = await open({ ...wanted, start, ...(first.etag && { ifMatch: first.etag }) });
  }
}

async function* watched({ body, idle }: Opened): AsyncIterable<Uint8Array> {
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      idle.refresh();
      yield chunk;
      idle.refresh();
    }
  } finally {
    clearTimeout(idle);
    body.destroy();
  }
}
