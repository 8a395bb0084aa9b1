import { Controller, Delete, Get, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import { ApiBody, ApiExtraModels, ApiOkResponse, ApiOperation, ApiTags, getSchemaPath } from '@nestjs/swagger';
import type { Caller, RequestIdentity } from '#application/caller.js';
import { Models } from '#calls/models.js';
import { ConflictError, InvalidError } from '#domain/errors.js';
import type { JsonObject, Json } from '#domain/json.js';
import { MODEL_INPUT } from '#calls/input-bounds.js';
import { BodyLimit } from '../../edge/body/body-limits.js';
import { CurrentCaller, Identity, Needs, ReadingNeeds } from '../../edge/auth/index.js';
import type { FastifyReply, FastifyRequest } from '../../edge/http.js';
import { EraseContent } from '#use-cases/inferences/commands/erase.js';
import { untilClientGone } from '../../edge/client-gone.js';
import type { InProcessRoute, SentBody } from '../../edge/in-process.js';
import { LimitedAs } from '../../edge/limits/decorators.js';
import { answer, wholeAnswer, type Answering } from '../shared/answer.js';
import { recordedInput } from '../shared/caller-body.js';
import { CompatibleCalls } from '../shared/compatible-calls.js';
import { compactedResponse, recordedCompaction, summaryRequest } from './compaction.js';
import { decodeResponses } from './decode.js';
import {
  CompactedResponse,
  DeletedResponse,
  ResponseInputTokens,
  ResponseItems,
  ResponseItemsQuery,
  ResponseObject,
  RetrieveResponseQuery,
} from './dto-answer.js';
import { ResponsesBody } from './dto.js';
import { Replay } from './replay.js';
import { wholeResponse } from './response.js';
import { inputItems, retrievedResponse } from './retrieved.js';
import { StoredResponses } from './stored-responses.js';
import { ResponseStream } from './stream.js';
import { ReadsContent } from '../../edge/reads/decorator.js';
import { KnownQuery } from '../../edge/validation/index.js';
import type { Produced } from '#calls/index.js';
import type { CalledTools } from './called-tools.js';
import { endOf, outputItems } from './output.js';
import { Reasoned } from '../../edge/why.js';
import { MayNeedTwo } from '../../edge/two-people.js';
import { UseCases } from '#use-cases/use-cases.js';

@ApiTags('OpenAI-compatible')
@ApiExtraModels(ResponseObject)
@ReadingNeeds('history')
@Controller()
export class ResponsesController implements InProcessRoute {
  constructor(
    private readonly calls: CompatibleCalls,
    private readonly replay: Replay,
    private readonly useCases: UseCases,
    private readonly stored: StoredResponses,
    private readonly models: Models,
  ) {}

  @Post('v1/responses')
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Queries a decoder or an encoder, in the format of the OpenAI Responses API' })
  @ApiBody({ type: ResponsesBody })
  @ApiOkResponse({
    description: 'One JSON object; with `stream: true`, named events, the last of which is `response.completed`',
    content: {
      'application/json': { schema: { $ref: getSchemaPath(ResponseObject) } },
      'text/event-stream': { schema: { type: 'string' } },
    },
  })
  async run(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return answer(this.calls, request, reply, await this.answering(request.caller!, request.body));
  }

  async whole(from: SentBody): Promise<object> {
    return wholeAnswer(this.calls, from, await this.answering(from.caller, from.sent));
  }

  private async answering(caller: Caller, sent: unknown): Promise<Answering> {
    const decoded = await this.replay.complete(caller, decodeResponses(sent));
    const { body, called } = decoded;
    return {
      call: { request: decoded, format: 'openai', input: () => recordedInput(body), output: recordedOutput(called) },
      encode: (begun) => wholeResponse(begun, decoded),
      stream: (begun) => new ResponseStream(begun, decoded),
    };
  }

  @Post('v1/responses/compact')
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Summarises a conversation with a decoder; the answer is the input of the next request' })
  @ApiBody({ type: ResponsesBody })
  @ApiOkResponse({ type: CompactedResponse })
  async compact(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    const decoded = decodeResponses(request.body);
    const { body, modelId, stream } = decoded;
    if (stream) throw notAllowed('stream', 'must not be true: a summary is answered whole');
    const { entry } = await this.models.resolve(request.caller!, modelId);
    if (entry.task_type !== 'decoder') throw notAllowed('model', `must be a decoder: ${modelId} writes no summary`);
    const { generation, earlierInputs } = await this.replay.complete(request.caller!, decoded);
    return answer(this.calls, request, reply, {
      call: {
        request: { ...decoded, generation: summaryRequest(generation) },
        ...{ format: 'openai', input: () => recordedInput(body), output: recordedCompaction },
      },
      encode: (started) => compactedResponse(started, [...earlierInputs, body['input']]),
      stream: (started) => new ResponseStream(started, decoded),
    });
  }

  @Post('v1/responses/input_tokens')
  @BodyLimit(MODEL_INPUT)
  @HttpCode(200)
  @Needs('inference')
  @LimitedAs('inference')
  @ApiOperation({ summary: 'Counts the input tokens of a response, earlier turns included' })
  @ApiBody({ type: ResponsesBody })
  @ApiOkResponse({ type: ResponseInputTokens })
  async count(@Req() request: FastifyRequest): Promise<ResponseInputTokens> {
    const caller = request.caller!;
    const decoded = await this.replay.complete(caller, decodeResponses(request.body));
    return untilClientGone(request, async (signal) => ({
      object: 'response.input_tokens',
      input_tokens: await this.calls.countTokens({ caller, request: decoded, signal }),
    }));
  }

  @Post('v1/responses/:id/cancel')
  @HttpCode(200)
  @ApiOperation({ summary: 'Always refused: only background responses can be cancelled, and there are none' })
  @ApiOkResponse({ type: ResponseObject })
  async cancel(@CurrentCaller() caller: Caller, @Param('id') id: string): Promise<JsonObject> {
    await this.stored.find(caller, id);
    throw new ConflictError(`response ${id} has ended; to cancel a running one, close its connection`);
  }

  @Get('v1/responses/:id')
  @ReadsContent('call/{resp_:id}')
  @ApiOperation({ summary: 'A stored response' })
  @ApiOkResponse({ type: ResponseObject })
  async get(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @KnownQuery() { stream }: RetrieveResponseQuery,
  ): Promise<JsonObject> {
    if (stream) throw notAllowed('stream', 'must not be true: a response is not streamed again', 'query');
    return retrievedResponse(await this.stored.find(caller, id));
  }

  @Delete('v1/responses/:id')
  @Reasoned()
  @ApiOperation({ summary: 'Erases the content of a stored response and its input; the record of its cost stays' })
  @MayNeedTwo()
  @ApiOkResponse({ type: DeletedResponse })
  async remove(
    @CurrentCaller() caller: Caller,
    @Identity() identity: RequestIdentity,
    @Param('id') id: string,
  ): Promise<DeletedResponse> {
    const { inferenceId } = await this.stored.find(caller, id);
    await this.useCases.execute(new EraseContent(caller, identity, { id: inferenceId, hidesAtLeast: true }));
    return { id, object: 'response', deleted: true };
  }

  @Get('v1/responses/:id/input_items')
  @ReadsContent('call/{resp_:id}')
  @ApiOperation({ summary: 'The input of a stored response, without the input of earlier turns' })
  @ApiOkResponse({ type: ResponseItems })
  async items(
    @CurrentCaller() caller: Caller,
    @Param('id') id: string,
    @KnownQuery() query: ResponseItemsQuery,
  ): Promise<JsonObject> {
    return inputItems(await this.stored.find(caller, id), query);
  }
}

const notAllowed = (field: string, message: string, where: 'body' | 'query' = 'body'): InvalidError =>
  new InvalidError({ path: [where, field], message, type: 'not_allowed' });

/** The output shown in the history. */
const recordedOutput =
  (called: CalledTools) =>
  ({ choices }: Produced): Json => {
    const choice = choices[0]!;
    return { ...endOf(choice), output: outputItems(choice, called) as JsonObject[] };
  };
