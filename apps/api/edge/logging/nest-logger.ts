import type { LoggerService } from '@nestjs/common';
import type { Logger } from '#primitives/logging/logger.js';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('logger');

/** Writes Nest's own messages to the same log; start-up messages at level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, context?: string): void {
    this.logger.debug({ context }, String(message));
  }

  warn(message: unknown, context?: string): void {
    this.logger.warn({ context }, String(message));
  }

  error(message: unknown, _stack?: string, context?: string): void {
    this.logger.error({ context, err: message instanceof Error ? message : undefined }, 'framework error');
  }

  fatal(message: unknown, context?: string): void {
    this.logger.fatal({ context, err: message instanceof Error ? message : undefined }, 'framework error');
  }
}
