import type { ProviderResponse } from '#domain/inference/index.js';

/** Longer names are not recorded: none that is real has so many characters. */
const MAX_NAME = 200;
const PRINTABLE = /^[!-~]+$/;

/** What identifies an answer at its provider, as far as the answer has said so. Later chunks of a stream change nothing. */
export class ResponseIdentity implements ProviderResponse {
  id?: string;
  model?: string;
  systemFingerprint?: string;

  /** Reads a chunk or a whole answer, of either style. */
  read({ id, model, system_fingerprint: fingerprint }: Readonly<Record<string, unknown>>): void {
    if (isName(id)) this.id ??= id;
    if (isName(model)) this.model ??= model;
    if (isName(fingerprint)) this.systemFingerprint ??= fingerprint;
  }
}

const isName = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= MAX_NAME && PRINTABLE.test(value);
