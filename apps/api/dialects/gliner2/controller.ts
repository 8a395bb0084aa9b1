import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { MODEL_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyRequest } from '../../edge/http.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { decodeGliner2Request } from './decode.js';
import { Gliner2Body, Gliner2Response } from './dto.js';
import { incoming } from '../shared/incoming.js';
import { Gliner2Service } from './service.js';

@ApiTags('Inference')
@ReadingNeeds('history')
@Controller()
export class Gliner2Controller {
  constructor(private readonly gliner2: Gliner2Service) {}

  @Post('gliner-2')
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('gliner-2')
  @ApiOperation({
    summary: 'The route of the GLiNER2 API client: runs the default encoder, or the one that `model` names',
  })
  @ApiBody({ type: Gliner2Body })
  @ApiOkResponse({ type: Gliner2Response })
  run(@Req() request: FastifyRequest) {
    return this.gliner2.run(incoming(request, decodeGliner2Request(request.body)));
  }
}
