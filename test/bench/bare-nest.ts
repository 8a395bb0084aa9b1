import 'reflect-metadata';
import { Body, Controller, Module, Post } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';

/** The baseline of the inference route: a Nest route on Fastify that parses a body and answers one. */

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
