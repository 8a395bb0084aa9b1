import { Controller, Get, HttpCode, Put, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { PassThrough, Readable } from 'node:stream';
import { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import { attachment } from '#ports/object-store/attachment.js';
import {
  AddressRefusedError,
  ObjectNotFoundError,
  ObjectSealedError,
  ObjectTooLargeError,
  servesItsAddresses,
  type ServedObjectStore,
  type SignedAddress,
} from '#ports/object-store/port.js';
import { Public } from '../auth/index.js';
import { badRequest, HttpError } from '../errors/index.js';
import type { FastifyReply, FastifyRequest } from '../http.js';
import { StreamBody } from '../route-config.js';
import { AnyQuery } from '../validation/index.js';
import { acceptUpload } from './accept-upload.js';

const PREFIX = '/objects/';

/**
 * Signed addresses of objects, where the object store has no server of its own. The signature is the permission; content
 * is streamed and never held. Not in the OpenAPI document: such addresses are given out whole.
 */
@ApiExcludeController()
@Controller('objects')
export class ObjectsController {
  constructor(private readonly application: Application) {}

  @Put('*')
  @Public()
  @AnyQuery()
  @StreamBody()
  @HttpCode(200)
  async put(@Req() request: FastifyRequest): Promise<{ readonly size: number; readonly sha256: string }> {
    const { raw } = request;
    try {
      const [address, content] = [addressOf(request), uploaded(request)];
      const { size, sha256 } = await acceptUpload(this.application, this.store, address, content, lengthOf(request));
      return { size, sha256 };
    } catch (error) {
      if (raw.errored ?? raw.readableAborted) throw badRequest('the upload broke off before its end', { cause: error });
      raw.resume();
      throw asHttpError(error);
    }
  }

  @Get('*')
  @Public()
  @AnyQuery()
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const { content, size, fileName } = await this.store.openGet(addressOf(request)).catch((error: unknown) => {
      throw asHttpError(error);
    });
    await reply
      .header('content-type', 'application/octet-stream')
      .header('content-length', size)
      .header('content-disposition', attachment(fileName))
      .send(Readable.from(content));
  }

  private get store(): ServedObjectStore {
    const { objectStore } = this.application.ports;
    if (!servesItsAddresses(objectStore)) throw new NotFoundError('route', '/objects');
    return objectStore;
  }
}

/** A body as it comes, for as long as it moves. Leaving it early does not close the connection before the client has read why. */
function uploaded({ raw, server }: FastifyRequest): AsyncIterable<Uint8Array> {
  const content = new PassThrough();
  server.connections.reads(raw, null, (error) => {
    raw.unpipe(content);
    content.destroy(error);
  });
  raw.once('error', (error) => content.destroy(error));
  return raw.pipe(content);
}

/** null if the client did not say. */
function lengthOf({ headers }: FastifyRequest): number | null {
  const length = Number(headers['content-length'] ?? 'none');
  return Number.isSafeInteger(length) && length >= 0 ? length : null;
}

function addressOf(request: FastifyRequest): SignedAddress {
  const [path = ''] = request.url.split('?', 1);
  // Keys need no escapes; an address with any is not one of ours, and fails its signature.
  return { key: path.slice(PREFIX.length), query: firstOfEach(request.query as Record<string, unknown>) };
}

const firstOfEach = (query: Record<string, unknown>): Record<string, string | undefined> =>
  Object.fromEntries(
    Object.entries(query).map(([name, value]) => [name, typeof value === 'string' ? value : undefined]),
  );

function asHttpError(error: unknown): unknown {
  if (error instanceof AddressRefusedError) return new HttpError(403, error.message, { code: 'forbidden' });
  if (error instanceof ObjectSealedError) return new HttpError(409, error.message, { code: 'conflict' });
  if (error instanceof ObjectNotFoundError)
    return new HttpError(404, 'this object is no longer there', { code: 'not_found' });
  if (error instanceof ObjectTooLargeError)
    return new HttpError(413, `the file is larger than ${error.maxBytes} bytes, the most that this address takes`, {
      code: 'request_too_large',
    });
  if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? ''))
    return new HttpError(503, 'there is no room for this file now; try again later', {
      code: 'unavailable',
      cause: error,
    });
  return error;
}
