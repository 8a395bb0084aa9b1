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

/** Fastify refuses a Content-Type that is none before any parser sees it; what is streamed may be called anything. */
function takeAnyMediaType(fastify: FastifyInstance): void {
  fastify.addHook('onRoute', (route) => {
    if (!(route.config as { streamBody?: boolean } | undefined)?.streamBody) return;
    route.onRequest = (request, _reply, done) => {
      request.raw.headers['content-type'] = 'application/octet-stream';
      done();
    };
  });
}
