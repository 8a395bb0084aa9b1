import type { LoggerService } from '@nestjs/common';
import type { Logger } from '#logging/logger.js';

/** Injection token of the process's logger. */
export const LOGGER = Symbol('logger');

/** What Nest itself says, as lines of the same log. Its start-up chatter is for debugging. */
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
