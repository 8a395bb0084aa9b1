import type { ScriptedChoice } from '#test/support/scripted-answers.js';
import { exampleOf } from './schema-example.js';

/** A request to a scripted model, in any style. */
export interface Asked {
  /** The text of the last thing that the user said. */
  readonly prompt: string;
  /** Tool results since then. */
  readonly results: readonly string[];
  readonly tools: readonly { readonly name: string; readonly parameters: unknown }[];
  readonly choice: 'auto' | 'none' | 'required' | { readonly name: string };
  /** The schema of the answer; true: any JSON object. */
  readonly schema: object | true | null;
  readonly maxTokens: number | null;
  readonly thinks: boolean;
}

export interface Reply extends ScriptedChoice {
  readonly toolCalls?: readonly { readonly id: string; readonly name: string; readonly input: string }[];
}

/**
 * The reply of a scripted model: it calls tools that it may call and that have not answered yet (all of them where the prompt says
 * "all tools"), gives an example of the schema that it is held to, or repeats what it was told. So a test knows the answer from
 * what it asked, and an answer that fits shows that nothing was lost on the way.
 */
export function replyTo(asked: Asked): Reply {
  const thinking = asked.thinks ? { thinking: 'Let me think about it.' } : {};
  const calls = callsOf(asked);
  if (calls.length > 0) return { ...thinking, toolCalls: calls };
  if (asked.schema !== null)
    return { ...thinking, text: JSON.stringify(asked.schema === true ? {} : exampleOf(asked.schema)) };
  const text = asked.results.length > 0 ? `The tools said ${asked.results.join(' and ')}` : `You said: ${asked.prompt}`;
  const words = text.match(/\S+\s*/g) ?? [];
  if (asked.maxTokens === null || words.length <= asked.maxTokens) return { ...thinking, text };
  return { ...thinking, text: words.slice(0, asked.maxTokens).join(''), finish: 'length' };
}

/** Clients take two calls of one id in a conversation for the same. */
let called = 0;

function callsOf({ prompt, results, tools, choice }: Asked) {
  if (choice === 'none' || (results.length > 0 && choice === 'auto')) return [];
  const wanted =
    typeof choice === 'object'
      ? tools.filter(({ name }) => name === choice.name)
      : tools.slice(0, /all tools/.test(prompt) ? tools.length : 1);
  return wanted.map(({ name, parameters }) => ({
    id: `call_${(called += 1)}`,
    name,
    input: JSON.stringify(exampleOf(parameters)),
  }));
}

/** The failure that a prompt asks for. */
export type Mishap =
  | { readonly kind: 'status'; readonly status: number; readonly once: boolean }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' }
  | { readonly kind: 'pause' };

/**
 * `(status 503)`, `(once 503)`: only the first time that this prompt is seen; `(hang)`: no answer; `(cut)`: the connection ends
 * after the first words; `(pause)`: nothing comes after them.
 */
export function mishapIn(prompt: string): Mishap | null {
  const [, word, status] = /\((status|once|hang|cut|pause)(?: (\d+))?\)/.exec(prompt) ?? [];
  switch (word) {
    case undefined:
      return null;
    case 'hang':
    case 'cut':
    case 'pause':
      return { kind: word };
    default:
      return { kind: 'status', status: Number(status), once: word === 'once' };
  }
}
