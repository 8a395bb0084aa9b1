import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule } from '@nestjs/swagger';

/** The OpenAPI document at `/openapi.json` and a page for reading it at `/docs`; made when it is first asked for. */
export function serveDocumentation(app: NestFastifyApplication): void {
  const config = new DocumentBuilder()
    .setTitle('Anneal')
    .setDescription('Turns labelled examples into small task models, serves them, and records every call.')
    .setVersion('1')
    .addApiKey({ type: 'apiKey', in: 'header', name: 'X-API-Key' }, 'key')
    .addBearerAuth({ type: 'http', description: 'An API key, or a session token.' }, 'bearer')
    .addCookieAuth('anneal_session', { type: 'apiKey', in: 'cookie' }, 'session')
    .addSecurityRequirements('key')
    .addSecurityRequirements('bearer')
    .build();
  SwaggerModule.setup('docs', app, () => SwaggerModule.createDocument(app, config), {
    jsonDocumentUrl: 'openapi.json',
    raw: ['json'],
    customSiteTitle: 'Anneal API',
  });
}
