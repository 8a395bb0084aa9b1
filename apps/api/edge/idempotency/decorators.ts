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
        'A key that the client chooses, preferably a UUID. For 24 hours, a repeated request with the same key is not executed again and gets the same answer. A different request with the key gets 422; a repeat gets 409 while the first request is running.',
    }),
  );
