import { ApiExtraModels, ApiProperty, ApiPropertyOptional, getSchemaPath } from '@nestjs/swagger';
import { ANY_JSON } from '../../edge/validation/any-json.js';
import { PioneerNotes } from '../shared/extensions-dto.js';
import { QueryBoolean, QueryInteger, QueryOneOf, QueryText } from '../../edge/validation/index.js';

/** Classes for the answers of `/v1/responses`. */

const ITEM_STATUS = { enum: ['completed', 'incomplete'] };
const refTo = (one: new () => unknown) => ({ $ref: getSchemaPath(one) });
const LOGPROB = { type: 'object', additionalProperties: true } as const;

class ResponseOutputText {
  @ApiProperty({ enum: ['output_text'] }) type!: string;
  @ApiProperty() text!: string;
  @ApiProperty({ type: 'array', items: LOGPROB, description: '`url_citation`, of models that cite pages.' })
  annotations!: unknown[];
  @ApiProperty({ type: 'array', items: LOGPROB, description: 'Log probabilities of each token, if requested.' })
  logprobs!: object[];
}

class ResponseRefusal {
  @ApiProperty({ enum: ['refusal'] }) type!: string;
  @ApiProperty() refusal!: string;
}

@ApiExtraModels(ResponseOutputText, ResponseRefusal)
class ResponseMessage {
  @ApiProperty({ description: '`msg_...`, by which later input can refer to it.' }) id!: string;
  @ApiProperty({ enum: ['message'] }) type!: string;
  @ApiProperty(ITEM_STATUS) status!: string;
  @ApiProperty({ enum: ['assistant'] }) role!: string;
  @ApiProperty({ type: 'array', items: { oneOf: [refTo(ResponseOutputText), refTo(ResponseRefusal)] } })
  content!: unknown[];
}

class ResponseThought {
  @ApiProperty({ enum: ['summary_text'] }) type!: string;
  @ApiProperty() text!: string;
}

class ResponseReasoning {
  @ApiProperty({ description: '`rs_...`' }) id!: string;
  @ApiProperty({ enum: ['reasoning'] }) type!: string;
  @ApiProperty(ITEM_STATUS) status!: string;
  @ApiProperty({ type: [ResponseThought], description: "The model's reasoning, as far as it shows any." })
  summary!: ResponseThought[];

  @ApiPropertyOptional({
    description: 'Signature of the reasoning, or hidden reasoning; send it back unchanged. Absent if there is none.',
  })
  encrypted_content?: string;
}

const NAMESPACE = { description: 'Namespace of the tool, if it has one.' };

class ResponseFunctionCall {
  @ApiProperty({ description: '`fc_...`' }) id!: string;
  @ApiProperty({ enum: ['function_call'] }) type!: string;
  @ApiProperty(ITEM_STATUS) status!: string;
  @ApiProperty({ description: 'Links the call to its output.' }) call_id!: string;
  @ApiProperty() name!: string;
  @ApiPropertyOptional(NAMESPACE) namespace?: string;
  @ApiProperty({ description: 'JSON, as the model wrote it.' }) arguments!: string;
}

class ResponseCustomToolCall {
  @ApiProperty({ description: '`ctc_...`' }) id!: string;
  @ApiProperty({ enum: ['custom_tool_call'] }) type!: string;
  @ApiProperty(ITEM_STATUS) status!: string;
  @ApiProperty({ description: 'Links the call to its output.' }) call_id!: string;
  @ApiProperty() name!: string;
  @ApiPropertyOptional(NAMESPACE) namespace?: string;
  @ApiProperty({ description: 'As the model wrote it.' }) input!: string;
}

class ResponseInputTokensDetails {
  @ApiProperty({ type: 'integer' }) cached_tokens!: number;
  @ApiProperty({ type: 'integer' }) cache_write_tokens!: number;
}

class ResponseOutputTokensDetails {
  @ApiProperty({ type: 'integer' }) reasoning_tokens!: number;
}

class ResponseUsage {
  @ApiProperty({ type: 'integer', description: 'Includes cached tokens.' }) input_tokens!: number;
  @ApiProperty() input_tokens_details!: ResponseInputTokensDetails;
  @ApiProperty({ type: 'integer' }) output_tokens!: number;
  @ApiProperty() output_tokens_details!: ResponseOutputTokensDetails;
  @ApiProperty({ type: 'integer' }) total_tokens!: number;
}

class ResponseIncompleteDetails {
  @ApiProperty({ enum: ['max_output_tokens', 'content_filter'] }) reason!: string;
}

class ResponseFailure {
  @ApiProperty({ enum: ['server_error', 'rate_limit_exceeded'] }) code!: string;
  @ApiProperty() message!: string;
}

const OUTPUT = [ResponseMessage, ResponseReasoning, ResponseFunctionCall, ResponseCustomToolCall];
const ECHOED = 'The value in the request, or else the default.';

@ApiExtraModels(...OUTPUT)
export class ResponseObject {
  @ApiProperty({ description: '`resp_` and the inference id.' }) id!: string;
  @ApiProperty({ enum: ['response'] }) object!: string;
  @ApiProperty({ type: 'integer', description: 'Unix time in seconds.' }) created_at!: number;
  @ApiProperty({ type: 'integer', nullable: true }) completed_at!: number | null;
  @ApiProperty({ enum: ['completed', 'incomplete', 'failed'] }) status!: string;
  @ApiProperty({ type: ResponseFailure, nullable: true }) error!: ResponseFailure | null;
  @ApiProperty({ type: ResponseIncompleteDetails, nullable: true })
  incomplete_details!: ResponseIncompleteDetails | null;
  @ApiProperty({ description: 'As named in the request.' }) model!: string;
  @ApiProperty({ type: 'array', items: { oneOf: OUTPUT.map(refTo) } }) output!: unknown[];
  @ApiProperty({ type: ResponseUsage, nullable: true, description: 'null until known.' })
  usage!: ResponseUsage | null;

  @ApiProperty() store!: boolean;
  @ApiProperty() background!: boolean;
  @ApiProperty({ ...ANY_JSON, description: 'Always null.' }) access_programs!: unknown;
  @ApiProperty({ type: String, nullable: true, description: ECHOED }) instructions!: string | null;
  @ApiProperty({ type: 'integer', nullable: true, description: ECHOED }) max_output_tokens!: number | null;
  @ApiProperty({ type: 'integer', nullable: true, description: ECHOED }) max_tool_calls!: number | null;
  @ApiProperty({ type: 'object', additionalProperties: { type: 'string' }, description: ECHOED }) metadata!: object;
  @ApiProperty({ description: ECHOED }) parallel_tool_calls!: boolean;
  @ApiProperty({ type: Number, description: ECHOED }) presence_penalty!: number;
  @ApiProperty({ type: Number, description: ECHOED }) frequency_penalty!: number;
  @ApiProperty({ type: String, nullable: true, description: ECHOED }) previous_response_id!: string | null;
  @ApiProperty({ type: String, nullable: true, description: ECHOED }) prompt_cache_key!: string | null;
  @ApiProperty({ description: '`default`, unless the request named another tier that was passed on.' })
  service_tier!: string;
  @ApiProperty({ type: 'object', additionalProperties: true, description: ECHOED }) reasoning!: object;
  @ApiProperty({ type: String, nullable: true, description: ECHOED }) safety_identifier!: string | null;
  @ApiProperty({ type: Number, description: ECHOED }) temperature!: number;
  @ApiProperty({ type: 'object', additionalProperties: true, description: ECHOED }) text!: object;
  @ApiProperty({ ...ANY_JSON, description: ECHOED }) tool_choice!: unknown;
  @ApiProperty({ type: 'array', items: LOGPROB, description: ECHOED }) tools!: object[];
  @ApiProperty({ type: 'integer', description: ECHOED }) top_logprobs!: number;
  @ApiProperty({ type: Number, description: ECHOED }) top_p!: number;
  @ApiProperty({ enum: ['disabled'] }) truncation!: string;
  @ApiPropertyOptional({ description: ECHOED }) user?: string;
  @ApiProperty() x_pioneer!: PioneerNotes;
}

export class ResponseInputTokens {
  @ApiProperty({ enum: ['response.input_tokens'] }) object!: string;
  @ApiProperty({ type: 'integer' }) input_tokens!: number;
}

export class CompactedResponse {
  @ApiProperty({ description: '`resp_` followed by the inference id of the summarising call.' }) id!: string;
  @ApiProperty({ enum: ['response.compaction'] }) object!: string;
  @ApiProperty({ type: 'integer', description: 'Unix time in seconds.' }) created_at!: number;
  @ApiProperty({
    ...{ type: 'array', items: { type: 'object', additionalProperties: true } },
    description: 'The messages of the user and a `compaction` item: the input to go on from.',
  })
  output!: object[];

  @ApiProperty() usage!: ResponseUsage;
}

export class DeletedResponse {
  @ApiProperty() id!: string;
  @ApiProperty({ enum: ['response'] }) object!: 'response';
  @ApiProperty() deleted!: boolean;
}

export class RetrieveResponseQuery {
  @QueryBoolean('Must not be true: stored responses cannot be streamed.') stream?: boolean;
}

export class ResponseItemsQuery {
  @QueryInteger({ min: 1, max: 100, default: 20 }) limit: number = 20;
  @QueryOneOf(['asc', 'desc'], 'Default `desc`: the last item first.') order: string = 'desc';
  @QueryText('Id of an item. Returns the items after it.') after?: string;
}

export class ResponseItems {
  @ApiProperty({ enum: ['list'] }) object!: string;
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } }) data!: object[];
  @ApiProperty({ type: String, nullable: true }) first_id!: string | null;
  @ApiProperty({ type: String, nullable: true }) last_id!: string | null;
  @ApiProperty() has_more!: boolean;
}
