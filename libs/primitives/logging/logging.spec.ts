import { PassThrough } from 'node:stream';
import { UnavailableError } from '#domain/errors.js';
import { HostedModelError } from '#calls/hosted/port.js';
import { createLogger } from './logger.js';

function logged(level: Parameters<typeof createLogger>[0] = 'info') {
  const out = new PassThrough();
  const logger = createLogger(level, out);
  const lines = () =>
    String(out.read() ?? '')
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { logger, lines };
}

describe('log lines', () => {
  it('contain only allowed fields', () => {
    const { logger, lines } = logged();
    logger.info({ requestId: 'r1', status: 200, body: 'private', apiKey: 'pio_sk_x', headers: {} });
    expect(lines()).toEqual([{ level: 'info', time: expect.any(String), requestId: 'r1', status: 200 }]);
  });

  it('show where an error came from, without the text that it quotes', () => {
    const { logger, lines } = logged();
    const cause = new SyntaxError(`Unexpected token 'p', "private text" is not valid JSON`);
    logger.error({ err: Object.assign(new Error('reading failed', { cause }), { code: 'E_READ' }) });
    const [line] = lines();
    expect(line).toMatchObject({ err: { type: 'Error', code: 'E_READ', message: 'reading failed' } });
    expect(JSON.stringify(line)).not.toContain('private');
    expect(JSON.stringify(line)).toContain('logging.spec');
  });

  it('name the provider that failed, which answers do not', () => {
    const { logger, lines } = logged();
    const cause = new HostedModelError('unavailable', 'no answer', { provider: 'acme' });
    logger.warn({ err: new UnavailableError(cause.message, { cause }) });
    expect(lines()).toMatchObject([{ err: { message: 'no answer', cause: { provider: 'acme' } } }]);
  });

  it('below the level are not written', () => {
    const { logger, lines } = logged('warn');
    logger.info({ status: 200 });
    expect(lines()).toEqual([]);
  });
});
