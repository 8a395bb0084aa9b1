import 'reflect-metadata';
import { Controller, HttpCode, Module, Post, Req, Res } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Agent, request as send } from 'undici';

/** The baseline of the gateway: a Nest route on Fastify that forwards a parsed body and pipes the answer back. */

const upstream = process.argv[2]!;
const dispatcher = new Agent({ connections: 256 });

@Controller()
class ProxyController {
  @Post('v1/chat/completions')
  @HttpCode(200)
  async proxy(@Req() { body }: FastifyRequest, @Res() reply: FastifyReply) {
    const answer = await send(`${upstream}/v1/chat/completions`, {
      ...{ method: 'POST', dispatcher },
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    void reply.header('content-type', answer.headers['content-type']).send(answer.body);
  }
}

@Module({ controllers: [ProxyController] })
class ProxyModule {}

const app = await NestFactory.create<NestFastifyApplication>(ProxyModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
console.log(await app.getUrl());
