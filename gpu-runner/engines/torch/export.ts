import { withoutPaths } from '#primitives/text/without-paths.js';
import type { ExportedModel, ExportReport, ExportRequest } from '../decoder-engine.js';
import { verifiedBase } from './base.js';
import { exportFault, processLost } from './faults.js';
import type { FromEngine } from './messages.js';
import { EngineDiedError, sendUnlessLost, type StartEngine } from './process.js';

/** Milliseconds for the process to end by itself. */
const GRACE_MS = 10_000;

/** Exports in a separate Python process, which ends with the export. */
export async function exportModel(
  start: StartEngine,
  { format, baseDirectory, adapterDirectory, outputDirectory }: ExportRequest,
  report: (report: ExportReport) => void,
  signal: AbortSignal,
): Promise<ExportedModel> {
  const { contextTokens: _, licence: baseLicence, ...base } = await verifiedBase(baseDirectory);
  signal.throwIfAborted();
  const end = Promise.withResolvers<Pick<ExportedModel, 'dtype' | 'parameters'>>();
  // A process that is lost may reject it before anything waits for it.
  end.promise.catch(() => undefined);
  const hear = (message: FromEngine): void => {
    switch (message.type) {
      case 'heartbeat':
        return report({ kind: 'working' });
      case 'progress':
        return report({ kind: 'progress', fraction: message.fraction });
      case 'log':
        return report({ kind: 'log', level: message.level, message: message.message });
      case 'exported':
        return end.resolve({ dtype: message.dtype, parameters: message.parameters });
      case 'error':
        return end.reject(message.kind === 'cancelled' ? signal.reason : exportFault(message));
      default:
        throw new Error(`it sent ${message.type} while it exported`);
    }
  };
  const lostBy = (error: EngineDiedError | null): Error => {
    if (error && error.log.length > 0)
      report({ kind: 'log', level: 'warn', message: withoutPaths(error.log.join('\n')) });
    return processLost(error);
  };
  const python = await start(hear).catch((error: unknown) => {
    throw error instanceof EngineDiedError ? lostBy(error) : error;
  });
  const cancel = () => void python.send({ type: 'cancel', id: null }).catch(() => undefined);
  signal.addEventListener('abort', cancel, { once: true });
  try {
    signal.throwIfAborted();
    const lost = python.ended.then((error) => {
      throw lostBy(error);
    });
    lost.catch(() => undefined);
    await sendUnlessLost(python, { type: 'export', format, base, adapter: adapterDirectory, output: outputDirectory });
    const { dtype, parameters } = await Promise.race([end.promise, lost]);
    return { dtype, parameters, baseLicence, versions: python.hello.versions };
  } finally {
    signal.removeEventListener('abort', cancel);
    await python.stop(GRACE_MS);
  }
}
