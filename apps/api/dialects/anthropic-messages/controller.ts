import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiBody,
  ApiExtraModels,
  ApiHeader,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  getSchemaPath,
} from '@nestjs/swagger';
import { MODEL_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { untilClientGone } from '../../edge/client-gone.js';
import { Needs, ReadingNeeds } from '../../edge/auth/index.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { answer } from '../shared/answer.js';
import { recordedInput } from '../shared/caller-body.js';
import { CompatibleCalls } from '../shared/compatible-calls.js';
import type { CompatibleRequest } from '../shared/request.js';
import { decodeMessages } from './decode.js';
import { AnthropicCountTokensBody, AnthropicMessageAnswer, AnthropicMessagesBody, AnthropicTokenCount } from './dto.js';
import { messageOf, recordedMessage } from './encode.js';
import { MessageStream } from './stream.js';
import { headersOf, VERSIONS, versionOf } from './version.js';

const EVENTS =
  'With `stream`: `message_start`; for each block `content_block_start`, `content_block_delta`s and `content_block_stop`; ' +
  '`message_delta` with the usage; `message_stop`. An error in mid-stream ends the stream with `error`.';

const VersionHeader = () =>
  ApiHeader({
    name: 'anthropic-version',
    required: false,
    schema: { type: 'string', enum: [...VERSIONS], default: '2023-06-01' },
  });

@ApiTags('Anthropic-compatible')
@ApiExtraModels(AnthropicMessageAnswer)
@ReadingNeeds('history')
@Controller()
export class MessagesController {
  constructor(private readonly calls: CompatibleCalls) {}

  @Post('v1/messages')
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Chats with a decoder or queries an encoder, in the format of the Anthropic API' })
  @VersionHeader()
  @ApiBody({ type: AnthropicMessagesBody })
  @ApiOkResponse({
    content: {
      'application/json': { schema: { $ref: getSchemaPath(AnthropicMessageAnswer) } },
      'text/event-stream': { schema: { type: 'string', description: EVENTS } },
    },
  })
  run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const decoded = decode(request, true);
    return answer(this.calls, request, reply, {
      call: {
        request: decoded,
        format: 'anthropic',
        input: () => recordedInput(request.body),
        output: recordedMessage,
      },
      encode: messageOf,
      stream: (started) => new MessageStream(started),
    });
  }

  @Post('v1/messages/count_tokens')
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Counts the input tokens of a message' })
  @VersionHeader()
  @ApiBody({ type: AnthropicCountTokensBody })
  @ApiOkResponse({ type: AnthropicTokenCount })
  async count(@Req() request: FastifyRequest): Promise<{ input_tokens: number }> {
    const decoded = decode(request, false);
    const caller = request.caller!;
    return untilClientGone(request, async (signal) => ({
      input_tokens: await this.calls.countTokens({ caller, request: decoded, signal }),
    }));
  }
}

function decode(request: FastifyRequest, generates: boolean): CompatibleRequest {
  const version = versionOf(request);
  return decodeMessages(request.body, { version, headers: headersOf(version, request), generates });
}
