import { Controller, Get, HttpCode, Inject, Res } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import { explainHealth, LIVE, readiness, type HealthSource } from '#health/health.js';
import { Public } from '../auth/decorators.js';
import { AnyQuery } from '../validation/index.js';
import { HealthExplained, HealthStatus, Readiness } from './dto.js';
import type { FastifyReply } from '../http.js';

/** Injection token of the list of `HealthSource`s. */
export const HEALTH_SOURCES = Symbol('health sources');

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(@Inject(HEALTH_SOURCES) private readonly sources: readonly HealthSource[]) {}

  @Get()
  @AnyQuery()
  @Public()
  @ApiOperation({ summary: 'How each part is: 200 when all work, 503 when one does not' })
  @ApiOkResponse({ type: HealthExplained })
  @ApiServiceUnavailableResponse({ type: HealthExplained })
  async explain(@Res() reply: FastifyReply): Promise<void> {
    const health = await explainHealth(this.sources);
    await reply.code(health.status === 'ok' ? 200 : 503).send(health);
  }

  @Get('live')
  @AnyQuery()
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'The process runs; asks nothing that it depends on' })
  @ApiOkResponse({ type: HealthStatus })
  live(): HealthStatus {
    return LIVE;
  }

  @Get('ready')
  @AnyQuery()
  @Public()
  @ApiOperation({ summary: '200 when requests can be served now, else 503' })
  @ApiOkResponse({ type: Readiness })
  @ApiServiceUnavailableResponse({ type: Readiness })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const ready = await readiness(this.sources);
    await reply.code(ready.status === 'ok' ? 200 : 503).send(ready);
  }
}
