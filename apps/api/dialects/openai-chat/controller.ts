import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { MODEL_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { InProcessRoute, SentBody } from '../../edge/in-process.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { answer, wholeAnswer, type Answering } from '../shared/answer.js';
import { recordedInput } from '../shared/caller-body.js';
import { CompatibleCalls } from '../shared/compatible-calls.js';
import { ChatCompletion, ChatCompletionChunk } from './answer-dto.js';
import { decodeChat } from './decode.js';
import { ChatCompletionBody } from './dto.js';
import { chatCompletion, recordedMessages } from './encode.js';
import { ChatStream } from './stream.js';

@ApiTags('OpenAI-compatible')
@ApiExtraModels(ChatCompletion, ChatCompletionChunk)
@ReadingNeeds('history')
@Controller()
export class ChatCompletionsController implements InProcessRoute {
  constructor(private readonly calls: CompatibleCalls) {}

  @Post(['v1/chat/completions', 'v1/v1/chat/completions'])
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Chats with a decoder or queries an encoder, in the format of the OpenAI API' })
  @ApiBody({ type: ChatCompletionBody })
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ChatCompletion) } },
      'text/event-stream': { schema: { $ref: getSchemaPath(ChatCompletionChunk) } },
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
  const decoded = decodeChat(body);
  return {
    call: {
      request: decoded,
      format: 'openai',
      input: () => recordedInput(body),
      output: (produced) => recordedMessages(produced, decoded),
    },
    encode: (begun) => chatCompletion(begun, decoded),
    stream: (begun) => new ChatStream(begun, decoded),
  };
}
