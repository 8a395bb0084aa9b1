import type { Application } from '#application/application.js';
import { auditKeys } from '#application/audit-keys.js';
import type { AuditOptions } from '#audit/thread/service.js';
import { serveAudit, type AuditStatus } from '#audit/thread/status.js';
import type { LedWork } from '#log/leadership/index.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { startThread } from '#primitives/thread/thread.js';

export interface AuditNeeds extends Pick<AuditOptions, 'eventLog' | 'objectStore'> {
  readonly secret: SecretKey;
  /** Milliseconds between checkpoints; default a minute. */
  readonly everyMs?: number;
}

const EVERY_MS = 60_000;

/** Keeps the log's audit tree, as led work: signs a checkpoint now, each minute in which there were events, and at the end. */
export async function startLedAudit(
  application: Application,
  { secret, eventLog, objectStore, everyMs = EVERY_MS }: AuditNeeds,
): Promise<LedWork> {
  const failed = Promise.withResolvers<never>();
  // The rejection is delivered to whoever awaits it; this keeps it from being unhandled before that.
  failed.promise.catch(() => undefined);
  const options: AuditOptions = { eventLog, objectStore, ...(await auditKeys(application, secret)) };
  const module = import.meta.resolve('#audit/thread/service.js');
  const thread = await startThread([{ name: 'audit', module, options }], { name: 'audit', onFailure: failed.reject });
  const call = (method: 'publish' | 'finish') => thread.call<void>('audit', method, []).catch(failed.reject);
  const publish = () => void call('publish');
  const served = serveAudit(application.ports.bus, () => thread.call<AuditStatus>('audit', 'status', []));
  const timer = setInterval(publish, everyMs);
  timer.unref();
  publish();
  return {
    ended: failed.promise,
    async close() {
      clearInterval(timer);
      await served.stop();
      await call('finish');
      await thread.close();
    },
  };
}
