import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath, ApiExtraModels } from '@nestjs/swagger';
import { MODEL_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { untilClientGone } from '../../edge/client-gone.js';
import { DecoderInferenceBody, DecoderInferenceResponse } from './decoder-dto.js';
import { EncoderInferenceBody, EncoderInferenceResponse } from './dto.js';
import { nameAnswering, nameDropped } from '../shared/answer.js';
import { incoming } from '../shared/incoming.js';
import { InferenceService } from './service.js';
import { decodeNativeRequest } from './decode.js';
import type { EncoderRequest } from '#calls/encoder-request.js';

@ApiTags('Inference')
@ApiExtraModels(EncoderInferenceBody, DecoderInferenceBody, EncoderInferenceResponse, DecoderInferenceResponse)
@ReadingNeeds('history')
@Controller()
export class InferenceController {
  constructor(private readonly inference: InferenceService) {}

  // The raw request: pipes and parameter decorators would cost more than the model does.
  @Post('inference')
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({
    summary: 'Runs an encoder on a text or a batch of texts, or a decoder on messages',
    description: '`Idempotency-Key` is accepted and ignored. `messages` makes the request a decoder call.',
  })
  @ApiBody({
    schema: { anyOf: [{ $ref: getSchemaPath(EncoderInferenceBody) }, { $ref: getSchemaPath(DecoderInferenceBody) }] },
  })
  @ApiOkResponse({
    schema: {
      oneOf: [{ $ref: getSchemaPath(EncoderInferenceResponse) }, { $ref: getSchemaPath(DecoderInferenceResponse) }],
    },
  })
  run(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply) {
    const decoded = decodeNativeRequest(request.body);
    // Watching the client costs more than a short text does.
    if (decoded.kind === 'encoder' && !isLong(decoded)) return this.inference.run(incoming(request, decoded));
    return untilClientGone(request, (signal) =>
      this.inference.run(incoming(request, decoded, signal), (dropped, cascade) => {
        nameDropped(reply, dropped);
        if (cascade) nameAnswering(reply, cascade);
      }),
    );
  }
}

/** Whether the request takes more than about 0.2 s of work. */
const isLong = ({ texts }: EncoderRequest): boolean => texts.reduce((sum, { length }) => sum + length, 0) > 10_000;
