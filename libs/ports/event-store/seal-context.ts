import type { JsonObject } from '#domain/json.js';

/** Ciphertext is of one call, version, user or generation job: it is no content of another. */
export const contextOf = ({ type, data }: { readonly type: string; readonly data: JsonObject }): string =>
  `${type}/${(data['inferenceId'] ?? data['versionId'] ?? data['userId'] ?? data['jobId']) as string}`;
