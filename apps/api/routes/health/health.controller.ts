import { Controller, Get, HttpCode, Inject, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheckService } from '@nestjs/terminus';
import { LIVE, readinessOf, reported, withDamage, type Health, type HealthSource } from '#primitives/health/health.js';
import { Public } from '../../edge/auth/decorators.js';
import { AnyQuery } from '../../edge/validation/index.js';
import { HealthExplained, HealthStatus, Readiness } from './dto.js';
import type { FastifyReply } from '../../edge/http.js';

/** Injection token of the list of `HealthSource`s. */
export const HEALTH_SOURCES = Symbol('health sources');

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly terminus: HealthCheckService,
    @Inject(HEALTH_SOURCES) private readonly sources: readonly HealthSource[],
  ) {}

  @Get()
  @AnyQuery()
  @Public()
  @ApiOperation({ summary: 'The state of each component: 200 if all work, otherwise 503' })
  @ApiOkResponse({ type: HealthExplained })
  @ApiServiceUnavailableResponse({ type: HealthExplained })
  async explain(@Res() reply: FastifyReply): Promise<void> {
    const health = await this.health();
    await reply.code(health.status === 'error' ? 503 : 200).send(health);
  }

  @Get('live')
  @AnyQuery()
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: '200 while the process runs; checks no dependency' })
  @ApiOkResponse({ type: HealthStatus })
  live(): HealthStatus {
    return LIVE;
  }

  @Get('ready')
  @AnyQuery()
  @Public()
  @ApiOperation({ summary: '200 if requests can be served now, otherwise 503' })
  @ApiOkResponse({ type: Readiness })
  @ApiServiceUnavailableResponse({ type: Readiness })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const ready = readinessOf(await this.health());
    await reply.code(ready.status === 'ok' ? 200 : 503).send(ready);
  }

  private async health(): Promise<Health> {
    try {
      const health = await this.terminus.check(
        this.sources.map((source) => async () => ({ [source.name]: await reported(source) })),
      );
      return withDamage(health as Health);
    } catch (error) {
      // Terminus throws an exception with the whole result if a part is down.
      if (error instanceof ServiceUnavailableException) return error.getResponse() as Health;
      throw error;
    }
  }
}
