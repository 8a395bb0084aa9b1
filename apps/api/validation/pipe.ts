import {
  ValidationPipe,
  type ArgumentMetadata,
  type PipeTransform,
  type Type,
  type ValidationError,
} from '@nestjs/common';
import { HttpError } from '../errors/http-error.js';
import { bodyError, queryError } from './problems.js';

const STRICT = Symbol('forbid unknown fields');

/** A body of this class must not hold fields that the class does not declare: 422 naming them. */
export const ForbidUnknownFields = (): ClassDecorator => (target) => Reflect.defineMetadata(STRICT, true, target);

/**
 * Checks bodies and queries against their DTO classes and gives instances of them. Unknown fields are ignored unless the
 * class says `@ForbidUnknownFields()`.
 */
export class RequestValidationPipe implements PipeTransform {
  private readonly lenient = new ValidationPipe({ ...OPTIONS });
  private readonly strict = new ValidationPipe({ ...OPTIONS, whitelist: true, forbidNonWhitelisted: true });

  async transform(value: unknown, metadata: ArgumentMetadata): Promise<unknown> {
    const { metatype, type } = metadata;
    if (type === 'custom' || !isDto(metatype)) return value;
    if (type === 'body' && (typeof value !== 'object' || value === null || Array.isArray(value)))
      throw new HttpError(422, 'the body must be a JSON object', {
        errors: [
          value === undefined
            ? { loc: ['body'], msg: 'is required: send a JSON object', type: 'missing' }
            : { loc: ['body'], msg: 'must be a JSON object', type: 'wrong_type' },
        ],
      });
    const pipe = Reflect.getMetadata(STRICT, metatype) ? this.strict : this.lenient;
    try {
      return await pipe.transform(value, metadata);
    } catch (error) {
      if (!(error instanceof Refused)) throw error;
      throw type === 'query' ? queryError(error.problems) : bodyError(error.problems);
    }
  }
}

class Refused extends Error {
  constructor(readonly problems: readonly ValidationError[]) {
    super('refused');
  }
}

const OPTIONS = {
  transform: true,
  forbidUnknownValues: false,
  validationError: { target: false, value: true },
  exceptionFactory: (problems: ValidationError[]) => new Refused(problems),
};

const PLAIN = new Set<unknown>([String, Number, Boolean, Array, Object, undefined, null]);
const isDto = (metatype: unknown): metatype is Type => typeof metatype === 'function' && !PLAIN.has(metatype);
