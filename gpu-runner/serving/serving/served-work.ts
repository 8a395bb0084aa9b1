import type { ServingFigures } from '#gpu-runner/contract/inference.js';

type Kind = keyof ServingFigures['calls'];

/** Counts the calls that a runner has accepted and not answered, and the tokens of those that it answered. */
export class ServedWork {
  private readonly running: Record<Kind, number> = { encoder: 0, embedder: 0, decoder: 0 };
  private readonly sums = { input: 0, output: 0 };

  /** @returns a function to call once the call has ended, however it ended */
  begin(kind: Kind): () => void {
    this.running[kind] += 1;
    return () => void (this.running[kind] -= 1);
  }

  read({ inputTokens, outputTokens = 0 }: { readonly inputTokens: number; readonly outputTokens?: number }): void {
    this.sums.input += inputTokens;
    this.sums.output += outputTokens;
  }

  /** Counts a call of texts, and the tokens of its reply if that is an answer. */
  async call<Reply extends object>(kind: Kind, run: () => Promise<Reply>): Promise<Reply> {
    const ended = this.begin(kind);
    try {
      const reply = await run();
      if ('inputTokens' in reply)
        this.read({ inputTokens: (reply.inputTokens as readonly number[]).reduce((sum, tokens) => sum + tokens, 0) });
      return reply;
    } finally {
      ended();
    }
  }

  figures(): Pick<ServingFigures, 'calls' | 'tokens'> {
    return { calls: { ...this.running }, tokens: { ...this.sums } };
  }
}
