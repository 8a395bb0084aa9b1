import type { GenerationRequest } from '#calls/hosted/port.js';
import { stopsOf } from '../native/decode-messages.js';
import { isPresent } from '#primitives/values.js';
import type { SamplingBody } from './sampling-dto.js';

/** Decodes the generation parameters that chat and text completions share. */
export function samplingOf(body: SamplingBody): Omit<GenerationRequest, 'messages'> {
  const { temperature, top_p, frequency_penalty, presence_penalty, seed, n, logit_bias: bias } = body;
  const stop = stopsOf(body.stop);
  return {
    ...(isPresent(temperature) && { temperature }),
    ...(isPresent(top_p) && { topP: top_p }),
    ...(isPresent(frequency_penalty) && { frequencyPenalty: frequency_penalty }),
    ...(isPresent(presence_penalty) && { presencePenalty: presence_penalty }),
    ...(stop && { stop }),
    ...(isPresent(seed) && { seed }),
    ...(isPresent(n) && n !== 1 && { choices: n }),
    ...(bias && Object.keys(bias).length > 0 && { logitBias: bias }),
  };
}
