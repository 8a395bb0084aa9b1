import { Controller, Get, HttpCode, Put, Req, Res } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { hash } from 'node:crypto';
import { Application } from '#application/application.js';
import { NotFoundError } from '#domain/errors.js';
import {
  AddressRefusedError,
  ObjectNotFoundError,
  ObjectSealedError,
  ObjectTooLargeError,
  servesItsAddresses,
  type ServedObjectStore,
  type SignedAddress,
} from '#ports/object-store/port.js';
import { Public } from '../../edge/auth/index.js';
import { encodingOf } from '../../edge/body/body-encoding.js';
import { badRequest, HttpError } from '../../edge/errors/index.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { StreamBody } from '../../edge/route-config.js';
import { sendFile } from '../../edge/send-file.js';
import { announcedLength, streamedBody } from '../../edge/body/streamed-body.js';
import { AnyQuery } from '../../edge/validation/index.js';
import { acceptUpload } from './accept-upload.js';

const PREFIX = '/objects/';

/** Files are stored unchanged. Only gzip is recognized by its first bytes when they are read. */
const FILE_ENCODINGS = ['gzip'] as const;

/**
 * Signed addresses of objects, for object stores without a server of their own. The signature is the permission;
 * content is streamed and never buffered. Not in the OpenAPI document: clients receive complete addresses.
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
      encodingOf(request.headers['content-encoding'], FILE_ENCODINGS);
      const [address, content] = [addressOf(request), streamedBody(request)];
      const { size, sha256 } = await acceptUpload(
        this.application,
        this.store,
        address,
        content,
        announcedLength(request),
      );
      return { size, sha256 };
    } catch (error) {
      if (raw.errored ?? raw.readableAborted)
        throw badRequest('the upload ended before the file was complete', { cause: error });
      raw.resume();
      throw asHttpError(error);
    }
  }

  @Get('*')
  @Public()
  @AnyQuery()
  async get(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const address = addressOf(request);
    try {
      const { size, version, fileName, read } = await this.store.openGet(address);
      const etag = `"${hash('sha256', `${address.key}\n${version}`, 'base64url').slice(0, 27)}"`;
      await sendFile(request, reply, { mediaType: 'application/octet-stream', fileName, size, etag, read });
    } catch (error) {
      throw asHttpError(error);
    }
  }

  private get store(): ServedObjectStore {
    const { objectStore } = this.application.ports;
    if (!servesItsAddresses(objectStore)) throw new NotFoundError('route', '/objects');
    return objectStore;
  }
}

function addressOf(request: FastifyRequest): SignedAddress {
  const [path = ''] = request.url.split('?', 1);
  // Keys need no escapes; an address with any is foreign, and fails its signature.
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
    return new HttpError(404, 'this object no longer exists', { code: 'not_found' });
  if (error instanceof ObjectTooLargeError)
    return new HttpError(413, `the file is larger than ${error.maxBytes} bytes, the maximum for this address`, {
      code: 'request_too_large',
    });
  if (['ENOSPC', 'EDQUOT'].includes((error as NodeJS.ErrnoException).code ?? ''))
    return new HttpError(503, 'there is no room for this file now; try again later', {
      code: 'unavailable',
      cause: error,
    });
  return error;
}
