import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import { MODEL_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { answer } from '../shared/answer.js';
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
export class ChatCompletionsController {
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
    const decoded = decodeChat(request.body);
    return answer(this.calls, request, reply, {
      call: {
        request: decoded,
        format: 'openai',
        input: () => recordedInput(request.body),
        output: (produced) => recordedMessages(produced, decoded),
      },
      encode: (started) => chatCompletion(started, decoded),
      stream: (started) => new ChatStream(started, decoded),
    });
  }
}
