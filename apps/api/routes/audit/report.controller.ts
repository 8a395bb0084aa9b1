import { Controller, Get, Req, Res } from '@nestjs/common';
import { ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { markdownOf } from '#use-cases/reports/markdown.js';
import { MakeReports } from '#use-cases/reports/queries.js';
import { UseCases } from '#use-cases/use-cases.js';
import { CurrentCaller, ReadingNeeds } from '../../edge/auth/index.js';
import { untilClientGone } from '../../edge/client-gone.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { KnownQuery } from '../../edge/validation/index.js';
import { ReportList, ReportQuery } from './report-dto.js';

@ApiTags('Event log')
@ApiExtraModels(ReportList)
@ReadingNeeds('audit')
@Controller('audit')
export class ReportController {
  constructor(private readonly useCases: UseCases) {}

  @Get('report')
  @ApiOperation({
    summary: 'Reports for auditors, made from the log: model cards, logs of calls, access review, incidents',
  })
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ReportList) } },
      'text/markdown': { schema: { type: 'string' } },
    },
  })
  async report(
    @CurrentCaller() caller: Caller,
    @KnownQuery() query: ReportQuery,
    @Req() request: FastifyRequest,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { kind = null, model = null, since = null, until = null, position: asOf = null, format } = query;
    const asked = { kind, model, since, until, asOf };
    const reports = await untilClientGone(request, (gone) =>
      this.useCases.execute(new MakeReports(caller, { ...asked, gone })),
    );
    if (format !== 'markdown') return void (await reply.send({ reports }));
    await reply.header('content-type', 'text/markdown; charset=utf-8').send(reports.map(markdownOf).join('\n'));
  }
}
