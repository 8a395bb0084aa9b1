import type { Application } from '#application/application.js';
import { auditKeys } from '#use-cases/audit/audit-keys.js';
import { keepSigned, lastSigned } from '#use-cases/audit/audit-signed.js';
import { systemContext } from '#log/context.js';
import type { AuditOptions } from '#audit/thread/service.js';
import { publicKeyOf } from '#audit/signing.js';
import { OUTCOME, serveAudit, type AuditStatus, type Outcome, type SignedHead } from '#audit/thread/status.js';
import { AUDIT_KEYS, auditKeyDecider } from '#domain/audit-key/index.js';
import { EventStoreUnavailableError } from '#ports/event-store/port.js';
import type { LedWork } from '#log/leadership/index.js';
import type { Watched } from '#primitives/background/background.js';
import type { SecretKey } from '#primitives/secrets/index.js';
import { startThread, type Thread } from '#primitives/thread/thread.js';

export interface AuditNeeds extends Pick<
  AuditOptions,
  'eventLog' | 'objectStore' | 'witnesses' | 'anchors' | 'signing' | 'trustedOrigins'
> {
  readonly secret: SecretKey;
  /** Milliseconds between checkpoints; default a minute. */
  readonly everyMs?: number;
}

const EVERY_MS = 60_000;
const FOREIGN = Symbol('an end that is not to be signed');

/** Keeps the log's audit tree, as led work: signs a checkpoint now, each minute in which there were events, and at the end. */
export async function startLedAudit(
  application: Application,
  { secret, everyMs = EVERY_MS, ...places }: AuditNeeds,
): Promise<LedWork> {
  const failed = Promise.withResolvers<never>();
  // The rejection is delivered to the caller that awaits it; this prevents it from being unhandled before that.
  failed.promise.catch(() => undefined);
  const attempts = {
    'extend-audit-tree': application.background.watch('extend-audit-tree'),
    'anchor-checkpoint': application.background.watch('anchor-checkpoint'),
    'check-audit-tree': application.background.watch('check-audit-tree'),
    'audit-finding': application.background.watch('audit-finding'),
  };
  const start = async (): Promise<KeptTree> => {
    const { signing } = places;
    const external = signing ? publicKeyOf(signing.publicKey) : null;
    const options: AuditOptions = { ...places, ...(await auditKeys(application, secret, external)) };
    const module = import.meta.resolve('#audit/thread/service.js');
    const services = [{ name: 'audit', module, options }];
    const thread = await startThread(services, { name: 'audit', onFailure: failed.reject });
    thread.listen<Outcome>('audit', OUTCOME, ({ name, error }) =>
      error === null ? attempts[name].succeeded() : attempts[name].failed(new Error(error)),
    );
    return new KeptTree(application, thread, options);
  };
  let kept = await start();
  let isClosing = false;
  let working = Promise.resolve();
  const publish = () =>
    (working = working
      .then(async () => {
        if (!isClosing && (await kept.isGivenUp())) {
          await kept.close();
          kept = await start();
        }
        await kept.sign('publish');
      })
      .catch(failed.reject));
  const served = serveAudit(application.ports.bus, () => kept.status());
  const timer = setInterval(() => void publish(), everyMs);
  timer.unref();
  void publish();
  return {
    ended: failed.promise,
    async close() {
      isClosing = true;
      clearInterval(timer);
      await served.stop();
      const finish = () => kept.sign('finish').catch(failed.reject);
      await finish();
      // The first checkpoint of a tree is followed by an event, which is signed too.
      await working;
      await finish();
      await kept.close();
    },
  };
}

/** The thread that keeps one tree, and the newest note known elsewhere. */
class KeptTree {
  private hasBegun = false;
  private covered: string | null = null;
  private readonly ending: Watched;

  constructor(
    private readonly application: Application,
    private readonly thread: Thread,
    private readonly options: AuditOptions,
  ) {
    this.ending = application.background.watch('check-log-end');
  }

  status(): Promise<AuditStatus> {
    return this.thread.call('audit', 'status', []);
  }

  /** Whether the operator has begun another tree. */
  async isGivenUp(): Promise<boolean> {
    return (await this.application.load(auditKeyDecider, AUDIT_KEYS)).tree !== this.options.tree;
  }

  async sign(method: 'publish' | 'finish'): Promise<void> {
    const { origin } = this.options;
    const { coordination } = this.application.ports;
    const end = await this.ownEnd();
    if (end === FOREIGN) return;
    const signed = await lastSigned(coordination, origin);
    const head = await this.thread.call<SignedHead | null>('audit', method, [signed, end]);
    if (head === null) return;
    const { note, position } = head;
    if (note !== signed) await keepSigned(coordination, origin, note);
    if (position !== null && position !== this.covered) await this.application.storedEvents.seal?.cover(position);
    this.covered = position;
    await this.begin();
  }

  /** The last event that this installation wrote: another's are not signed. @returns null where the log has no seal */
  private async ownEnd(): Promise<string | null | typeof FOREIGN> {
    try {
      const end = (await this.application.storedEvents.seal?.check()) ?? null;
      this.ending.succeeded();
      return end;
    } catch (error) {
      if (!(error instanceof EventStoreUnavailableError)) throw error;
      this.ending.failed(error);
      return FOREIGN;
    }
  }

  private async begin(): Promise<void> {
    const { isBegun, tree } = this.options;
    if (isBegun || this.hasBegun) return;
    const command = { type: 'begin-audit-tree', tree } as const;
    await this.application.execute(auditKeyDecider, AUDIT_KEYS, command, systemContext('audit', null));
    this.hasBegun = true;
  }

  async close(): Promise<void> {
    await this.thread.close();
  }
}
