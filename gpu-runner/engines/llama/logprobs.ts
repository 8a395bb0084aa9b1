import type { TokenLogprob } from '../decoder-engine.js';
import type { LlamaModel, LlamaSequence, Token } from './runtime.js';

/** The lowest log probability that is reported, as that of OpenAI. */
const LEAST = -9999;
const REPLACEMENT = '�';

/**
 * A chosen token with its log probability and those of the likeliest ones at its place, by the model's own logits: before
 * temperature, penalties and grammar, as the torch engine reports them. The sequence reads its last token again for that, since only
 * logits that have been shaped come with a choice.
 * @param read the tokens of the sequence so far
 */
export async function logprobOf(
  chosen: Token,
  read: readonly Token[],
  { sequence, model, top }: { readonly sequence: LlamaSequence; readonly model: LlamaModel; readonly top: number },
): Promise<TokenLogprob> {
  const last = read.length - 1;
  await sequence.eraseContextTokenRanges([{ start: last, end: last + 1 }]);
  const filter = { tokens: [chosen], includeTop: Math.max(1, top) };
  const question = {
    generateNext: { logits: { filter }, totalLogitWeight: true, options: { temperature: 0 } },
  } as const;
  const answers = await sequence.controlledEvaluate([
    ...read.slice(sequence.nextTokenIndex, last),
    [read[last]!, question],
  ]);
  const { logits, totalLogitWeight } = answers.at(-1)!.next;
  const highest = Math.max(...logits.values());
  const total = highest + Math.log(totalLogitWeight);
  const entryOf = (token: Token) => ({
    ...textOf(token, model, read),
    logprob: Math.max(logits.get(token)! - total, LEAST),
  });
  return { ...entryOf(chosen), top: [...logits.keys()].slice(0, top).map(entryOf) };
}

/** llama.cpp tells no bytes of a part of a character. */
function textOf(token: Token, model: LlamaModel, before: readonly Token[]): Pick<TokenLogprob, 'token' | 'bytes'> {
  const text = model.detokenize([token], true, before.slice(-1));
  return { token: text, bytes: text.includes(REPLACEMENT) ? null : [...Buffer.from(text)] };
}
