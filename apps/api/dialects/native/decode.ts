import { BodySchema } from '../../edge/validation/body-schema.js';
import { ignore, ignoreOthers } from '../../edge/ignored-fields.js';
import { Reader, type Path } from '#primitives/reader.js';
import { isPresent, isRecord } from '#primitives/values.js';
import { generationOf, refuseSilent } from './decode-messages.js';
import { decodeSchema, refuseSchemaOfNoHead } from '#calls/schema/decode.js';
import { DecoderInferenceBody } from './decoder-dto.js';
import { EncoderInferenceBody } from './dto.js';
import { type DecoderRequest, type EncoderRequest, type NativeRequest } from '#calls/encoder-request.js';

type Fields = Readonly<Record<string, unknown>>;

const encoderBody = new BodySchema(EncoderInferenceBody);
const decoderBody = new BodySchema(DecoderInferenceBody);

/** Checks the body of `POST /inference`. @throws InvalidError naming every field that is wrong */
export function decodeNativeRequest(body: unknown): NativeRequest {
  return isRecord(body) && isPresent(body['messages']) ? decoderRequest(body) : encoderRequest(body);
}

function encoderRequest(sent: unknown): EncoderRequest {
  ignoreOthers(sent, encoderBody.fields);
  const body = encoderBody.checkedOpen(sent, ignoring(sent), refuseIncomplete);
  const reader = new Reader();
  refuseIncomplete(reader, body);
  const schema = decodeSchema(reader, body.schema);
  reader.done();
  return {
    kind: 'encoder',
    modelId: body.model_id,
    texts: textsOf(body.text),
    batch: Array.isArray(body.text),
    schema,
    threshold: body.threshold ?? null,
    store: body.store ?? true,
    projectId: body.project_id ?? null,
    includeConfidence: body.include_confidence ?? true,
    includeSpans: body.include_spans ?? true,
    explain: body.explain ?? false,
    isWarmup: body.is_warmup ?? false,
  };
}

/** Names fields within a body that no class has, as its own are named. */
const ignoring = (sent: unknown) => (path: Path) => {
  if (isRecord(sent)) ignore(sent, path);
};

/** @param body of any kind */
function refuseIncomplete(reader: Reader, body: object): void {
  const { task, text, schema, is_warmup: isWarmup } = body as Fields;
  if (task === 'generate') reader.refuse(['messages'], 'is required for the task generate', 'missing');
  if (!isPresent(text) && isWarmup !== true)
    reader.refuse(['text'], 'is required and must be a string or a list of strings', 'missing');
  refuseSchemaOfNoHead(reader, schema);
}

function decoderRequest(sent: unknown): DecoderRequest {
  ignoreOthers(sent, decoderBody.fields);
  const body = decoderBody.checkedOpen(sent, ignoring(sent));
  const reader = new Reader();
  refuseSilent(reader, body.messages);
  reader.done();
  return {
    kind: 'decoder',
    modelId: body.model_id,
    generation: generationOf(body),
    store: body.store ?? true,
    projectId: body.project_id ?? null,
    isWarmup: body.is_warmup ?? false,
  };
}

/** @returns none if only a warm-up is requested */
export const textsOf = (text: string | readonly string[] | null | undefined): readonly string[] =>
  typeof text === 'string' ? [text] : (text ?? []);
