import 'reflect-metadata';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** What the inference route is compared with: a route of Nest on Fastify that parses a body and answers one, no more. */

@Controller()
class EchoController {
  @Post('inference')
  echo(@Body() body: { text: string }) {
    return { type: 'encoder', result: { entities: { person: [{ text: body.text, start: 0, end: 5 }] } } };
  }
}

@Module({ controllers: [EchoController] })
class EchoModule {}

const app = await NestFactory.create<NestFastifyApplication>(EchoModule, new FastifyAdapter(), { logger: false });
await app.listen(0, '127.0.0.1');
console.log(await app.getUrl());
process.once('SIGTERM', () => void app.close().then(() => process.exit(0)));
