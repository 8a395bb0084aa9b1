import type { PipeTransform } from '@nestjs/common';
import { InvalidError } from '#domain/errors.js';
import { MODEL_LABEL, MODEL_LABEL_IN_WORDS } from '#domain/model/index.js';

/** Parses the `:label` of a path. @throws InvalidError */
export const labelPipe: PipeTransform<string, string> = {
  transform(label) {
    if (MODEL_LABEL.test(label)) return label;
    const message = `must be ${MODEL_LABEL_IN_WORDS} (got ${JSON.stringify(label)})`;
    throw new InvalidError({ path: ['path', 'label'], message, type: 'not_allowed' });
  },
};
