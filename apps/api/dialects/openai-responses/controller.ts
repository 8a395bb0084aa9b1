import { Controller, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Caller } from '#application/caller.js';
import { InvalidError } from '#domain/errors.js';
import type { JsonObject } from '#domain/json.js';
import { BodyLimit, MODEL_INPUT } from '../../body-limits.js';
import { CurrentCaller } from '../../auth/decorators.js';
import type { FastifyReply, FastifyRequest } from '../../http.js';
import { RateLimit } from '../../limits/decorators.js';
import { answer } from '../shared/answer.js';
import { recordedInput } from '../shared/caller-body.js';
import { CompatibleCalls } from '../shared/compatible-calls.js';
import { decodeResponses } from './decode.js';
import { ResponseItems, ResponseItemsQuery, ResponseObject, RetrieveResponseQuery } from './dto-answer.js';
import { ResponsesBody } from './dto.js';
import { recordedOutput } from './recorded.js';
import { Replay } from './replay.js';
import { wholeResponse } from './response.js';
import { inputItems, retrievedResponse } from './retrieved.js';
import { StoredResponses } from './stored-responses.js';
import { ResponseStream } from './stream.js';
import { KnownQuery } from '../../validation/index.js';

@ApiTags('OpenAI-compatible')
@ApiExtraModels(ResponseObject)
@Controller()
export class ResponsesController {
  constructor(
    private readonly calls: CompatibleCalls,
    private readonly replay: Replay,
    private readonly stored: StoredResponses,
  ) {}

  @Post(['v1/responses', 'v1/v1/responses'])
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @RateLimit('inference')
  @ApiOperation({ summary: 'Ask a decoder, or an encoder, in the shapes of the OpenAI Responses API' })
  @ApiBody({ type: ResponsesBody })
  @ApiOkResponse({
    description: 'Whole, or with `stream: true` as named events, the last of which is `response.completed`',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ResponseObject) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  async run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const decoded = await this.replay.complete(request.caller!, decodeResponses(request.body));
    const { body } = decoded;
    return answer(this.calls, request, reply, {
      call: { request: decoded, format: 'openai', input: () => recordedInput(body), output: recordedOutput },
      encode: (started) => wholeResponse(started, body),
      stream: (started) => new ResponseStream(started, body),
    });
  }

  @Get(['v1/responses/:id', 'v1/v1/responses/:id'])
  @ApiOperation({ summary: 'A stored response' })
  @ApiOkResponse({ type: ResponseObject })
  async get(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @KnownQuery() { stream }: RetrieveResponseQuery,
  ): Promise<JsonObject> {
    if (stream) {
      const message = 'must not be true: a response is not streamed again';
      throw new InvalidError({ path: ['query', 'stream'], message, type: 'not_allowed' });
    }
    return retrievedResponse(await this.stored.find(caller, id));
  }

  @Get(['v1/responses/:id/input_items', 'v1/v1/responses/:id/input_items'])
  @ApiOperation({ summary: 'What was sent as the input of a stored response, without that of the turns before it' })
  @ApiOkResponse({ type: ResponseItems })
  async items(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @KnownQuery() query: ResponseItemsQuery,
  ): Promise<JsonObject> {
    return inputItems(await this.stored.find(caller, id), query);
  }
}
