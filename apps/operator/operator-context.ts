import { AsyncLocalStorage } from 'node:async_hooks';
import { printable } from '#domain/printable.js';
import { systemContext, type CommandContext } from '#log/context.js';
import type { Operations } from './operation.js';

const MAX_NAME_CHARACTERS = 100;

const running = new AsyncLocalStorage<string | null>();

/** The context of a command that an operator gives, with the user of the operating system who gives it. */
export function operatorContext(workspaceId: string | null): CommandContext {
  const by = running.getStore() ?? null;
  return { ...systemContext('operator', workspaceId), ...(by !== null && { by }) };
}

/** The operations, whose contexts name the user in the argument `operator`. */
export const namingOperator = (operations: Operations): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, operation]) => [
      name,
      async function* ({ operator, ...args }, signal) {
        const by = typeof operator === 'string' ? printable(operator.slice(0, MAX_NAME_CHARACTERS)) : null;
        const frames = operation(args, signal)[Symbol.asyncIterator]();
        try {
          // A generator runs in the context of whoever asks for its next value.
          for (;;) {
            const next = await running.run(by, () => frames.next());
            if (next.done === true) return;
            yield next.value;
          }
        } finally {
          await frames.return?.();
        }
      } satisfies Operations[string],
    ]),
  );
