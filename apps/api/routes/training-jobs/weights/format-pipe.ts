import type { PipeTransform } from '@nestjs/common';
import { EXPORT_FORMATS, type ExportFormat } from '#domain/model-export/index.js';
import { HttpError } from '../../../edge/errors/index.js';

/**
 * Parses the `:format` of a path.
 * @throws HttpError 404 when there is no such format
 */
export const formatPipe: PipeTransform<string, ExportFormat> = {
  transform(text) {
    const format = EXPORT_FORMATS.find((each) => each === text);
    if (format === undefined)
      throw new HttpError(404, `there is no such format; the formats are ${EXPORT_FORMATS.join(', ')}`, {
        code: 'not_found',
      });
    return format;
  },
};
