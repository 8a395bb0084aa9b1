import { applyDecorators } from '@nestjs/common';
import { ApiHeader } from '@nestjs/swagger';
import { withRouteConfig } from '../route-config.js';

/**
 * The route takes an `Idempotency-Key`. A repeat runs the handler again, with the command id of the first and `repeated` in its
 * `@Identity()`: it begins with `Application.recall`, and renders what that gives.
 */
export const Idempotent = (): MethodDecorator =>
  applyDecorators(
    withRouteConfig({ idempotent: true }),
    ApiHeader({
      name: 'Idempotency-Key',
      required: false,
      schema: { type: 'string', minLength: 1, maxLength: 255 },
      description:
        'Chosen by the client, best a UUID. For 24 hours the same request with the same key does nothing new and gets the same answer; another request with it is 422, and 409 while the first still runs.',
    }),
  );
