import { Controller, HttpCode, Post, Req } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags } from '@nestjs/swagger';
import { v7 as uuid7 } from 'uuid';
import type { JsonObject } from '#domain/json.js';
import type { FastifyRequest } from '../http.js';
import { RateLimit } from '../limits/decorators.js';
import { NativeInferenceBody, NativeInferenceResponse } from './dto.js';
import { InferenceService } from './inference.service.js';
import { decodeNativeRequest } from './native/decode.js';

@ApiTags('Inference')
@Controller()
export class InferenceController {
  constructor(private readonly inference: InferenceService) {}

  // The request as it is: pipes and parameter decorators would cost more than the model does.
  @Post('inference')
  @HttpCode(200)
  @RateLimit('inference')
  @ApiOperation({ summary: 'Run a model on a text or a batch of texts' })
  @ApiBody({ type: NativeInferenceBody })
  @ApiOkResponse({ type: NativeInferenceResponse })
  run(@Req() request: FastifyRequest) {
    const decoded = decodeNativeRequest(request.body);
    const identity = { requestId: request.id, commandId: uuid7(), repeated: false };
    return this.inference.run(request.caller!, identity, decoded, request.body as JsonObject);
  }
}
