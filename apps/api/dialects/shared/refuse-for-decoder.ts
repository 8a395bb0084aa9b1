import { InvalidError } from '#domain/errors.js';
import type { CompatibleRequest } from './request.js';

/** The extensions of the body for encoders say nothing to a decoder. @throws InvalidError naming them */
export function refuseForDecoder({ encoder }: CompatibleRequest, modelId: string): void {
  if (encoder.asked.length === 0) return;
  throw new InvalidError(
    encoder.asked.map((name) => ({
      path: ['body', name],
      message: `is for encoders, and ${modelId} is a decoder`,
      type: 'not_allowed',
    })),
  );
}
