import { GENERATION_FEATURES } from '#gpu-runner/contract/generation.js';
import type { GenerationRequest } from '../../hosted/port.js';
import type { Model } from '../../models.js';
import { engineRequests } from './engine-requests.js';

describe('a request to a decoder of an engine', () => {
  const model = { modelId: 'ada/tiny', entry: { context_window: 64 } } as Model;
  const asked = (fields: Partial<GenerationRequest>) =>
    engineRequests({ messages: [], prompts: ['hi'], ...fields }, model, {
      hasChatTemplate: true,
      features: GENERATION_FEATURES,
    });

  it('is refused for unknown fields, each by its name', () => {
    const unknownFields = { min_p: 0.1, guided_json: {}, repetition_penalty: null };
    expect(() => asked({ unknownFields })).toThrow(
      expect.objectContaining({
        fields: ['min_p', 'guided_json'].map((name) => ({
          path: ['verbatim', name],
          message: 'is not supported by ada/tiny',
          type: 'not_allowed',
        })),
      }) as Error,
    );
  });

  it('may name tools that a model without them is not to call', () => {
    const tools = [{ name: 'weather', parameters: {} }];
    const without = (toolChoice: 'none' | 'auto') =>
      engineRequests({ messages: [], prompts: ['hi'], tools, toolChoice }, model, {
        hasChatTemplate: true,
        features: [],
      });
    expect(without('none').requests).toHaveLength(1);
    expect(() => without('auto')).toThrow(
      expect.objectContaining({ fields: [expect.objectContaining({ path: ['tools'] })] }) as Error,
    );
  });

  it('treats fields without a value as omitted', () => {
    expect(asked({ unknownFields: { min_p: null } }).requests).toHaveLength(1);
  });
});
