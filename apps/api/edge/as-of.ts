import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import { ApiQuery } from '@nestjs/swagger';
import type { AsOfRequest } from '#application/as-of.js';
import { HttpError, summaryOf } from './errors/http-error.js';
import type { FastifyReply, FastifyRequest } from './http.js';
import { addRouteConfig } from './route-config.js';
import { AS_OF, CANONICAL, canonicalTime } from './validation/index.js';

const DESCRIPTION =
  'Returns the state at this point, inclusive: a time (RFC 3339), or a position of the log as in `GET /events`.';

/** Passes the point that `?as_of=` names, or null. Routes without it refuse the parameter. */
export const AsOf = (): ParameterDecorator => (controller, name, index) => {
  fromRequest()(controller, name, index);
  const method = Object.getOwnPropertyDescriptor(controller, name ?? '');
  if (!method) throw new Error('@AsOf() is for parameters of methods');
  addRouteConfig(method.value as object, { asOf: true });
  ApiQuery({ name: AS_OF, required: false, schema: { type: 'string' }, description: DESCRIPTION })(
    controller,
    name ?? '',
    method,
  );
};

const fromRequest = createParamDecorator((_: unknown, context: ExecutionContext): AsOfRequest | null => {
  const http = context.switchToHttp();
  const given = (http.getRequest<FastifyRequest>().query as Record<string, unknown>)[AS_OF];
  if (given === undefined) return null;
  const reply = http.getResponse<FastifyReply>();
  return {
    ...pointOf(given),
    answer(position, leftOut = []) {
      void reply.header('x-anneal-as-of', position);
      if (leftOut.length > 0) void reply.header('x-anneal-left-out', leftOut.join(', '));
    },
  };
});

/** The point that a text names, and the text in its canonical form; null if it names none. */
export function namedPoint(given: unknown): Pick<AsOfRequest, 'given' | 'point'> | null {
  if (typeof given === 'string' && /^\d+$/.test(given)) return { given, point: { position: given } };
  const time = canonicalTime(given);
  if (typeof time === 'string' && CANONICAL.test(time) && !Number.isNaN(Date.parse(time)))
    return { given: time, point: { time } };
  return null;
}

/** @throws HttpError 400 */
function pointOf(given: unknown): Pick<AsOfRequest, 'given' | 'point'> {
  const named = namedPoint(given);
  if (named) return named;
  const msg =
    'must be a time such as 2030-01-02T03:04:05Z (in an address, `+` is written %2B), or a position of the log as GET /events shows it';
  const errors = [{ loc: ['query', AS_OF], msg, type: 'wrong_type' }];
  throw new HttpError(400, summaryOf(errors), { errors, code: 'invalid' });
}
