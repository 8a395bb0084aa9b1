import { Module } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { ObjectsController } from './objects.controller.js';

@Module({ controllers: [ObjectsController] })
export class ObjectsModule {
  constructor(host: HttpAdapterHost) {
    takeAnyMediaType(host.httpAdapter.getInstance<FastifyInstance>());
  }
}

/**
 * Accepts any media type, because uploads are streamed unparsed. Fastify would refuse an invalid Content-Type before
 * any parser.
 */
function takeAnyMediaType(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (!(route.config as { streamBody?: boolean } | undefined)?.streamBody) return;
    route.onRequest = (request, _reply, done) => {
      request.raw.headers['content-type'] = 'application/octet-stream';
      done();
    };
  });
}
