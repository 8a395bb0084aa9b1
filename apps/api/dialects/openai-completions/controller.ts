import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { TOKEN_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { InProcessRoute, SentBody } from '../../edge/in-process.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { answer, wholeAnswer, type Answering } from '../shared/answer.js';
import { recordedInput } from '../shared/caller-body.js';
import { CompatibleCalls } from '../shared/compatible-calls.js';
import { decodeCompletion } from './decode.js';
import { TextCompletion, TextCompletionBody } from './dto.js';
import { recordedTexts, textCompletion } from './encode.js';
import { CompletionStream } from './stream.js';

@ApiTags('OpenAI-compatible')
@ApiExtraModels(TextCompletion)
@ReadingNeeds('history')
@Controller()
export class CompletionsController implements InProcessRoute {
  constructor(private readonly calls: CompatibleCalls) {}

  @Post('v1/completions')
  @BodyLimit(TOKEN_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Continues texts with a decoder, in the format of the OpenAI API' })
  @ApiBody({ type: TextCompletionBody })
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(TextCompletion) } },
      'text/event-stream': { schema: { $ref: getSchemaPath(TextCompletion) } },
    },
  })
  run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answer(this.calls, request, reply, answering(request.body));
  }

  whole(from: SentBody): Promise<object> {
    return wholeAnswer(this.calls, from, answering(from.sent));
  }
}

function answering(body: unknown): Answering {
  const decoded = decodeCompletion(body);
  return {
    call: { request: decoded, format: 'openai', input: () => recordedInput(body), output: recordedTexts },
    encode: textCompletion,
    stream: (begun) => new CompletionStream(begun, decoded.includeUsage),
  };
}
