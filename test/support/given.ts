import { deepStrictEqual, strictEqual } from 'node:assert/strict';
import { fold, type Decider, type DomainEvent, type Env } from '#domain/decider.js';
import { DomainError } from '#domain/errors.js';

const now = '2030-01-02T03:04:05.678Z';
const env: Env = { now, newId: (name) => `id-of-${name}` };

/**
 * Specifications of deciders: `given(decider, events).when(command).then(events)`. Each accepted command is decided again
 * on the state it led to, and must then give nothing.
 */
export function given<Command, Event extends DomainEvent, State>(
  decider: Decider<Command, Event, State>,
  past: readonly Event[],
) {
  const state = fold(decider, past);
  if (decider.skip && past.length > 0)
    deepStrictEqual(decider.evolve(decider.skip(past.length - 1), past.at(-1)!), state);
  return {
    when: (command: Command) => ({
      then(expected: readonly Event[]): void {
        const events = decider.decide(command, state, env);
        deepStrictEqual(events, expected);
        deepStrictEqual(decider.decide(command, fold(decider, [...past, ...events]), env), []);
      },
      thenRefused(code: string): void {
        try {
          decider.decide(command, state, env);
        } catch (error) {
          if (!(error instanceof DomainError)) throw error;
          strictEqual(error.code, code);
          return;
        }
        throw new Error(`expected to be refused as ${code}`);
      },
    }),
  };
}
given.now = now;
