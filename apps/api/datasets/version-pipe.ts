import type { PipeTransform } from '@nestjs/common';
import type { VersionRequest } from '#domain/dataset/index.js';
import { badRequest } from '../errors/index.js';

/** A `:version` of a path, read beside the body and before what is wrong in there. @throws HttpError 400 when it is neither a number nor `latest` */
export const versionPipe: PipeTransform<string, VersionRequest> = {
  transform(text) {
    if (text === 'latest') return 'latest';
    if (/^\d+$/.test(text)) return Number(text);
    throw badRequest(`version: must be a number or latest, is ${JSON.stringify(text.slice(0, 60))}`);
  },
};
