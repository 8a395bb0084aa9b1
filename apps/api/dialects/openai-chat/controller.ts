import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { MODEL_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { InProcessRoute, SentBody } from '../../edge/in-process.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { answer, wholeAnswer, type Answering } from '../shared/answer.js';
import { recordedInput } from '../shared/caller-body.js';
import { decodeResponses } from '../openai-responses/decode.js';
import { Replay } from '../openai-responses/replay.js';
import { CompatibleCalls } from '../shared/compatible-calls.js';
import type { CompatibleRequest } from '../shared/request.js';
import { ChatCompletion, ChatCompletionChunk } from './answer-dto.js';
import { decodeChat } from './decode.js';
import { ChatCompletionBody } from './dto.js';
import { chatCompletion, recordedMessages } from './encode.js';
import { asChatCompletion, isResponsesBody, withoutUsage } from './other-shapes.js';
import { ChatStream, type ChatSpeech } from './stream.js';

type Fields = Readonly<Record<string, unknown>>;

@ApiTags('OpenAI-compatible')
@ApiExtraModels(ChatCompletion, ChatCompletionChunk)
@ReadingNeeds('history')
@Controller()
export class ChatCompletionsController implements InProcessRoute {
  constructor(
    private readonly calls: CompatibleCalls,
    private readonly replay: Replay,
  ) {}

  @Post('v1/chat/completions')
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
  async run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answer(this.calls, request, reply, await this.answering(request.caller!, request.body));
  }

  async whole(from: SentBody): Promise<object> {
    return wholeAnswer(this.calls, from, await this.answering(from.caller, from.sent));
  }

  private answering(caller: Caller, body: unknown): Answering | Promise<Answering> {
    return isResponsesBody(body) ? this.ofResponses(caller, body) : ofChat(body);
  }

  private async ofResponses(caller: Caller, body: Fields): Promise<Answering> {
    const { includeUsage, ...rest } = withoutUsage(body);
    const request = await this.replay.complete(caller, decodeResponses(rest.body));
    return answering(body, request, { hasFunctions: false, customTools: new Set(), includeUsage });
  }
}

function ofChat(body: unknown): Answering {
  const decoded = decodeChat(asChatCompletion(body));
  return answering(body, decoded, decoded);
}

const answering = (body: unknown, request: CompatibleRequest, speech: ChatSpeech): Answering => ({
  call: {
    ...{ request, format: 'openai' },
    input: () => recordedInput(body),
    output: (produced) => recordedMessages(produced, speech),
  },
  encode: (begun) => chatCompletion(begun, speech),
  stream: (begun) => new ChatStream(begun, speech),
});
