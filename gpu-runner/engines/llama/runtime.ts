import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

/** The parts of node-llama-cpp 3.22 that the engine uses. It is installed apart, so that its own types are not here. */
interface LlamaModule {
  getLlama(options: {
    readonly gpu: false;
    readonly build: 'never';
    readonly skipDownload: true;
    readonly progressLogs: false;
    readonly logLevel: 'error';
    readonly maxThreads: number;
  }): Promise<Llama>;
}

export interface Llama {
  loadModel(options: { readonly modelPath: string; readonly gpuLayers: 0 }): Promise<LlamaModel>;
  createGrammar(options: { readonly grammar: string }): Promise<unknown>;
  dispose(): Promise<void>;
}

declare const TOKEN: unique symbol;
export type Token = number & { readonly [TOKEN]: true };

export interface LlamaModel {
  readonly size: number;
  readonly fileInfo: { readonly metadata: { readonly tokenizer: { readonly chat_template?: string } } };
  readonly tokens: {
    readonly bos: Token | null;
    readonly bosString: string | null;
    readonly eosString: string | null;
    readonly shouldPrependBosToken: boolean;
  };
  tokenize(text: string, specialTokens: boolean): Token[];
  detokenize(tokens: readonly Token[], specialTokens: boolean, lastTokens: readonly Token[]): string;
  isEogToken(token: Token): boolean;
  createContext(options: {
    /** Tokens of one sequence. */
    readonly contextSize: number;
    readonly sequences: 1;
    readonly threads: { readonly ideal: number };
    readonly flashAttention: false;
    readonly experimentalKvCacheKeyType: 'F32';
    readonly experimentalKvCacheValueType: 'F32';
    /** Sliding windows keep what has left them. */
    readonly swaFullCache: boolean;
    readonly lora?: { readonly adapters: readonly { readonly filePath: string }[] };
    readonly createSignal: AbortSignal;
  }): Promise<LlamaContext>;
  dispose(): Promise<void>;
}

interface LlamaContext {
  getSequence(): LlamaSequence;
  dispose(): Promise<void>;
}

export interface LlamaSequence {
  /** Tokens whose keys and values it has. */
  readonly nextTokenIndex: number;
  /** Models with recurrent layers lose more than the range. */
  eraseContextTokenRanges(ranges: readonly { readonly start: number; readonly end: number }[]): Promise<void>;
  /** Reads tokens. The answer for each that has a question has its index. */
  controlledEvaluate(tokens: readonly (Token | readonly [Token, LogitsQuestion])[]): Promise<
    readonly (
      | {
          /** Logits: those of the likeliest tokens first. */
          readonly next: { readonly logits: ReadonlyMap<Token, number>; readonly totalLogitWeight: number };
        }
      | undefined
    )[]
  >;
  /** Leaving the loop ends it. */
  evaluate(
    tokens: readonly Token[],
    options: {
      readonly temperature: number;
      readonly minP: 0;
      /** 0: all. */
      readonly topK: number;
      readonly topP: number;
      readonly seed?: number;
      readonly grammarEvaluationState?: unknown;
      readonly repeatPenalty?: {
        readonly punishTokens: () => readonly Token[];
        readonly penalty: 1;
        readonly frequencyPenalty: number;
        readonly presencePenalty: number;
      };
      readonly yieldEogToken: true;
    },
  ): AsyncGenerator<Token>;
}

interface LogitsQuestion {
  readonly generateNext: {
    readonly logits: { readonly filter: { readonly tokens: readonly Token[]; readonly includeTop: number } };
    /** The sum of exp(logit - highest logit). */
    readonly totalLogitWeight: true;
    readonly options: { readonly temperature: 0 };
  };
}

interface JinjaModule {
  readonly Template: new (template: string) => { render(items: Readonly<Record<string, unknown>>): string };
}

export interface Runtime {
  readonly llama: LlamaModule & {
    readonly LlamaGrammarEvaluationState: new (options: {
      readonly model: LlamaModel;
      readonly grammar: unknown;
    }) => unknown;
  };
  readonly jinja: JinjaModule;
}

/** Loads the packages from the folder that they are installed in. */
export async function loadRuntime(folder: string): Promise<Runtime> {
  const require = createRequire(join(folder, 'node_modules', 'node-llama-cpp', 'package.json'));
  const load = (path: string) => import(pathToFileURL(path).href) as Promise<unknown>;
  return {
    llama: (await load(join(folder, 'node_modules', 'node-llama-cpp', 'dist', 'index.js'))) as Runtime['llama'],
    jinja: (await load(require.resolve('@huggingface/jinja'))) as JinjaModule,
  };
}
