import { DIALECTS } from '#calls/hosted/fields/index.js';
import { SdkFields, type ParamsType } from './sdk-fields.js';

/** The parameters of each dialect in the SDK of its vendor. */
const PARAMS: Readonly<Record<string, readonly ParamsType[]>> = {
  '/v1/chat/completions': [
    { file: 'openai/resources/chat/completions/completions.d.ts', type: 'ChatCompletionCreateParamsNonStreaming' },
  ],
  '/v1/responses': [{ file: 'openai/resources/responses/responses.d.ts', type: 'ResponseCreateParamsNonStreaming' }],
  '/v1/completions': [{ file: 'openai/resources/completions.d.ts', type: 'CompletionCreateParamsNonStreaming' }],
  '/v1/embeddings': [{ file: 'openai/resources/embeddings.d.ts', type: 'EmbeddingCreateParams' }],
  '/v1/messages': [
    { file: '@anthropic-ai/sdk/resources/messages/messages.d.ts', type: 'MessageCreateParamsNonStreaming' },
    { file: '@anthropic-ai/sdk/resources/beta/messages/messages.d.ts', type: 'MessageCreateParamsNonStreaming' },
  ],
};

/** Parameters that the SDK of Anthropic sends as headers. */
const HEADERS = ['betas', 'user_profile_id', 'workspace_id'];

describe('the table of request fields', () => {
  let sdks: SdkFields;
  beforeAll(() => {
    sdks = new SdkFields(Object.values(PARAMS).flatMap((types) => types.map(({ file }) => file)));
  });

  it.each(DIALECTS)('has every field of the SDK, and marks those that the SDK lacks: $path', (dialect) => {
    const paths = Object.keys(dialect.fields);
    const compared = PARAMS[dialect.path]!.map((type) => sdks.compare(type, paths));
    expect(compared.flatMap(({ missing }) => missing).filter((name) => !HEADERS.includes(name))).toEqual([]);
    const beyond = paths.filter((path) => !compared.some(({ found }) => found.has(path)));
    expect(beyond.toSorted()).toEqual([...dialect.beyondSdk].toSorted());
  });

  it('is reported as incomplete if an SDK adds a field', () => {
    const [dialect] = DIALECTS;
    const paths = Object.keys(dialect!.fields).filter((path) => path !== 'verbosity' && !path.startsWith('functions.'));
    const [type] = PARAMS[dialect!.path]!;
    expect(sdks.compare(type!, paths).missing.toSorted()).toEqual(['functions', 'verbosity']);
  });
});
