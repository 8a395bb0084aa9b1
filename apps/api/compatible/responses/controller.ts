import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import type { FastifyReply, FastifyRequest } from '../../http.js';
import { RateLimit } from '../../limits/decorators.js';
import { answer } from '../core/answer.js';
import { CompatibleCalls } from '../core/compatible-calls.js';
import { decodeResponses } from './decode.js';
import { recordedInput, recordedOutput } from './recorded.js';
import { Replay } from './replay.js';
import { wholeResponse } from './response.js';
import { ResponseStream } from './stream.js';

@ApiTags('OpenAI-compatible')
@Controller()
export class ResponsesController {
  constructor(
    private readonly calls: CompatibleCalls,
    private readonly replay: Replay,
  ) {}

  @Post(['v1/responses', 'v1/v1/responses'])
  @HttpCode(200)
  @RateLimit('inference')
  @ApiOperation({ summary: 'Ask a decoder, or an encoder, in the shapes of the OpenAI Responses API' })
  async run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const decoded = await this.replay.complete(request.caller!, decodeResponses(request.body));
    const { body } = decoded;
    return answer(this.calls, request, reply, {
      call: { request: decoded, format: 'openai', input: () => recordedInput(body), output: recordedOutput },
      encode: (started) => wholeResponse(started, body),
      stream: (started) => new ResponseStream(started, body),
    });
  }
}
