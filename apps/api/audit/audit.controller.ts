import { Controller, Get, Header } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import { ApiOkResponse, ApiOperation, ApiProduces, ApiTags } from '@nestjs/swagger';
import { Public } from '../auth/decorators.js';
import { ReadAuditKeys, ReadCheckpoint } from './queries.js';

const TEXT = 'text/plain; charset=utf-8';

/** Hashes and public keys only: whoever keeps them can prove later what the log was. */
@ApiTags('Event log')
@Controller('audit')
export class AuditController {
  constructor(private readonly queries: QueryBus) {}

  @Get('checkpoint')
  @Public()
  @Header('content-type', TEXT)
  @ApiProduces('text/plain')
  @ApiOperation({ summary: "The signed head of the log's audit tree (C2SP tlog-checkpoint)" })
  @ApiOkResponse({ type: String })
  checkpoint(): Promise<string> {
    return this.queries.execute(new ReadCheckpoint());
  }

  @Get('key')
  @Public()
  @Header('content-type', TEXT)
  @ApiProduces('text/plain')
  @ApiOperation({ summary: 'The public keys that checkpoints were signed with, a line each, the newest last' })
  @ApiOkResponse({ type: String })
  keys(): Promise<string> {
    return this.queries.execute(new ReadAuditKeys());
  }
}
