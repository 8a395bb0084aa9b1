import { randomUUID } from 'node:crypto';
import type { Application } from '#application/application.js';
import { systemContext } from '#log/context.js';
import { derivedId } from '#log/execute.js';
import { cancelSubject, dispatchSubject, type Dispatch } from '#gpu-runner/contract/work.js';
import type { ProcessManager } from '#log/process-manager/process-manager.js';
import { NO_WORK, queueOf, type OpenWork } from './open-work.js';
import { pendingAttempts, type AttemptCommand } from './pending.js';
import type { Runners } from './runners.js';
import type { AttemptedWork } from '../attempted-work.js';

/**
 * Brings open work to runners: offers attempts, and gives up those whose runner is lost. Offers are hints, and repeated
 * until they are claimed; each has its own id, or the bus would drop a later one as a duplicate.
 */
export function dispatch(
  application: Application,
  work: AttemptedWork,
  runners: Runners,
): ProcessManager<OpenWork, AttemptCommand> {
  const { bus } = application.ports;
  const { kind, on } = work;
  return {
    name: `${kind}-dispatch`,
    initial: NO_WORK,
    on,
    queue: queueOf,
    pending: (open, now) => pendingAttempts(kind, open, runners, now),
    traceOf: (command) => (command.type === 'offer' ? command.traceparent : undefined),
    key: ({ type, ref }) => `${type}/${ref.id}/${ref.attempt}`,
    async execute(command) {
      const { ref } = command;
      switch (command.type) {
        case 'offer':
          runners.markOffered(kind, ref);
          return bus.offer(dispatchSubject(kind), randomUUID(), offerOf(command));
        case 'cancel':
          return bus.signal(cancelSubject(kind), ref);
        case 'lose': {
          const commandId = derivedId(`${kind}/${ref.id}/${ref.attempt}`, 'lose');
          const context = systemContext(`${kind}-dispatch`, command.workspaceId, commandId);
          await work.lose(application, ref, command.reason, context);
        }
      }
    },
  };
}

const offerOf = ({ ref, needs, traceparent }: Extract<AttemptCommand, { type: 'offer' }>): Dispatch => ({
  ...ref,
  needs,
  ...(traceparent !== undefined && { traceparent }),
});
