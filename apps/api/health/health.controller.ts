import { Controller, Get, HttpCode, Inject, Res, ServiceUnavailableException } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiServiceUnavailableResponse, ApiTags } from '@nestjs/swagger';
import { HealthCheckService, type HealthCheckResult, type HealthIndicatorResult } from '@nestjs/terminus';
import { within } from '#deadline/within.js';
import { Public } from '../auth/decorators.js';
import { AnyQuery } from '../validation/index.js';
import { HealthExplained, HealthStatus, Readiness } from './dto.js';
import type { FastifyReply } from '../http.js';
import { HEALTH_SOURCES, type HealthReport, type HealthSource } from './health-source.js';

const CHECK_DEADLINE_MS = 2_000;

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(
    private readonly health: HealthCheckService,
    @Inject(HEALTH_SOURCES) private readonly sources: readonly HealthSource[],
  ) {}

  @Get()
  @AnyQuery()
  @Public()
  @ApiOperation({ summary: 'How each part is: 200 when all work, 503 when one does not' })
  @ApiOkResponse({ type: HealthExplained })
  @ApiServiceUnavailableResponse({ type: HealthExplained })
  async explain(@Res() reply: FastifyReply): Promise<void> {
    const result = await this.check();
    await reply.code(result.status === 'ok' ? 200 : 503).send(result);
  }

  @Get('live')
  @AnyQuery()
  @HttpCode(200)
  @Public()
  @ApiOperation({ summary: 'The process runs; asks nothing that it depends on' })
  @ApiOkResponse({ type: HealthStatus })
  live(): { readonly status: 'ok' } {
    return { status: 'ok' };
  }

  @Get('ready')
  @AnyQuery()
  @Public()
  @ApiOperation({ summary: '200 when requests can be served now, else 503' })
  @ApiOkResponse({ type: Readiness })
  @ApiServiceUnavailableResponse({ type: Readiness })
  async ready(@Res() reply: FastifyReply): Promise<void> {
    const { status, details } = await this.check();
    const writes: unknown = details['event-store']?.['writes'];
    await reply.code(status === 'ok' ? 200 : 503).send({
      status: status === 'ok' ? 'ok' : 'unavailable',
      ...(typeof writes === 'boolean' && { writes }),
    });
  }

  private async check(): Promise<HealthCheckResult> {
    try {
      return await this.health.check(this.sources.map((source) => () => indicate(source)));
    } catch (error) {
      // Terminus says "something is down" by an exception that holds the whole result.
      if (error instanceof ServiceUnavailableException) return error.getResponse() as HealthCheckResult;
      throw error;
    }
  }
}

async function indicate(source: HealthSource): Promise<HealthIndicatorResult> {
  const { status, details } = await checked(source);
  const result = { ...details, status: status === 'down' ? ('down' as const) : ('up' as const) };
  return { [source.name]: status === 'degraded' ? { ...result, degraded: true } : result };
}

class NoAnswerError extends Error {}

/** What does not answer in time is down, and so is what fails. */
async function checked(source: HealthSource): Promise<HealthReport> {
  const late = () => new NoAnswerError(`no answer in ${CHECK_DEADLINE_MS} ms`);
  try {
    return await within(CHECK_DEADLINE_MS, source.check(), late);
  } catch (error) {
    if (error instanceof NoAnswerError) return { status: 'down', details: { reason: error.message } };
    return { status: 'down', details: { reason: error instanceof Error ? error.name : 'unknown' } };
  }
}
