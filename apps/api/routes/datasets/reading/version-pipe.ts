import type { PipeTransform } from '@nestjs/common';
import type { VersionRequest } from '#domain/dataset/index.js';
import { badRequest } from '../../../edge/errors/index.js';

/** The OpenAPI document's description of the path parameter that `versionPipe` reads. */
export const VERSION = { name: 'version', type: String, description: 'A version number, or `latest`.' };

/**
 * Parses the `:version` of a path, before the body's faults are reported.
 * @throws HttpError 400 when it is neither a number nor `latest`
 */
export const versionPipe: PipeTransform<string, VersionRequest> = {
  transform(text) {
    if (text === 'latest') return 'latest';
    if (/^\d+$/.test(text)) return Number(text);
    throw badRequest(`version: must be a number or latest (got ${JSON.stringify(text.slice(0, 60))})`);
  },
};
